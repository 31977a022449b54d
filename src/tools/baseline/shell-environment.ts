// The environment of commands: without secrets by default, and set up for programs without a user at a terminal.

import { isSecretVariable } from './secret-variables.ts';

/** `scrubbed`: without what looks like a secret. A record: scrubbed, and with these variables whatever they hold. */
export type ShellEnvironment = 'scrubbed' | 'inherit' | Readonly<Record<string, string>>;

// Variables that make a shell run code before the command.
const startupNames = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|BASH_FUNC_.*)$/;

// No pager, no prompt for a password, no colours.
const unattended = { GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', TERM: 'dumb' };

/** Whether variables make a shell run code before the command. */
export function startsOtherCode(variables: Readonly<Record<string, string>>): boolean {
  return Object.keys(variables).some((name) => startupNames.test(name));
}

/** The variables for a command, from those of the host program. */
export function shellVariables(
  option: ShellEnvironment,
  host: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue;
    if (option !== 'inherit' && (isSecretVariable(name, value) || startupNames.test(name))) continue;
    variables[name] = value;
  }
  Object.assign(variables, unattended);
  return typeof option === 'string' ? variables : { ...variables, ...option };
}
