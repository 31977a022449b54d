// Tells whether OpenAI can enforce a JSON Schema while the model writes. Called by both encoders for tools and structured
// output.

import type { JsonValue } from '../../conversation/json.ts';
import { listAt, objectAt, objectOf, objectsAt, textAt, type JsonObject } from './json-fields.ts';

const maxDepth = 10;
const maxProperties = 5000;
const maxEnumValues = 1000;

const annotations = ['title', 'description', '$schema', '$id', '$comment'];
const keywordsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'minItems', 'maxItems']],
  ['string', ['pattern', 'format']],
  ['number', ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  ['integer', ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']],
  ['boolean', []],
  ['null', []],
]);
const stringFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/**
 * True if the schema can be sent with `strict: true` as it is: every object closed, all its properties required, and only
 * keywords that the server enforces. Nothing is rewritten, so the schema keeps its meaning.
 */
export function allowsStrict(schema: JsonValue): boolean {
  const root = objectOf(schema);
  if (root === undefined || root['type'] !== 'object' || root['anyOf'] !== undefined) return false;
  const counts = { properties: 0, enumValues: 0 };
  const definitions = [
    ...Object.values(objectAt(root, '$defs') ?? {}),
    ...Object.values(objectAt(root, 'definitions') ?? {}),
  ];
  return (
    isStrict(root, 1, counts, true) &&
    definitions.every((definition) => isStrict(objectOf(definition), 1, counts, false)) &&
    counts.properties <= maxProperties &&
    counts.enumValues <= maxEnumValues
  );
}

interface Counts {
  properties: number;
  enumValues: number;
}

function isStrict(schema: JsonObject | undefined, depth: number, counts: Counts, isRoot: boolean): boolean {
  if (schema === undefined || depth > maxDepth) return false;
  const reference = textAt(schema, '$ref');
  if (reference !== undefined) return reference.startsWith('#') && hasOnly(schema, ['$ref', ...annotations]);
  if (schema['anyOf'] !== undefined) {
    const choices = objectsAt(schema, 'anyOf');
    return (
      hasOnly(schema, ['anyOf', ...annotations]) &&
      choices.length > 0 &&
      choices.every((choice) => isStrict(choice, depth, counts, false))
    );
  }
  const types = typeof schema['type'] === 'string' ? [schema['type']] : listAt(schema, 'type').map(String);
  const values = listAt(schema, 'enum');
  counts.enumValues += values.length;
  if (types.length === 0) return false;
  const keywords = types.map((type) => keywordsOf.get(type));
  if (keywords.includes(undefined)) return false;
  const allowed = [
    'type',
    'enum',
    'const',
    ...annotations,
    ...(isRoot ? ['$defs', 'definitions'] : []),
    ...keywords.flatMap((list) => list ?? []),
  ];
  if (!hasOnly(schema, allowed)) return false;
  const format = textAt(schema, 'format');
  if (format !== undefined && !stringFormats.includes(format)) return false;
  if (types.includes('array') && !isStrict(objectAt(schema, 'items'), depth + 1, counts, false)) return false;
  return !types.includes('object') || isClosed(schema, depth, counts);
}

function isClosed(schema: JsonObject, depth: number, counts: Counts): boolean {
  const properties = Object.entries(objectAt(schema, 'properties') ?? {});
  const required = listAt(schema, 'required');
  counts.properties += properties.length;
  return (
    schema['additionalProperties'] === false &&
    properties.every(
      ([name, property]) => required.includes(name) && isStrict(objectOf(property), depth + 1, counts, false),
    )
  );
}

function hasOnly(schema: JsonObject, allowed: readonly string[]): boolean {
  return Object.keys(schema).every((key) => allowed.includes(key));
}
