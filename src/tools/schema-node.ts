// Reading JSON Schema as data: references, allowed types, and one-line descriptions for the model. Called by the argument checks.

import { shortText } from './bounded-text.ts';

/** A JSON Schema or a part of one. Parts that are no schema read as `true` (anything goes). */
export type SchemaNode = boolean | { readonly [keyword: string]: unknown };

/** The seven type names of JSON Schema. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array';

const jsonTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** True for objects that are no array. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a schema; anything that is none allows everything. */
export function schemaNode(value: unknown): SchemaNode {
  return typeof value === 'boolean' || isRecord(value) ? value : true;
}

/** The schemas in a list keyword such as `anyOf`; undefined when the keyword is absent or no list. */
export function schemaList(value: unknown): readonly SchemaNode[] | undefined {
  return Array.isArray(value) ? value.map(schemaNode) : undefined;
}

/** The names and schemas in a map keyword such as `properties`. */
export function schemaEntries(value: unknown): readonly (readonly [string, SchemaNode])[] {
  return isRecord(value) ? Object.entries(value).map(([name, part]) => [name, schemaNode(part)] as const) : [];
}

/** The type names of a `type` keyword; undefined when it allows every type. */
export function typesOf(keyword: unknown): readonly JsonType[] | undefined {
  const list: readonly unknown[] = Array.isArray(keyword) ? keyword : [keyword];
  const types = list.filter((type): type is JsonType => jsonTypes.has(type));
  return types.length === 0 ? undefined : types;
}

/** The schema a local reference (`#`, `#/$defs/name`, …) points to; undefined for any other reference. */
export function referencedSchema(root: SchemaNode, reference: string): SchemaNode | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let node: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = decodePointer(part);
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = Reflect.get(node, key);
  }
  return typeof node === 'boolean' || isRecord(node) ? node : undefined;
}

function decodePointer(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing stands for itself
  }
}

/** `"a string"`, `"a number or null"`: the allowed types of a value, with their articles. */
export function typePhrase(types: readonly JsonType[]): string {
  return types.map((type) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`)).join(' or ');
}

/** One line in the manner of TypeScript: `{ file_path: string, limit?: integer }`. At most 600 characters. */
export function describeSchema(node: SchemaNode, root: SchemaNode): string {
  return shortText(describe(node, root, 3), 600);
}

function describe(node: SchemaNode, root: SchemaNode, depth: number): string {
  if (typeof node === 'boolean') return node ? 'any' : 'nothing';
  const reference = node['$ref'];
  if (typeof reference === 'string') {
    const target = depth > 0 ? referencedSchema(root, reference) : undefined;
    return target === undefined ? 'any' : describe(target, root, depth - 1);
  }
  if ('const' in node) return JSON.stringify(node['const']) ?? 'any';
  const values = node['enum'];
  if (Array.isArray(values)) return oneOf(values.map((value: unknown) => JSON.stringify(value) ?? 'any'));
  const choices = schemaList(node['anyOf']) ?? schemaList(node['oneOf']);
  if (choices !== undefined) return oneOf(choices.map((choice) => describe(choice, root, depth - 1)));
  const types = typesOf(node['type']);
  if (types === undefined) return 'any';
  return oneOf(types.map((type) => describeType(type, node, root, depth)));
}

function describeType(
  type: JsonType,
  node: { readonly [keyword: string]: unknown },
  root: SchemaNode,
  depth: number,
): string {
  if (type === 'array') {
    const item = isRecord(node['items']) && depth > 0 ? describe(node['items'], root, depth - 1) : 'any';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (type !== 'object') return type;
  const entries = schemaEntries(node['properties']);
  if (entries.length === 0 || depth <= 0) return depth <= 0 ? 'object' : '{}';
  const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
  const fields = entries.map(
    ([name, part]) => `${name}${required.includes(name) ? '' : '?'}: ${describe(part, root, depth - 1)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function oneOf(parts: readonly string[]): string {
  const distinct = [...new Set(parts)];
  return distinct.length > 12 ? `${distinct.slice(0, 12).join(' | ')} | …` : distinct.join(' | ');
}
