// What the model reads when a tool throws. Called by result-content, argument parsing and the dispatch service.

import { boundedText } from './bounded-text.ts';

/** Longest text of a failure, in bytes. */
export const maxErrorBytes = 8_192;

const unreadable = 'The tool failed; what it threw cannot be read.';
const stackLine = /^\s*at .*(?::\d+(?::\d+)?\)?|<anonymous>\)?|\(native\))$/;

/**
 * A text for the model of anything a tool threw: the message of an error, never its stack or cause. Not empty, at most
 * `maxErrorBytes` bytes. Never throws.
 */
export function errorResultText(thrown: unknown): string {
  try {
    const text = withoutStack(boundedText(thrownText(thrown), maxErrorBytes));
    return text.trim() === '' ? `The tool failed without a message (it threw ${kindOf(thrown)}).` : text;
  } catch {
    return unreadable;
  }
}

function thrownText(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (thrown === undefined || thrown === null) return '';
  if (typeof thrown === 'function') return '';
  if (typeof thrown !== 'object') return String(thrown);
  const message: unknown = Reflect.get(thrown, 'message');
  const errors: unknown = Reflect.get(thrown, 'errors');
  // An AggregateError often has no message of its own.
  const parts = typeof message === 'string' && message !== '' ? [message] : [];
  if (parts.length === 0 && Array.isArray(errors)) {
    for (const error of errors.slice(0, 3)) parts.push(errorResultText(error));
  }
  if (parts.length > 0) return parts.join('; ');
  if (thrown instanceof Error) return thrown.name === 'Error' ? '' : String(thrown.name);
  const json: string | undefined = JSON.stringify(thrown);
  return json === undefined || json === '{}' ? '' : json;
}

function withoutStack(text: string): string {
  if (!text.includes('\n')) return text;
  return text
    .split('\n')
    .filter((line) => !stackLine.test(line))
    .join('\n')
    .trimEnd();
}

function kindOf(thrown: unknown): string {
  if (thrown === null) return 'null';
  if (typeof thrown === 'string') return 'an empty string';
  if (typeof thrown === 'object') return thrown instanceof Error ? 'an empty error' : 'an object';
  return typeof thrown === 'undefined' ? 'undefined' : `a ${typeof thrown}`;
}
