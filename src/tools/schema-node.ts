// JSON Schema as data: its parts and its references. Called by the argument checks, and by whatever looks into records.

/** An object that is not an array. */
export type SchemaRecord = { readonly [keyword: string]: unknown };

/** A JSON Schema or a part of one. Parts that are not schemas count as `true`: anything is allowed. */
export type SchemaNode = boolean | SchemaRecord;

/** True for objects that are not arrays. */
export function isRecord(value: unknown): value is SchemaRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The own property of an object or array; undefined for any other value. */
export function ownValue(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/**
 * The schema that a local `$ref` (`#`, `#/$defs/name`, …) points to; undefined for others, and if it points to itself.
 */
export function targetOf(node: SchemaRecord, root: SchemaNode): SchemaNode | undefined {
  const reference = node['$ref'];
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  let target: unknown = root;
  for (const part of reference.split('/').slice(1)) target = ownValue(target, decodePointer(part));
  if (typeof target === 'boolean') return target;
  return isRecord(target) && target['$ref'] !== reference ? target : undefined;
}

function decodePointer(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing is a plain character
  }
}
