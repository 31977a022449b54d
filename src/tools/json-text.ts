// One JSON text for any value a tool can return. Called by tool-result and result-content.

import { isPlainData, plainCopy } from './plain-copy.ts';

/**
 * `JSON.stringify(value)`, without white space, when the value is plain data. Otherwise the JSON of a copy in which
 * bigints are strings, maps and sets are objects and arrays, and what has no JSON form (cycles, binary data, promises,
 * a `toJSON` that throws) is a short description in parentheses. Always valid JSON. Never throws.
 */
export function jsonText(value: unknown): string {
  try {
    if (isPlainData(value)) return JSON.stringify(value) ?? 'null';
  } catch {
    // a cycle, a getter or trap that throws, or more text than a string can hold: handled below
  }
  try {
    return JSON.stringify(plainCopy(value)) ?? 'null';
  } catch {
    return '"(unreadable value)"';
  }
}
