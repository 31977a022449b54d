// JSON Schema as data: its parts and its references. Called by the argument checks, and by whatever looks into records.

/** An object that is no array. */
export type SchemaRecord = { readonly [keyword: string]: unknown };

/** A JSON Schema or a part of one. Parts that are no schema read as `true` (anything goes). */
export type SchemaNode = boolean | SchemaRecord;

/** True for objects that are no array. */
export function isRecord(value: unknown): value is SchemaRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object or array itself has under a key; undefined for anything that is neither. */
export function ownValue(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** The schema that a local `$ref` (`#`, `#/$defs/name`, …) points to; undefined for any other, and for one to itself. */
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
    return text; // a percent sign that encodes nothing stands for itself
  }
}
