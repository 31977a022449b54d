// Short descriptions of a value and of the path to it, for messages to the model. Called by the argument checks.

import { shortText } from './bounded-text.ts';

/**
 * What a value is, with its beginning: `string "ten"`, `number 5`, `array with 3 items`, `object with "a", "b"`. Never
 * throws.
 */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `string ${JSON.stringify(shortText(value, 40))}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    case 'undefined':
      return 'nothing';
    case 'number':
    case 'boolean':
    case 'bigint':
      return `${typeof value} ${String(value)}`;
    default:
      return typeof value;
  }
}

/** The path to a field: `edits[0].old_string`; a key that is not a plain word is in brackets and quotes. */
export function describePath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'string' && /^[A-Za-z_$][\w$-]*$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(shortText(String(key), 40))}]`;
  }
  return shortText(text, 160);
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return `array with ${value.length} ${value.length === 1 ? 'item' : 'items'}`;
    const keys = Object.keys(value);
    if (keys.length === 0) return 'object without fields';
    const shown = keys.slice(0, 4).map((key) => JSON.stringify(shortText(key, 30)));
    return `object with ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}`;
  } catch {
    return 'object that cannot be read'; // a hostile proxy
  }
}
