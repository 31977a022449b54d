// Makes arguments of what a model sent: text that holds JSON is decoded, the rest is copied. Called by parse-arguments.

import { describeValue } from './describe-value.ts';
import { jsonFault } from './json-fault.ts';
import { isRecord, referencedSchema, schemaEntries, schemaList, type SchemaNode, typesOf } from './schema-node.ts';

// Far more than any model sends; values that share parts could go on for ever.
const maxNodes = 5_000_000;

/** A record of arguments of its own, or what is wrong with what was sent. */
export type DecodedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly fault: string };

/**
 * Arguments as one record that shares nothing with what was sent. Nothing at all (undefined, null, white space) is an
 * empty record; text is decoded, twice if need be: models also send JSON inside of a JSON string.
 */
export function decodeArguments(sent: unknown): DecodedArguments {
  let value = sent;
  for (let round = 0; typeof value === 'string' && round < 2; round++) {
    const text: string = value;
    if (text.trim() === '') return { ok: true, args: {} };
    try {
      value = JSON.parse(text);
    } catch {
      if (round > 0) return notObject(text);
      return { ok: false, fault: `not valid JSON: ${jsonFault(text) ?? 'it cannot be read'}` };
    }
  }
  if (value === undefined || value === null) return { ok: true, args: {} };
  if (!isRecord(value)) return notObject(value);
  // A copy: neither a validator nor the tool can change the transcript through its arguments.
  return { ok: true, args: value === sent ? copyRecord(value) : value };
}

function notObject(value: unknown): DecodedArguments {
  return { ok: false, fault: `the arguments must be one JSON object, got ${describeValue(value)}` };
}

/**
 * The value with every string decoded that holds the JSON of an object or array where the schema wants one and no
 * string. The value itself when there is none.
 */
export function decodeNested(value: unknown, node: SchemaNode, root: SchemaNode): unknown {
  if (typeof node === 'boolean') return value;
  const reference = node['$ref'];
  if (typeof reference === 'string') {
    const target = referencedSchema(root, reference);
    if (target !== undefined && target !== node) return decodeNested(value, target, root);
  }
  if (typeof value === 'string') return decodeText(value, node, root);
  let decoded = value;
  if (Array.isArray(value) && isRecord(node['items'])) {
    const items = node['items'];
    const list: unknown[] = value.map((item: unknown) => decodeNested(item, items, root));
    if (list.some((item, index) => item !== value[index])) decoded = list;
  } else if (isRecord(value)) {
    decoded = decodeFields(value, node, root);
  }
  for (const choice of subSchemas(node)) decoded = decodeNested(decoded, choice, root);
  return decoded;
}

function decodeFields(
  value: { readonly [key: string]: unknown },
  node: { readonly [keyword: string]: unknown },
  root: SchemaNode,
): { readonly [key: string]: unknown } {
  let decoded: Record<string, unknown> | undefined;
  for (const [name, part] of schemaEntries(node['properties'])) {
    if (!Object.hasOwn(value, name)) continue;
    const field = decodeNested(value[name], part, root);
    if (field === value[name]) continue;
    decoded ??= copyRecord(value);
    setField(decoded, name, field);
  }
  return decoded ?? value;
}

function decodeText(text: string, node: { readonly [keyword: string]: unknown }, root: SchemaNode): unknown {
  const allowed = new Set(allowedTypes(node, root, 8));
  if (allowed.has('string') || !(allowed.has('object') || allowed.has('array'))) return text;
  try {
    const value: unknown = JSON.parse(text);
    const fits = (isRecord(value) && allowed.has('object')) || (Array.isArray(value) && allowed.has('array'));
    return fits ? decodeNested(value, node, root) : text;
  } catch {
    return text;
  }
}

function allowedTypes(node: SchemaNode, root: SchemaNode, depth: number): readonly string[] {
  if (typeof node === 'boolean' || depth === 0) return [];
  const own = typesOf(node['type']) ?? [];
  const reference = node['$ref'];
  const target = typeof reference === 'string' ? referencedSchema(root, reference) : undefined;
  const inner = target === undefined ? subSchemas(node) : [target, ...subSchemas(node)];
  return [...own, ...inner.flatMap((part) => allowedTypes(part, root, depth - 1))];
}

function subSchemas(node: { readonly [keyword: string]: unknown }): readonly SchemaNode[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => schemaList(node[keyword]) ?? []);
}

// Arrays and plain records are copied at every depth, anything else (no JSON) is kept as it is.
function copyValue(value: unknown, budget: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    spend(budget, value.length);
    return value.map((item) => copyValue(item, budget));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return isRecord(value) && (prototype === Object.prototype || prototype === null) ? copyRecord(value, budget) : value;
}

function copyRecord(record: { readonly [key: string]: unknown }, budget = { left: maxNodes }): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(record);
  spend(budget, keys.length);
  for (const key of keys) setField(copy, key, copyValue(record[key], budget));
  return copy;
}

function spend(budget: { left: number }, nodes: number): void {
  budget.left -= nodes + 1;
  if (budget.left < 0) throw new Error(`more than ${maxNodes} values`);
}

function setField(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') record[key] = value;
  // an assignment would set the prototype instead
  else Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}
