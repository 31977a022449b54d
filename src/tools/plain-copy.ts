// Copies of arbitrary values that JSON can express, for tool results that are more than plain data. Called by
// json-text.

import { boundedText } from './bounded-text.ts';
import { errorMessage, isErrorObject } from './error-message.ts';

// A node is at least two bytes of JSON, so values above these limits are longer than any result and shown in part.
const maxPlainNodes = 1_000_000;
const maxCopiedNodes = 550_000;
const maxDepth = 200;
const maxStringBytes = 1_048_576;

/**
 * True when `JSON.stringify` shows all of the value: objects without a class, arrays, strings, numbers, booleans, null.
 * False also for very large values. Overflows the stack on cycles: the caller catches.
 */
export function isPlainData(value: unknown): boolean {
  return nodesLeft(value, maxPlainNodes) > 0;
}

/** True for arrays and for objects without a class. May throw on hostile proxies. */
export function isOrdinaryObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

// Counts down for each node; 0 or less: not plain or too large.
function nodesLeft(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' || typeof value === 'function' ? 0 : left - 1;
  }
  if (Array.isArray(value)) {
    if (value.length >= left) return 0;
    for (let index = 0; index < value.length; index++) {
      left = nodesLeft(value[index], left);
      if (left <= 0) return 0;
    }
    return left - 1;
  }
  if (!isOrdinaryObject(value)) return 0;
  for (const key in value) {
    left = nodesLeft((value as Record<string, unknown>)[key], left); // a plain object is a record of unknown values
    if (left <= 0) return 0;
  }
  return left - 1;
}

interface CopyState {
  readonly ancestors: Set<object>;
  left: number;
}

/** A copy of the value made of JSON data only; undefined if JSON would leave the value out. Never throws. */
export function plainCopy(value: unknown): unknown {
  return copy(value, { ancestors: new Set(), left: maxCopiedNodes });
}

function copy(value: unknown, state: CopyState): unknown {
  state.left--;
  if (typeof value === 'string') return boundedText(value, maxStringBytes);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (state.left < 0) return '(left out: the value is too large)';
  if (state.ancestors.has(value)) return '(circular)';
  if (state.ancestors.size >= maxDepth) return '(left out: nested too deeply)';
  state.ancestors.add(value);
  try {
    return copyObject(value, state);
  } catch (thrown) {
    return unreadable(thrown);
  } finally {
    state.ancestors.delete(value);
  }
}

function copyObject(value: object, state: CopyState): unknown {
  const described = describedObject(value);
  if (described !== undefined) return described;
  const toJson: unknown = Reflect.get(value, 'toJSON');
  if (typeof toJson === 'function') {
    const json: unknown = Reflect.apply(toJson, value, ['']);
    return json === value ? copyFields(value, state) : copy(json, state);
  }
  if (isErrorObject(value)) return { name: String(value.name), message: errorMessage(value) ?? '' };
  if (value instanceof Map) {
    const hasNames = [...value.keys()].every((key) => typeof key === 'string');
    return hasNames ? copyEntries(value, state) : copyList(value, value.size, state);
  }
  if (value instanceof Set) return copyList(value, value.size, state);
  if (Array.isArray(value)) return copyList(value, value.length, state);
  return /^(?:Number|String|Boolean|BigInt)$/.test(tagOf(value))
    ? copy(value.valueOf(), state)
    : copyFields(value, state);
}

/** The text that replaces the contents of binary data, promises and the like; undefined for everything else. */
export function describedObject(value: object): string | undefined {
  const tag = tagOf(value);
  if (ArrayBuffer.isView(value) || tag.endsWith('ArrayBuffer'))
    return `(${tag}, ${String(Reflect.get(value, 'byteLength'))} bytes)`;
  if (typeof Blob !== 'undefined' && value instanceof Blob) {
    return `(${tag}${value.type === '' ? '' : ` of type ${value.type}`}, ${value.size} bytes)`;
  }
  if (tag === 'RegExp') return String(value);
  return /^(?:Promise|Weak.*)$/.test(tag) ? `(${tag})` : undefined;
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function copyList(values: Iterable<unknown>, length: number, state: CopyState): unknown[] {
  const list: unknown[] = [];
  for (const value of values) {
    if (state.left <= 0) {
      list.push(`(${length - list.length} more left out)`);
      break;
    }
    list.push(copy(value, state) ?? null);
  }
  return list;
}

function copyFields(value: object, state: CopyState): unknown {
  return copyEntries(
    Object.keys(value).map((key) => [key, safeGet(value, key)]),
    state,
  );
}

function copyEntries(entries: Iterable<readonly [string, unknown]>, state: CopyState): unknown {
  const fields: [string, unknown][] = [];
  for (const [key, value] of entries) {
    if (state.left <= 0) {
      fields.push(['…', '(more left out)']);
      break;
    }
    fields.push([key, copy(value, state)]);
  }
  return Object.fromEntries(fields); // a key named __proto__ stays a key
}

function unreadable(thrown: unknown): string {
  return `(unreadable: ${errorMessage(thrown) ?? 'no reason given'})`;
}

function safeGet(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch (thrown) {
    return unreadable(thrown);
  }
}
