// Reads fields of unchecked JSON. Used by the decoders, which must survive any server's answer.

import type { JsonValue } from '../conversation/json.ts';

/** An object of parsed JSON, any field of which may be absent. */
export type JsonRecord = { readonly [key: string]: JsonValue | undefined };

/** The value if it is an object (not an array, not null). */
export function recordOf(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined; // parsed JSON
}

/** The value if it is an array. */
export function listOf(value: unknown): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value if it is a string. */
export function textAt(record: JsonRecord | undefined, key: string): string | undefined {
  const value = record?.[key];
  return typeof value === 'string' ? value : undefined;
}

/** The value if it is a finite number. */
export function numberAt(record: JsonRecord | undefined, key: string): number | undefined {
  const value = record?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A copy without the given keys and without null or absent fields; undefined if nothing is left. */
export function restOf(
  record: JsonRecord,
  known: ReadonlySet<string>,
): { readonly [key: string]: JsonValue } | undefined {
  let rest: { [key: string]: JsonValue } | undefined;
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (known.has(key) || value === null || value === undefined) continue;
    rest ??= {};
    rest[key] = value;
  }
  return rest;
}
