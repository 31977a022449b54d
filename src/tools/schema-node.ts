// Reading JSON Schema as data: references, allowed types, and one-line descriptions for the model. Called by the argument checks.

import { shortText } from './bounded-text.ts';

/** An object that is no array. */
export type SchemaRecord = { readonly [keyword: string]: unknown };

/** A JSON Schema or a part of one. Parts that are no schema read as `true` (anything goes). */
export type SchemaNode = boolean | SchemaRecord;

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;

/** The seven type names of JSON Schema. */
export type JsonType = (typeof jsonTypes)[number];

/** True for objects that are no array. */
export function isRecord(value: unknown): value is SchemaRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object or array itself has under a key; undefined for anything that is neither. */
export function ownValue(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** The value as a schema; anything that is none allows everything. */
export function schemaNode(value: unknown): SchemaNode {
  return typeof value === 'boolean' || isRecord(value) ? value : true;
}

/** The schemas in a list keyword such as `anyOf`; none when the keyword is absent or no list. */
export function schemaList(value: unknown): readonly SchemaNode[] {
  return Array.isArray(value) ? value.map(schemaNode) : [];
}

/** The type names of a `type` keyword; undefined when it allows every type. */
export function typesOf(keyword: unknown): readonly JsonType[] | undefined {
  const list: readonly unknown[] = [keyword].flat();
  const types = jsonTypes.filter((type) => list.includes(type));
  return types.length === 0 ? undefined : types;
}

/** The values of `const` or `enum`; undefined when every value is allowed. */
export function allowedValues(node: SchemaRecord): readonly unknown[] | undefined {
  if ('const' in node) return [node['const']];
  return Array.isArray(node['enum']) ? node['enum'] : undefined;
}

/** The names of the fields that must be there. */
export function requiredOf(node: SchemaRecord): readonly string[] {
  const names: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
  return names.filter((name) => typeof name === 'string');
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

/** One line in the manner of TypeScript: `{ file_path: string, limit?: integer }`. At most 600 characters. */
export function describeSchema(node: SchemaNode, root: SchemaNode): string {
  return shortText(describe(node, root, 3), 600);
}

function describe(node: SchemaNode, root: SchemaNode, depth: number): string {
  if (typeof node === 'boolean') return node ? 'any' : 'nothing';
  if ('$ref' in node) return describe((depth > 0 ? targetOf(node, root) : undefined) ?? true, root, depth - 1);
  const values = allowedValues(node);
  if (values !== undefined) return oneOf(values.map((value) => JSON.stringify(value) ?? 'any'));
  const choices = [node['anyOf'], node['oneOf']].map(schemaList).find((list) => list.length > 0);
  if (choices !== undefined) return oneOf(choices.map((choice) => describe(choice, root, depth - 1)));
  const types = typesOf(node['type']);
  return types === undefined ? 'any' : oneOf(types.map((type) => describeType(type, node, root, depth)));
}

function describeType(type: JsonType, node: SchemaRecord, root: SchemaNode, depth: number): string {
  if (type === 'array') {
    const item = depth > 0 ? describe(schemaNode(node['items']), root, depth - 1) : 'any';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (type !== 'object' || depth <= 0) return type;
  const required = requiredOf(node);
  const fields = Object.entries(node['properties'] ?? {}).map(
    ([name, part]) => `${name}${required.includes(name) ? '' : '?'}: ${describe(schemaNode(part), root, depth - 1)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function oneOf(parts: readonly string[]): string {
  const distinct = [...new Set(parts)];
  return `${distinct.slice(0, 12).join(' | ')}${distinct.length > 12 ? ' | …' : ''}`;
}
