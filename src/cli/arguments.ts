// Reads the command line. main.ts calls it; every fault is one sentence, never a throw.

import { parseArgs } from 'node:util';
import { modelFlag, type ModelFlag } from './models/model-flag.ts';
import { isSessionName } from './session/session-name.ts';
import { shownValue } from './shown-value.ts';

/** What the command line says to do. */
export type Command =
  | { readonly type: 'run'; readonly options: RunOptions }
  | { readonly type: 'help' }
  | { readonly type: 'version' }
  | { readonly type: 'misuse'; readonly message: string };

/** What to run, and how. */
export interface RunOptions {
  /** Undefined: a chat on a terminal, else from standard input. */
  readonly prompt?: string;
  /** Undefined: chosen by the environment. */
  readonly model?: ModelFlag;
  /** The name of a stored conversation. */
  readonly session?: string;
  /** Answer what the session left unanswered. */
  readonly resume: boolean;
  /** Print one JSON event per line instead of text. */
  readonly json: boolean;
  /** Allow every tool call without asking. */
  readonly yes: boolean;
  readonly color: boolean;
  /** Start the inspector. */
  readonly inspect: boolean;
  /** Undefined: the engine's default. */
  readonly maxIterations?: number;
  readonly seed: number;
  /** Milliseconds between the demo model's words. */
  readonly paceMs: number;
}

/** What `--help` prints. */
export const usage = `Usage: turnchart [-p <prompt>] [options]

An agent that works in the current folder. On a terminal without -p it is a chat; a message typed while a turn runs
steers it (/help explains). Otherwise it runs one turn for -p or piped input, or with neither a guided demo of about ten
seconds.

  -p, --prompt <text>      the prompt
      --model <model>      anthropic:<id>, openai:<id>, or <base URL>#<id> for a server with OpenAI's chat API
      --session <name>     store the conversation in $XDG_STATE_HOME/turnchart/sessions/<name>.json
                           (~/.local/state/…) and continue it; one process at a time
      --resume             first answer what the session left unanswered (after a crash or a cancel). Without it a
                           chat says so and waits for /resume or the next message
      --yes                allow every tool call without asking: file changes, any command
      --json               print only events to standard output, one JSON object per line
      --max-iterations <n> limit of model calls per turn
      --inspect            open the inspector on this machine and print its address
      --seed <n>           seed of the demo model (default 1)
      --pace <ms>          milliseconds between the demo model's words (default 15; 0 = at once)
      --no-color           no colours (also with NO_COLOR, or if the output is not a terminal)
      --version            print the version
  -h, --help               print this help

Without --model, the first of these that is there: ANTHROPIC_API_KEY; OPENAI_BASE_URL or OPENAI_API_KEY; a server on this
machine (Ollama, LM Studio, llama.cpp, vLLM); the demo model, which is a script. OPENAI_API_KEY is sent only to
OPENAI_BASE_URL, or to OpenAI if that is not set.

Exit codes: 0 the turn completed, the chat was left, or the reader of a pipe left · 1 the turn failed or reached a limit
· 2 the command line is wrong or the session is in use · 130 cancelled by Ctrl-C (143 by a termination signal)
`;

/** Reads the arguments that follow the program's name. */
export function commandOf(args: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        prompt: { type: 'string', short: 'p' },
        model: { type: 'string' },
        session: { type: 'string' },
        resume: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'max-iterations': { type: 'string' },
        inspect: { type: 'boolean', default: false },
        seed: { type: 'string' },
        pace: { type: 'string' },
        'no-color': { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { type: 'help' };
    if (values.version) return { type: 'version' };
    if (values.prompt?.trim() === '') throw new Error('--prompt must not be empty');
    if (values.session !== undefined && !isSessionName(values.session))
      throw new Error(
        `--session needs a name of at most 64 letters, digits, ".", "_" and "-" that begins with a letter or digit, got ${shownValue(values.session)}`,
      );
    if (values.resume && values.session === undefined) throw new Error('--resume needs --session');
    if (values.resume && values.prompt !== undefined)
      throw new Error('--resume and --prompt cannot be combined: a prompt also continues an unanswered session');
    const maxIterations = wholeNumber('--max-iterations', values['max-iterations'], 1, 1_000_000);
    return {
      type: 'run',
      options: {
        ...(values.prompt === undefined ? {} : { prompt: values.prompt }),
        ...(values.model === undefined ? {} : { model: modelFlag(values.model) }),
        ...(values.session === undefined ? {} : { session: values.session }),
        resume: values.resume,
        yes: values.yes,
        json: values.json,
        color: !values['no-color'],
        inspect: values.inspect,
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
  throw new Error(`${flag} needs a whole number from ${least} to ${most}, got ${shownValue(text)}`);
}

// The first sentence of an error of parseArgs says what is wrong; the rest is for programmers.
function sentenceOf(fault: unknown): string {
  const message = fault instanceof Error ? fault.message : String(fault);
  const code: unknown = fault instanceof Error ? Reflect.get(fault, 'code') : undefined;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    const word = /'(.*?)'/s.exec(message)?.[1] ?? '';
    return `unexpected argument ${shownValue(word)}; put the prompt after -p, in quotes`;
  }
  if (/argument is ambiguous/.test(message)) {
    const flag = /'[^']*?(--[a-z-]+)/.exec(message)?.[1] ?? 'the option';
    return `${flag} needs a value; write ${flag}="-…" if it begins with "-"`;
  }
  const first = message.split(/\. |\n/)[0] ?? message;
  return first.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
