// What user code returns: a value or a promise.

import { TurnchartError } from './errors.ts';

/** True for promises and other thenables. A `then` that throws when read is passed on. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/**
 * Returns the value of a callback that must be synchronous. Throws `options.invalid` for a promise, whose rejection is
 * then ignored.
 */
export function atOnce<Value>(value: Value, who: string): Value {
  if (!isThenable(value)) return value;
  Promise.resolve(value).catch(() => undefined);
  throw new TurnchartError('options.invalid', `${who} returned a promise; it must return its answer at once.`);
}
