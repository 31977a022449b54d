// The tables by which the options of engines, operatives, turns and commands are checked.

import type { Engine, EngineOptions } from '../contracts/engine.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import { anything, aText, isObject, type Check, type OptionTable } from '../contracts/option-table.ts';

const aFunction: Check = ['a function', isFunction];
const anObject: Check = ['an object', isObject];
const anArray: Check = ['an array', Array.isArray];
const milliseconds: Check = ['a number of milliseconds, 0 or more', (value) => typeof value === 'number' && value >= 0];
const anInspector: Check = ['a function or an observer', (value) => isFunction(value) || isObject(value)];

/** A whole number, or no bound at all. */
export const countFrom = (least: number): Check => [
  `an integer of at least ${least}`,
  (value) => value === Infinity || (Number.isInteger(value) && (value as number) >= least),
];
const oneOf = (...words: readonly unknown[]): Check => [`one of ${words.join(', ')}`, (value) => words.includes(value)];

const steps = {
  planCalls: aFunction,
  executeTool: aFunction,
  formatToolResult: aFunction,
  buildRequest: aFunction,
  timeoutFor: aFunction,
} satisfies Record<keyof NonNullable<EngineOptions['steps']>, Check>;

const retry = {
  attempts: countFrom(0),
  baseDelayMs: milliseconds,
  maxDelayMs: milliseconds,
  maxRetryAfterMs: milliseconds,
} satisfies Record<keyof NonNullable<EngineOptions['retry']>, Check>;

const hostParts = ['now', 'setTimeout', 'clearTimeout', 'random', 'createId'];
const choices: readonly unknown[] = ['auto', 'none', 'required'];

/** Options of `createEngine`. Models, tools, transformers and registries are checked where they are read. */
export const engineOptions = {
  model: anything,
  fallbackModels: anArray,
  tools: anArray,
  transformers: anArray,
  toolChoice: [
    `${choices.join(', ')} or { tool: name }`,
    (value) => choices.includes(value) || (isObject(value) && typeof value['tool'] === 'string'),
  ],
  maxOutputTokens: countFrom(1),
  output: ['{ name, schema }', (value) => isObject(value) && typeof value['name'] === 'string' && 'schema' in value],
  providerOptions: anObject,
  maxIterations: countFrom(1),
  maxParallelTools: countFrom(1),
  toolTimeoutMs: milliseconds,
  cancelGraceMs: milliseconds,
  idleTimeoutMs: milliseconds,
  retry,
  approve: aFunction,
  backgroundTasks: anything,
  onListenerError: aFunction,
  // A host may have more methods than the library calls.
  host: [
    `an object of functions (${hostParts.join(', ')})`,
    (value) => isObject(value) && hostParts.every((name) => value[name] === undefined || isFunction(value[name])),
  ],
  inspect: anInspector,
  steps,
} satisfies Record<keyof EngineOptions, Check | OptionTable>;

/** Options of `createOperative`. */
export const operativeOptions = {
  engine: anything,
  conversation: anything,
  reloadBeforeStart: aFunction,
  frameInjectedMessage: ['a function or null', (value) => value === null || isFunction(value)],
  lateMessages: oneOf('hold', 'start'),
  announceTasks: oneOf('off', 'steer', 'queue'),
  approve: aFunction,
  inspect: anInspector,
  inspectUnder: anObject,
} satisfies Record<keyof OperativeOptions, Check>;

/** Options of `Engine.run`. */
export const runOptions = {
  turnContext: anything,
  signal: [
    'an AbortSignal',
    (value) => isObject(value) && isFunction(value['addEventListener']) && isFunction(value['removeEventListener']),
  ],
  inspectUnder: anObject,
} satisfies Record<keyof NonNullable<Parameters<Engine['run']>[1]>, Check>;

/** Options of the commands of operatives and turns. */
export const commandOptions = {
  submit: { turnContext: anything, policy: oneOf('steer', 'queue', 'reject', 'preempt') },
  resume: { turnContext: anything },
  // A negative time is over at once: a cancel is not the moment to be strict.
  cancel: { graceMs: ['a number of milliseconds', (value) => typeof value === 'number' && !Number.isNaN(value)] },
  compact: { instructions: aText },
  close: {},
} satisfies OptionTable;

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
