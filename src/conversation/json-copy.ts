// Copies JSON that others may change, and limits its depth. Called where messages and answers enter a transcript.

import type { JsonValue } from './json.ts';

/**
 * Most levels of nested arrays and objects in arguments, meta and data. Servers that read requests with serde_json
 * refuse 128 levels (`remaining_depth` in its de.rs), and a request adds its own levels around those of a message. The
 * stack of a JavaScript engine allows some thousands in `JSON.stringify` and `structuredClone`.
 */
export const deepestJson = 100;

// Far more than any message has. Without a limit, values that share parts could take forever.
const maxNodes = 5_000_000;

/**
 * A copy that shares nothing with the value. Fields of objects that are undefined count as not given and are left out.
 * Throws a RangeError for cycles and for more than `deepestJson` levels below the first `around`, a TypeError for
 * anything else that JSON would lose or change, and whatever a getter throws.
 */
export function copyJson(value: unknown, around = 0): JsonValue {
  return copy(value, deepestJson + around, { left: maxNodes });
}

/** Like `copyJson`, for the own fields of any object. */
export function copyFields(given: object): { readonly [key: string]: JsonValue } {
  return copyJson(Object.fromEntries(Object.entries(given)), 1) as { readonly [key: string]: JsonValue }; // the copy of an object is an object
}

/** True for more than `deepestJson` levels. The value must be JSON, such as from `JSON.parse`. */
export function isTooDeep(value: unknown): boolean {
  return exceeds(value, deepestJson);
}

function exceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => exceeds(item, levels - 1));
}

function copy(value: unknown, levels: number, budget: { left: number }): JsonValue {
  if (typeof value !== 'object' || value === null) return scalar(value);
  if (levels === 0) throw new RangeError(`it holds a cycle, or data that is nested deeper than ${deepestJson} levels`);
  const isList = Array.isArray(value);
  if (!isList) checkPlain(value); // first: the keys of a buffer would be millions
  const keys = Object.keys(value);
  budget.left -= keys.length;
  if (budget.left < 0) throw new TypeError(`it holds more than ${maxNodes} values`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw notJson('symbols as keys');
  if (isList) {
    if (keys.length !== value.length) throw notJson('an array with holes or named fields');
    return value.map((item) => copy(item, levels - 1, budget));
  }
  const fields: Record<string, JsonValue> = {};
  for (const key of keys) {
    const given: unknown = Reflect.get(value, key);
    if (given === undefined) continue;
    const item = copy(given, levels - 1, budget);
    if (key !== '__proto__') fields[key] = item;
    else Object.defineProperty(fields, key, { value: item, enumerable: true, configurable: true, writable: true });
  }
  return fields;
}

function scalar(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number') throw notJson(value === undefined ? 'undefined' : `a ${typeof value}`);
  if (!Number.isFinite(value)) throw notJson(String(value));
  return value;
}

// Object.prototype of another realm (iframe, vm) is plain too: what has no prototype itself.
function checkPlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw notJson('an instance of a class');
  }
}

function notJson(what: string): TypeError {
  return new TypeError(`it contains a value that is not JSON: ${what}`);
}
