// Checks those options of sessions and their operatives whose wrong values do harm: an endless wait, no wait, or a
// throw in the middle of a conversation. Called when a session or an operative is made.

import { TurnchartError } from '../contracts/errors.ts';
import { anything, checkOptions, isObject, type Check, type OptionTable } from '../contracts/option-table.ts';
import type {
  RealtimeBackpressure,
  RealtimeDeadlines,
  RealtimeKeepAlive,
  RealtimeSessionOptions,
} from '../contracts/realtime.ts';
import { changes, type InputFields } from './input-fields.ts';

const milliseconds: Check = ['a number of milliseconds, 0 or more', (value) => typeof value === 'number' && value >= 0];
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

const sessionOptions = {
  systemPrompt: anything, // what a session may also change later is looked at as such a change is
  tools: anything,
  toolChoice: anything,
  voice: anything,
  inputTranscription: anything,
  turnDetection: anything,
  noiseReduction: anything,
  maxOutputTokens: anything,
  reasoningEffort: anything,
  truncation: anything,
  speed: anything,
  keepAlive: anything,
  providerOptions: anything,
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
  backpressure: { microphoneMs: milliseconds, highWaterBytes: bytes, outputMs: milliseconds } satisfies Record<
    keyof RealtimeBackpressure,
    Check
  >,
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
  } satisfies Record<keyof RealtimeDeadlines, Check>,
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
} satisfies Record<keyof RealtimeSessionOptions, Check | OptionTable>;

const keepAlive = { everyMs: someMilliseconds, answerMs: someMilliseconds } satisfies Record<
  keyof RealtimeKeepAlive,
  Check
>;

const operativeOptions = {
  tools,
  backgroundTasks: anything, // its support is looked for where it is read
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
} satisfies OptionTable;

/** Throws `options.invalid`. Provider-specific values are left to the provider. */
export function checkSessionOptions(options: unknown): void {
  checkOptions('A realtime session', options, sessionOptions);
  const fault = changes(options as InputFields);
  if (fault !== undefined) {
    throw new TurnchartError('options.invalid', `The options of a realtime session are not valid: ${fault}.`);
  }
  const given = (options as InputFields)['keepAlive']; // an object, just looked at
  if (given !== undefined && given !== 'off') checkOptions('A realtime session', given, keepAlive, 'keepAlive.');
}

/** Throws `options.invalid`. */
export function checkOperativeOptions(options: unknown): void {
  checkOptions('A realtime operative', options, operativeOptions);
}

// Outside this range the arithmetic with milliseconds makes no sense.
function isRate(value: unknown): boolean {
  return typeof value === 'number' && value >= 1_000 && value <= 1_000_000;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
