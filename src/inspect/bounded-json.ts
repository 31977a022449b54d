// Any value as a small piece of JSON, to show values that may be huge, cyclic or hostile.

import type { JsonValue } from '../conversation/json.ts';

/** How much is kept. Cut parts end with a note of how much is missing. */
export interface JsonBounds {
  /** UTF-16 units of one text. */
  readonly text: number;
  /** UTF-16 units of all texts. */
  readonly texts: number;
  /** Elements of one list, members of one object. */
  readonly items: number;
  readonly depth: number;
  /** Values in all. */
  readonly values: number;
}

/** What summaries in inspectors show. */
export const summaryBounds: JsonBounds = { text: 200, texts: 2_000, items: 20, depth: 6, values: 200 };

/**
 * Calls `toJSON`; `open` may return another view of an object instead. Never throws, whatever the value does, and reads
 * no more than the bounds allow.
 */
export function boundedJson(
  value: unknown,
  bounds: JsonBounds = summaryBounds,
  open?: (value: object) => unknown,
): JsonValue {
  return new Reader(bounds, open).read(value, bounds.depth);
}

class Reader {
  readonly #bounds: JsonBounds;
  readonly #open: ((value: object) => unknown) | undefined;
  #values: number;
  #texts: number;

  constructor(bounds: JsonBounds, open: ((value: object) => unknown) | undefined) {
    this.#bounds = bounds;
    this.#open = open;
    this.#values = bounds.values;
    this.#texts = bounds.texts;
  }

  read(value: unknown, depth: number): JsonValue {
    this.#values--;
    switch (typeof value) {
      case 'string':
        return this.#clip(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        return value;
      case 'function':
        return this.#function(value);
      case 'object':
        if (value === null) return null;
        return depth <= 0 ? '…' : this.#object(value, depth);
      default:
        return this.#clip(String(value)); // bigint, symbol, undefined
    }
  }

  // By name, as inspectors show implementations.
  #function(value: object): JsonValue {
    try {
      return { type: this.#clip(String(Reflect.get(value, 'name'))) };
    } catch {
      return { type: '' };
    }
  }

  #object(given: object, depth: number): JsonValue {
    try {
      const opened: unknown = this.#open?.(given);
      const shown = opened === undefined ? jsonOf(given) : opened;
      if (typeof shown !== 'object' || shown === null) return this.read(shown, depth - 1);
      // Bytes: listing their keys would take too long.
      if (ArrayBuffer.isView(shown)) return `(${shown.constructor.name} of ${shown.byteLength} bytes)`;
      if (shown instanceof ArrayBuffer) return `(ArrayBuffer of ${shown.byteLength} bytes)`;
      if (shown instanceof Map) return this.#list(shown, shown.size, depth);
      if (shown instanceof Set) return this.#list(shown, shown.size, depth);
      return Array.isArray(shown) ? this.#list(shown, shown.length, depth) : this.#members(shown, depth);
    } catch {
      return '(cannot be read)'; // a getter, a proxy or a toJSON that throws
    }
  }

  #members(from: object, depth: number): JsonValue {
    const members: [string, JsonValue][] = [];
    for (const key in from) {
      if (!Object.hasOwn(from, key)) continue;
      if (members.length >= this.#bounds.items || this.#values <= 0) {
        members.push(['…', 'more']);
        break;
      }
      const member: unknown = Reflect.get(from, key);
      if (member !== undefined) members.push([this.#clip(key), this.read(member, depth - 1)]);
    }
    return Object.fromEntries(members); // defined, so that a key __proto__ is an ordinary key
  }

  #list(list: Iterable<unknown>, length: number, depth: number): JsonValue {
    const elements: JsonValue[] = [];
    for (const element of list) {
      if (elements.length >= this.#bounds.items || this.#values <= 0) {
        elements.push(`… ${length - elements.length} more`);
        break;
      }
      elements.push(element === undefined ? null : this.read(element, depth - 1));
    }
    return elements;
  }

  #clip(text: string): string {
    const most = Math.min(this.#bounds.text, Math.max(0, this.#texts));
    this.#texts -= Math.min(text.length, most);
    return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more)`;
  }
}

function jsonOf(given: object): unknown {
  if (ArrayBuffer.isView(given)) return given; // a Buffer's toJSON copies every byte
  if ('toJSON' in given && typeof given.toJSON === 'function') return given.toJSON();
  if (given instanceof Error) return { name: given.name, message: given.message };
  return given;
}
