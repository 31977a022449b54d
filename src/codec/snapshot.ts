// Copies a value that claims to be JSON into one that certainly is. Called by the conversation codec in both
// directions.

import { messageOf } from '../contracts/errors.ts';
import type { JsonValue } from '../conversation/json.ts';
import { kindOf } from './json-path.ts';

/** How deep a value may be nested. A bound only for objects that make up new levels whenever they are read. */
const deepest = 100_000;

/** A copy that shares nothing with the original, or why the original is not JSON, and where. */
export type Snapshot =
  | { readonly value: JsonValue }
  | { readonly fault: string; readonly path: readonly PropertyKey[] };

/** One object or array on the way from the root to where the copying is. */
interface Level {
  readonly source: object;
  readonly keys: readonly string[];
  readonly copy: JsonValue[] | { [key: string]: JsonValue };
  next: number;
}

/**
 * Copies plain objects and arrays of null, booleans, strings and finite numbers (also -0), reading each field once.
 * Fields of objects that are undefined are left out. Anything else is a fault: undefined in an array, NaN, Infinity, BigInt, symbols, functions, instances of classes, holes, named
 * fields of arrays, cycles, fields that throw when they are read, more than 100,000 levels. Never throws. Objects that
 * occur twice in the original are copied once. Does not recurse.
 */
export function snapshotJson(root: unknown): Snapshot {
  const levels: Level[] = [];
  try {
    const value = copyAll(root, levels);
    return { value };
  } catch (thrown) {
    const path = levels.map(({ source, keys, next }) => (Array.isArray(source) ? next : (keys[next] ?? '')));
    const reason = thrown instanceof NotJson ? thrown.message : `cannot be read (${messageOf(thrown)})`;
    return { fault: reason, path };
  }
}

/** Carries a fault out of the copying; never leaves this file. */
class NotJson extends Error {}

// Leaves `levels` as they are when it throws: they are the path of the fault.
function copyAll(root: unknown, levels: Level[]): JsonValue {
  const copies = new Map<object, Level>();
  const open = new Set<object>();
  const copyOf = (value: unknown): JsonValue => {
    if (typeof value !== 'object' || value === null) return scalar(value);
    if (open.has(value)) throw new NotJson('refers back to a value that contains it');
    const known = copies.get(value);
    if (known) return known.copy;
    if (levels.length >= deepest) throw new NotJson(`is nested deeper than ${deepest} levels`);
    const level: Level = { source: value, keys: keysOf(value), copy: Array.isArray(value) ? [] : {}, next: 0 };
    levels.push(level);
    copies.set(value, level);
    open.add(value);
    return level.copy;
  };
  const whole = copyOf(root);
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const key = level.keys[level.next];
    if (key === undefined) {
      open.delete(level.source);
      levels.pop();
      const parent = levels.at(-1);
      if (parent) parent.next++;
      continue;
    }
    const depth = levels.length;
    const given: unknown = Reflect.get(level.source, key);
    if (given === undefined && !Array.isArray(level.copy)) {
      level.next++;
      continue;
    }
    const child = copyOf(given);
    if (Array.isArray(level.copy)) level.copy.push(child);
    else if (key !== '__proto__') level.copy[key] = child;
    else Object.defineProperty(level.copy, key, { value: child, enumerable: true, configurable: true, writable: true });
    if (levels.length === depth) level.next++;
  }
  return whole;
}

function scalar(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value !== 'number')
    throw new NotJson(`expected a JSON value, got ${value === undefined ? 'undefined' : kindOf(value)}`);
  if (!Number.isFinite(value)) throw new NotJson(`expected a finite number, got ${value}`);
  return value;
}

function keysOf(value: object): readonly string[] {
  const isArray = Array.isArray(value);
  // First: the keys of a buffer would be millions.
  const prototype: unknown = isArray ? null : Object.getPrototypeOf(value);
  // Object.prototype of another realm (iframe, vm) is plain too: recognised by having no prototype itself.
  if (typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const made: unknown = Reflect.get(prototype, 'constructor');
    throw new NotJson(
      `expected a plain object, got an instance of ${typeof made === 'function' ? made.name : 'a class'}`,
    );
  }
  if (Object.getOwnPropertySymbols(value).length > 0) throw new NotJson('has symbols as keys');
  const keys = Object.keys(value);
  if (isArray && keys.length !== value.length) throw new NotJson('is an array with holes or named fields');
  return keys;
}
