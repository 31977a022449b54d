// What sessions may be called and where they are kept. arguments.ts and main.ts ask; without loading what stores them.

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Names are file names everywhere: letters, digits, `.`, `_` and `-`, at most 64, beginning with a letter or digit. */
export function isSessionName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** `$XDG_STATE_HOME/turnchart/sessions`, where that is an absolute path; else below `~/.local/state`. */
export function sessionFolder(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'];
  const base = state !== undefined && isAbsolute(state) ? state : join(homedir(), '.local', 'state');
  return join(base, 'turnchart', 'sessions');
}
