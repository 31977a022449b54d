// Merges the app's own fields into what the encoder made. Called by the encoders.

import { recordOf, type JsonRecord } from '../../adapters/json-reading.ts';
import type { JsonValue } from '../../conversation/json.ts';

/**
 * The record overridden by `more`: objects are merged, everything else is replaced. A `more` that is not an object
 * changes nothing.
 */
export function mergeOver(record: JsonRecord, more: JsonValue | undefined): JsonRecord {
  const above = recordOf(more);
  if (above === undefined) return record;
  const merged: { [key: string]: JsonValue | undefined } = { ...record };
  for (const [key, value] of Object.entries(above)) {
    const below = recordOf(merged[key]);
    // A record without absent fields is JSON.
    merged[key] = below !== undefined && recordOf(value) !== undefined ? (mergeOver(below, value) as JsonValue) : value;
  }
  return merged;
}

/** `{ [key]: value }`, or nothing where the value is undefined. For spreading. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  // The computed key widens to string: the object has at most this one key.
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
