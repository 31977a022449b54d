// Converts a JSON Schema to the subset that Anthropic can enforce while the model writes. Called by the request encoder for
// strict tools and structured output.

import type { JsonValue } from '../../conversation/json.ts';
import { listOf, recordOf, textAt, type JsonRecord } from '../json-reading.ts';

type Schema = { readonly [key: string]: JsonValue };

const stringFormats: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const annotations: readonly string[] = ['title', 'description', 'default', 'examples'];
// Constraints that only narrow a value: the model reads them in the description, and they are checked when the call arrives.
const narrowing: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'contentEncoding',
  'contentMediaType',
]);
const kept: ReadonlySet<string> = new Set([
  ...annotations,
  '$schema',
  '$id',
  '$comment',
  '$defs',
  '$ref',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
]);

/** The schema with objects closed and narrowing keywords moved into the description. Undefined if Anthropic cannot enforce it: open maps, recursion, conditions, untyped values. */
export function strictSchema(schema: JsonValue): Schema | undefined {
  const root = recordOf(schema);
  if (root === undefined || isRecursive(root)) return undefined;
  return convert(root, true);
}

function convert(schema: JsonRecord, isRoot: boolean): Schema | undefined {
  for (const key of Object.keys(schema)) if (!kept.has(key) && !narrowing.has(key)) return undefined;
  const strict: { [key: string]: JsonValue } = {};
  for (const key of annotations) if (schema[key] !== undefined) strict[key] = schema[key];

  const definitions = recordOf(schema['$defs']);
  if (definitions !== undefined) {
    const converted = convertEach(definitions);
    if (converted === undefined) return undefined;
    strict['$defs'] = converted;
  }
  const reference = schema['$ref'];
  if (reference !== undefined) {
    if (typeof reference !== 'string' || !reference.startsWith('#/$defs/')) return undefined;
    return { ...strict, $ref: reference };
  }
  const literals = schema['const'] !== undefined ? [schema['const']] : listOf(schema['enum']);
  if (literals !== undefined) {
    if (!literals.every((literal) => literal === null || typeof literal !== 'object')) return undefined;
    return { ...strict, ...(schema['const'] !== undefined ? { const: schema['const'] } : { enum: literals }) };
  }
  const choices = listOf(schema['anyOf']) ?? listOf(schema['oneOf']);
  const parts = listOf(schema['allOf']);
  if (choices !== undefined || parts !== undefined) {
    if (schema['properties'] !== undefined || (choices !== undefined && parts !== undefined)) return undefined;
    const converted = convertList(choices ?? parts ?? []);
    return converted === undefined ? undefined : { ...strict, [choices === undefined ? 'allOf' : 'anyOf']: converted };
  }
  return convertTyped(schema, strict, isRoot);
}

function convertTyped(schema: JsonRecord, strict: { [key: string]: JsonValue }, isRoot: boolean): Schema | undefined {
  const type = schema['type'];
  if (typeof type !== 'string' && listOf(type) === undefined) return undefined;
  strict['type'] = type as JsonValue; // checked above: a string or a list
  const types = typeof type === 'string' ? [type] : (listOf(type) ?? []);
  if (types.includes('object')) {
    const properties = recordOf(schema['properties']);
    const extra = schema['additionalProperties'];
    if (extra !== undefined && extra !== false) return undefined;
    if (properties === undefined && extra === undefined && !isRoot) return undefined; // any object at all
    const converted = convertEach(properties ?? {});
    if (converted === undefined) return undefined;
    strict['properties'] = converted;
    strict['additionalProperties'] = false;
    if (schema['required'] !== undefined) strict['required'] = schema['required'];
  }
  if (types.includes('array')) {
    const items = recordOf(schema['items']);
    const converted = items === undefined ? undefined : convert(items, false);
    if (converted === undefined) return undefined;
    strict['items'] = converted;
  }
  const inWords: string[] = [];
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    if (!narrowing.has(key) || value === undefined) continue;
    const isEnforced =
      (key === 'format' && typeof value === 'string' && stringFormats.has(value)) ||
      (key === 'minItems' && (value === 0 || value === 1));
    if (isEnforced) strict[key] = value;
    else inWords.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (inWords.length > 0) {
    const said = textAt(schema, 'description');
    strict['description'] = `${said === undefined ? '' : `${said} `}(${inWords.join(', ')})`;
  }
  return strict;
}

function convertEach(schemas: JsonRecord): Schema | undefined {
  const converted: { [key: string]: JsonValue } = {};
  for (const name of Object.keys(schemas)) {
    const schema = recordOf(schemas[name]);
    const strict = schema === undefined ? undefined : convert(schema, false);
    if (strict === undefined) return undefined;
    converted[name] = strict;
  }
  return converted;
}

function convertList(schemas: readonly JsonValue[]): readonly Schema[] | undefined {
  const converted: Schema[] = [];
  for (const schema of schemas) {
    const record = recordOf(schema);
    const strict = record === undefined ? undefined : convert(record, false);
    if (strict === undefined) return undefined;
    converted.push(strict);
  }
  return converted;
}

/** True if a definition reaches itself. */
function isRecursive(root: JsonRecord): boolean {
  const definitions = recordOf(root['$defs']) ?? {};
  const reaches = (value: JsonValue | undefined, path: readonly string[]): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const list = listOf(value);
    if (list !== undefined) return list.some((item) => reaches(item, path));
    const record = recordOf(value) ?? {};
    const reference = textAt(record, '$ref');
    if (reference === '#') return true;
    const name = reference?.startsWith('#/$defs/') === true ? reference.slice('#/$defs/'.length) : undefined;
    if (name !== undefined && (path.includes(name) || reaches(definitions[name], [...path, name]))) return true;
    return Object.keys(record).some((key) => key !== '$defs' && reaches(record[key], path));
  };
  return reaches(root as JsonValue, []) || Object.keys(definitions).some((name) => reaches(definitions[name], [name])); // parsed JSON
}
