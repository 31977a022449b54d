// Whether user code gave a promise: what is no promise is taken at once, in the same tick.

/** True for promises and other thenables. A `then` that throws when read is passed on. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
