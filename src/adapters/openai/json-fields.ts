// Reads fields of parsed JSON of unknown shape. Used by the encoders and decoders of both APIs.

import type { JsonValue } from '../../conversation/json.ts';

export { numberAt, textAt } from '../json-reading.ts';

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** The value as an object; undefined for anything else, lists and null included. */
export function objectOf(value: unknown): JsonObject | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as JsonObject; // parsed JSON, and neither a list nor null
}

/** The object at `key`. */
export function objectAt(holder: JsonObject | undefined, key: string): JsonObject | undefined {
  return objectOf(holder?.[key]);
}

/** The list at `key`; empty for anything else. */
export function listAt(holder: JsonObject | undefined, key: string): readonly JsonValue[] {
  const value = holder?.[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : []; // `isArray` forgets the element type
}

/** The objects in the list at `key`. */
export function objectsAt(holder: JsonObject | undefined, key: string): readonly JsonObject[] {
  return listAt(holder, key)
    .map(objectOf)
    .filter((value) => value !== undefined);
}

/** A copy without the given fields. */
export function without(holder: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !keys.includes(key)));
}

/** `{ [key]: value }`, or `{}` if the value is undefined. For spreading. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  // The computed key widens to string: the object has at most this one key.
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
