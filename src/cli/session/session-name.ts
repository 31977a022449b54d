// Names and folder of sessions. Called by arguments.ts and main.ts, which do not always need the code that stores them.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Names are file names everywhere: letters, digits, `.`, `_` and `-`, at most 64, beginning with a letter or digit. */
export function isSessionName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** `$XDG_STATE_HOME/turnchart/sessions` if that variable is an absolute path, else the same below `~/.local/state`. */
export function sessionFolder(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'];
  const base = state !== undefined && isAbsolute(state) ? state : join(homedir(), '.local', 'state');
  return join(base, 'turnchart', 'sessions');
}
