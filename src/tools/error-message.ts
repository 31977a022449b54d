// The message of a thrown value, if it has one. Called by error-text and plain-copy.

import { boundedText } from './bounded-text.ts';

/** Longest text of a failure, in bytes. */
export const maxErrorBytes = 8_192;

/** True for errors, also of another realm (a frame, a vm context). May throw on hostile proxies. */
export function isErrorObject(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/**
 * The message of an error or of an object that has one, or a string or number itself; undefined for everything else and
 * for an empty message. At most `maxErrorBytes` bytes. Never throws.
 */
export function errorMessage(thrown: unknown): string | undefined {
  try {
    const text = textOf(thrown);
    return text === undefined || text.trim() === '' ? undefined : boundedText(text, maxErrorBytes);
  } catch {
    return undefined; // a hostile value has no message
  }
}

function textOf(thrown: unknown): string | undefined {
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown !== 'object')
    return typeof thrown === 'function' || thrown === undefined ? undefined : String(thrown);
  if (thrown === null) return undefined;
  const message: unknown = Reflect.get(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  // An AggregateError often has no message itself.
  const errors: unknown = Reflect.get(thrown, 'errors');
  const inner = Array.isArray(errors)
    ? errors
        .slice(0, 3)
        .map(errorMessage)
        .filter((text) => text !== undefined)
    : [];
  if (inner.length > 0) return inner.join('; ');
  return isErrorObject(thrown) && thrown.name !== 'Error' ? String(thrown.name) : undefined;
}
