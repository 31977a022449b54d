// Reads fields of which nobody has promised anything.

import { isObject } from './message-log.ts';

/** As JSON over several lines. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, null, 1);
  } catch {
    return '(too deep to be shown)';
  }
}

/** The text of a result's content. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) => (isObject(block) ? textOf(block['text'] ?? `(${textOf(block['type'])})`) : textOf(block)))
    .join('\n');
}

/** An error's message. */
export function errorOf(error: unknown): string {
  return isObject(error) ? textOf(error['message']) : textOf(error);
}

/** A text, or a number as one; empty for anything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return '';
}

/** A number, or 0. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** `3 messages`. */
export function countOf(value: unknown, noun: string): string {
  const count = numberOf(value);
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
