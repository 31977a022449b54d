// Reads the command line. main.ts calls it; every fault is one sentence, never a throw.

import { parseArgs } from 'node:util';

/** What the command line asks for. */
export type Command =
  | { readonly type: 'turn'; readonly options: TurnOptions }
  | { readonly type: 'help' }
  | { readonly type: 'version' }
  | { readonly type: 'misuse'; readonly message: string };

/** How one turn is to be run. */
export interface TurnOptions {
  /** Undefined: from standard input. */
  readonly prompt?: string;
  /** One event a line instead of text. */
  readonly json: boolean;
  readonly color: boolean;
  /** Undefined: the engine's default. */
  readonly maxIterations?: number;
  readonly seed: number;
  /** Milliseconds between the demo model's words. */
  readonly paceMs: number;
}

/** What `--help` prints. */
export const usage = `Usage: turnchart [-p <prompt>] [options]

Runs one turn of an agent on the folder it stands in. Without -p the prompt is what is piped in, or a default one.

  -p, --prompt <text>      what to ask
      --json               one event a line as JSON on standard output, nothing else there
      --max-iterations <n> most model calls of the turn
      --seed <n>           seed of the demo model (default 1)
      --pace <ms>          milliseconds between the demo model's words (default 15; 0 = at once)
      --no-color           no colours (also: NO_COLOR, or output that is no terminal)
      --version            print the version
  -h, --help               print this

Exit codes: 0 the turn completed (or the reader of a pipe left) · 1 it ended otherwise: failed, or a limit was reached ·
2 the command line was wrong · 130 cancelled by Ctrl-C (143 by a termination signal)
`;

/** Reads the arguments that follow the program's name. */
export function commandOf(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        prompt: { type: 'string', short: 'p' },
        json: { type: 'boolean', default: false },
        'max-iterations': { type: 'string' },
        seed: { type: 'string' },
        pace: { type: 'string' },
        'no-color': { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { type: 'help' };
    if (values.version) return { type: 'version' };
    if (values.prompt?.trim() === '') throw new Error('--prompt needs a text that is not empty');
    const maxIterations = wholeNumber('--max-iterations', values['max-iterations'], 1, 1_000_000);
    return {
      type: 'turn',
      options: {
        ...(values.prompt === undefined ? {} : { prompt: values.prompt }),
        json: values.json,
        color: !values['no-color'],
        ...(maxIterations === undefined ? {} : { maxIterations }),
        seed: wholeNumber('--seed', values.seed, 0, 2 ** 32 - 1) ?? 1,
        paceMs: wholeNumber('--pace', values.pace, 0, 60_000) ?? 15,
      },
    };
  } catch (fault) {
    return { type: 'misuse', message: sentenceOf(fault) };
  }
}

function wholeNumber(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${flag} needs a whole number from ${least} to ${most}, got "${text}"`);
}

// The first sentence of parseArgs says what was wrong; the rest is advice for programmers.
function sentenceOf(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  const code: unknown = fault instanceof Error ? Reflect.get(fault, 'code') : undefined;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    const word = /'(.*?)'/s.exec(message)?.[1] ?? '';
    return `unexpected argument "${word}"; the prompt goes behind -p, in quotes`;
  }
  if (/argument is ambiguous/.test(message)) {
    const flag = /'[^']*?(--[a-z-]+)/.exec(message)?.[1] ?? 'the option';
    return `${flag} needs a value; one that begins with "-" is written ${flag}="-…"`;
  }
  const first = message.split(/\. |\n/)[0] ?? message;
  return first.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
