// What the model reads when a tool throws. Called by result-content, argument parsing and the dispatch service.

import { boundedText } from './bounded-text.ts';
import { describeValue } from './describe-value.ts';
import { errorMessage, isErrorObject, maxErrorBytes } from './error-message.ts';
import { jsonText } from './json-text.ts';

const stackLine = /^\s*at .*(?::\d+(?::\d+)?\)?|<anonymous>\)?|\(native\))$/;

/**
 * A text for the model about anything a tool threw: the message of an error, never its stack or cause. Not empty, at
 * most `maxErrorBytes` bytes. Never throws.
 */
export function errorResultText(thrown: unknown): string {
  try {
    const text = withoutStack(errorMessage(thrown) ?? fieldsOf(thrown));
    return text.trim() === '' ? `The tool failed without a message (thrown: ${describeValue(thrown)}).` : text;
  } catch {
    return 'The tool failed; what it threw cannot be read.';
  }
}

function fieldsOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || isErrorObject(thrown)) return '';
  const json = jsonText(thrown);
  return json === '{}' ? '' : boundedText(json, maxErrorBytes);
}

function withoutStack(text: string): string {
  if (!text.includes('\n')) return text;
  const lines = text.split('\n').filter((line) => !stackLine.test(line));
  return lines.join('\n').trimEnd();
}
