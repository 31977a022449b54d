// What an exit code means, in words. Used for the results of commands.

import { constants } from 'node:os';

import { commandLine } from './command-words.ts';

/** `isFailure` false: the code is the program's way to say no, such as 1 of grep. */
export interface ExitMeaning {
  readonly isFailure: boolean;
  /** Empty if there is nothing to explain. */
  readonly text: string;
}

// Programs whose exit code is their answer.
const answers: { readonly [program: string]: { readonly [code: number]: string } } = {
  grep: { 1: 'no line matched' },
  egrep: { 1: 'no line matched' },
  fgrep: { 1: 'no line matched' },
  rg: { 1: 'no line matched' },
  diff: { 1: 'the files differ' },
  cmp: { 1: 'the files differ' },
  test: { 1: 'the condition is false' },
  '[': { 1: 'the condition is false' },
  pgrep: { 1: 'no process matched' },
};

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Considers the command only if it is one plain program, so that the code is certainly its own. */
export function exitMeaning(code: number, command: string): ExitMeaning {
  if (code === 0) return { isFailure: false, text: '' };
  const answer = answerOf(code, command);
  if (answer !== undefined) return { isFailure: false, text: answer };
  if (code === 126) return { isFailure: true, text: 'the program was found but could not be run' };
  if (code === 127) return { isFailure: true, text: 'a program was not found' };
  const signal = code > 128 ? signalNames.get(code - 128) : undefined;
  if (signal === undefined) return { isFailure: true, text: '' };
  const why = signal === 'SIGKILL' ? ', perhaps for lack of memory' : signal === 'SIGPIPE' ? ', its reader left' : '';
  return { isFailure: true, text: `ended by ${signal}${why}` };
}

function answerOf(code: number, command: string): string | undefined {
  const line = commandLine(command);
  if (line === undefined || line.operators.some((operator) => operator !== '|')) return undefined;
  const name = line.commands.at(-1)?.words[0] ?? '';
  const program = name.slice(name.lastIndexOf('/') + 1);
  return Object.hasOwn(answers, program) ? answers[program]?.[code] : undefined;
}
