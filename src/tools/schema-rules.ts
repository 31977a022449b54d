// The rules in one part of a JSON Schema, read once. Called by structural-check and describe-schema.

import { oncePer } from '../conversation/once-per.ts';
import { isRecord, ownValue, type SchemaNode, type SchemaRecord } from './schema-node.ts';

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;

/** The seven type names of JSON Schema. */
export type JsonType = (typeof jsonTypes)[number];

/** The rules of a schema that is not a boolean. Missing or malformed keywords allow everything. */
export interface Rules {
  /** The values of `const` or `enum`. */
  readonly allowed: readonly unknown[] | undefined;
  readonly types: readonly JsonType[] | undefined;
  /** Those of `properties`, followed by required ones that are not listed there. */
  readonly fields: readonly { readonly name: string; readonly part: SchemaNode; readonly isRequired: boolean }[];
  readonly known: ReadonlySet<unknown>;
  readonly additional: SchemaNode;
  readonly patterns: readonly RegExp[];
  readonly prefix: readonly SchemaNode[];
  readonly items: SchemaNode;
  readonly all: readonly SchemaNode[];
  /** `anyOf` and `oneOf`, if present. */
  readonly choices: readonly (readonly SchemaNode[])[];
}

/** The rules of a part; always the same object. */
export const rulesOf = /* @__PURE__ */ oncePer((node: SchemaRecord): Rules => {
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : [];
  const names = required.filter((name) => typeof name === 'string');
  const known = new Set([...Object.keys(properties), ...names]);
  const additional = schemaOf(node['additionalProperties']);
  // If all other fields are allowed, patterns do not matter.
  const patterns = additional === true ? [] : Object.keys(node['patternProperties'] ?? {});
  return {
    allowed: 'const' in node ? [node['const']] : Array.isArray(node['enum']) ? node['enum'] : undefined,
    types: typesOf(node['type']),
    fields: [...known].map((name) => ({
      name,
      part: schemaOf(ownValue(properties, name)),
      isRequired: names.includes(name),
    })),
    known,
    additional,
    patterns: patterns.map(patternOf),
    prefix: schemasOf(node['prefixItems']),
    items: schemaOf(node['items']),
    all: schemasOf(node['allOf']),
    choices: [node['anyOf'], node['oneOf']].map(schemasOf).filter((list) => list.length > 0),
  };
});

function schemaOf(value: unknown): SchemaNode {
  return typeof value === 'boolean' || isRecord(value) ? value : true;
}

function schemasOf(value: unknown): readonly SchemaNode[] {
  return Array.isArray(value) ? value.map(schemaOf) : [];
}

function typesOf(keyword: unknown): readonly JsonType[] | undefined {
  const list: readonly unknown[] = [keyword].flat();
  const types = jsonTypes.filter((type) => list.includes(type));
  return types.length === 0 ? undefined : types;
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return /^/; // a pattern of another dialect: it may match any name
  }
}
