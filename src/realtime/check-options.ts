// Checks those options of sessions and their operatives whose wrong values do harm: an endless wait, no wait, or a
// throw in the middle of a conversation. Called when a session or an operative is made.

import { TurnchartError } from '../contracts/errors.ts';
import { describeValue } from '../tools/describe-value.ts';
import { changes } from './input-fields.ts';

type Fits = (value: unknown) => boolean;
type Check = readonly [expected: string, fits: Fits];
/** By name; a nested table is an object with its own options. */
interface Table {
  readonly [name: string]: Check | Table;
}
type Fields = Readonly<Record<string, unknown>>;

const milliseconds: Check = ['milliseconds, 0 or more', (value) => typeof value === 'number' && value >= 0];
const someMilliseconds: Check = ['milliseconds, 1 or more', (value) => typeof value === 'number' && value >= 1];
const bytes: Check = ['a number of bytes, 0 or more', (value) => typeof value === 'number' && value >= 0];
const aFunction: Check = ['a function', isFunction];
const anArray: Check = ['an array', (value) => Array.isArray(value)];
const tools: Check = ['an array of tools', (value) => Array.isArray(value) && value.every(isObject)];
const audioFormat: Check = [
  '{ type: "pcm16" | "g711Ulaw" | "g711Alaw" }, with a rate in hertz above 0 where it has one',
  (value) =>
    isObject(value) &&
    (value['type'] === 'g711Ulaw' ||
      value['type'] === 'g711Alaw' ||
      (value['type'] === 'pcm16' && (value['rate'] === undefined || isRate(value['rate'])))),
];
const hostParts = ['now', 'setTimeout', 'clearTimeout', 'random', 'createId'];

const sessionOptions: Table = {
  modalities: anArray,
  inputFormat: audioFormat,
  outputFormat: audioFormat,
  history: [
    'an array of messages',
    (value) => Array.isArray(value) && value.every((message) => isObject(message) && Array.isArray(message['content'])),
  ],
  playback: [
    '"estimate", "server" or an object with playedMs(itemId, contentIndex)',
    (value) => value === 'estimate' || value === 'server' || (isObject(value) && isFunction(value['playedMs'])),
  ],
  backpressure: { microphoneMs: milliseconds, highWaterBytes: bytes, outputMs: milliseconds },
  microphone: [
    'an async iterable of Uint8Array',
    (value) => isObject(value) && isFunction(Reflect.get(value, Symbol.asyncIterator)),
  ],
  deadlines: {
    connectMs: milliseconds,
    responseMs: milliseconds,
    speechMs: milliseconds,
    answerMs: milliseconds,
    playbackMs: milliseconds,
    replyGraceMs: milliseconds,
    closeMs: milliseconds,
    expiryNoticeMs: milliseconds,
  },
  signal: [
    'an AbortSignal',
    (value) => isObject(value) && isFunction(value['addEventListener']) && isFunction(value['removeEventListener']),
  ],
  host: [
    `an object of functions (${hostParts.join(', ')})`,
    (value) => isObject(value) && hostParts.every((name) => value[name] === undefined || isFunction(value[name])),
  ],
  inspect: ['a function or an observer', (value) => isFunction(value) || isObject(value)],
  onListenerError: aFunction,
};

const keepAlive: Table = { everyMs: someMilliseconds, answerMs: someMilliseconds };

const operativeOptions: Table = {
  tools,
  approve: aFunction,
  toolTimeoutMs: milliseconds,
  maxParallelTools: [
    'an integer of at least 1',
    (value) => value === Infinity || (Number.isInteger(value) && (value as number) >= 1),
  ],
  onBargeIn: ['"keep", "cancel" or a function', (value) => value === 'keep' || value === 'cancel' || isFunction(value)],
  cancelGraceMs: milliseconds,
  announceTasks: ['one of speak, tell, off', (value) => value === 'speak' || value === 'tell' || value === 'off'],
  onListenerError: aFunction,
};

/** Throws `options.invalid`. Provider-specific values are left to the provider, unknown names to TypeScript. */
export function checkSessionOptions(options: unknown): void {
  check('a realtime session', options, sessionOptions);
  const fault = changes(options as Fields);
  if (fault !== undefined) {
    throw new TurnchartError('options.invalid', `The options of a realtime session are not valid: ${fault}.`);
  }
  const given = (options as Fields)['keepAlive']; // an object: checked above
  if (given !== undefined && given !== 'off') check('a realtime session', given, keepAlive, 'keepAlive.');
}

/** Throws `options.invalid`. */
export function checkOperativeOptions(options: unknown): void {
  check('a realtime operative', options, operativeOptions);
}

function check(of: string, options: unknown, table: Table, prefix = ''): void {
  if (!isObject(options)) {
    const what = prefix === '' ? `The options of ${of}` : `The option "${prefix.slice(0, -1)}" of ${of}`;
    throw new TurnchartError('options.invalid', `${what} must be an object, got ${describeValue(options)}.`);
  }
  for (const [name, known] of Object.entries(table)) {
    const value = options[name];
    if (value === undefined) continue;
    if (!isCheck(known)) {
      check(of, value, known, `${prefix}${name}.`);
    } else if (!known[1](value)) {
      const got = describeValue(value);
      throw new TurnchartError(
        'options.invalid',
        `The option "${prefix}${name}" of ${of} must be ${known[0]}, got ${got}.`,
      );
    }
  }
}

function isCheck(known: Check | Table): known is Check {
  return Array.isArray(known);
}

// Outside this range the arithmetic with milliseconds makes no sense.
function isRate(value: unknown): boolean {
  return typeof value === 'number' && value >= 1_000 && value <= 1_000_000;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
