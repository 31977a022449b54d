// Any value as a small piece of JSON, for whoever shows values that may be huge, cyclic or hostile. Used for inspectors.

import type { JsonValue } from '../conversation/json.ts';

/** How much is kept. Texts and lists that are cut end with a note of how much is missing. */
export interface JsonBounds {
  /** UTF-16 units of one text. */
  readonly text: number;
  /** Elements of one list, members of one object. */
  readonly items: number;
  readonly depth: number;
  /** Values in all. */
  readonly values: number;
}

/** What summaries in inspectors show. */
export const summaryBounds: JsonBounds = { text: 200, items: 20, depth: 6, values: 200 };

/**
 * `toJSON` is heeded; `open` may give another view of an object instead. Never throws and looks at no more than the
 * bounds allow, whatever the value does.
 */
export function boundedJson(
  value: unknown,
  bounds: JsonBounds = summaryBounds,
  open?: (value: object) => unknown,
): JsonValue {
  let left = bounds.values;
  const read = (given: unknown, depth: number): JsonValue => {
    left--;
    if (typeof given === 'string') return clip(given, bounds.text);
    if (typeof given === 'number') return Number.isFinite(given) ? given : String(given);
    if (typeof given === 'boolean' || given === null) return given;
    if (typeof given === 'function') return { type: clip(String(given.name), bounds.text) };
    if (typeof given !== 'object') return String(given);
    if (depth === 0) return '…';
    try {
      return readObject(given, depth);
    } catch {
      return '(cannot be read)'; // a getter or a toJSON that throws
    }
  };
  const readObject = (given: object, depth: number): JsonValue => {
    let shown = open?.(given);
    if (shown === undefined && 'toJSON' in given && typeof given.toJSON === 'function') shown = given.toJSON();
    if (typeof shown !== 'object' || shown === null) {
      if (shown !== undefined) return read(shown, depth - 1);
      shown = given instanceof Error ? { name: given.name, message: given.message } : given;
    }
    if (Array.isArray(shown)) return readList(shown, depth);
    const from = shown as object; // narrowed above, which a later assignment hides
    const result: Record<string, JsonValue> = {};
    let members = 0;
    for (const key in from) {
      if (!Object.hasOwn(from, key)) continue;
      if (members++ >= bounds.items || left <= 0) {
        result['…'] = 'more';
        break;
      }
      const member: unknown = Reflect.get(from, key);
      if (member === undefined) continue;
      const name = clip(key, bounds.text);
      Object.defineProperty(result, name, { value: read(member, depth - 1), enumerable: true, configurable: true });
    }
    return result;
  };
  const readList = (list: readonly unknown[], depth: number): JsonValue => {
    const result: JsonValue[] = [];
    for (const element of list) {
      if (result.length >= bounds.items || left <= 0) {
        result.push(`… ${list.length - result.length} more`);
        break;
      }
      result.push(element === undefined ? null : read(element, depth - 1));
    }
    return result;
  };
  return read(value, bounds.depth);
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more)`;
}
