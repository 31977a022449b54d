// Arguments of the baseline tools: the plain JSON Schema models see, and a reader that tolerates how models write
// values. Numbers and booleans sent as strings and null for "absent" are understood (nested JSON texts by
// parse-arguments).

import { scalarMeant } from '../sent-scalar.ts';
import type { StandardIssue, StandardJsonSchema, StandardResult } from '../standard-schema.ts';

/** The part of JSON Schema the baseline tools use. */
export type ArgumentSchema =
  | {
      readonly type: 'string';
      readonly description?: string;
      readonly minLength?: number;
      readonly enum?: readonly string[];
    }
  | { readonly type: 'integer'; readonly description?: string; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean'; readonly description?: string }
  | { readonly type: 'array'; readonly description?: string; readonly items: ArgumentSchema }
  | ObjectSchema;

/** An object with named fields. Fields that are not named are refused. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly description?: string;
  readonly properties: { readonly [name: string]: ArgumentSchema };
  readonly required?: readonly string[];
}

/** A schema for `defineTool` whose checked value is taken to be `Args`: keep the two in step. */
export function lenientArguments<Args>(schema: ObjectSchema): StandardJsonSchema<Args, Args> {
  return {
    '~standard': {
      version: 1,
      vendor: 'turnchart',
      validate: (value): StandardResult<Args> => {
        const issues: StandardIssue[] = [];
        const read = readValue(schema, value, [], issues);
        // A parse boundary: the value was just checked against the schema of `Args`.
        return issues.length > 0 ? { issues } : { value: read as Args };
      },
      jsonSchema: { input: () => closed(schema) },
    },
  };
}

// The schema as models get it: objects say that no other fields are allowed.
function closed(schema: ArgumentSchema): Record<string, unknown> {
  if (schema.type === 'array') return { ...schema, items: closed(schema.items) };
  if (schema.type !== 'object') return { ...schema };
  const properties = Object.entries(schema.properties).map(([name, field]) => [name, closed(field)]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}

type Path = readonly (string | number)[];

function readValue(schema: ArgumentSchema, value: unknown, path: Path, issues: StandardIssue[]): unknown {
  const refuse = (message: string): undefined => void issues.push({ message, path });
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string') return refuse(`expected a string, got ${kindOf(value)}`);
      if (schema.enum && !schema.enum.includes(value)) {
        return refuse(`expected one of ${schema.enum.join(', ')}, got ${JSON.stringify(value.slice(0, 60))}`);
      }
      if (value.length < (schema.minLength ?? 0)) return refuse('must not be empty');
      return value;
    case 'integer':
      return readInteger(schema, value, refuse);
    case 'boolean': {
      const meant = scalarMeant('boolean', value);
      return typeof meant === 'boolean' ? meant : refuse(`expected true or false, got ${kindOf(value)}`);
    }
    case 'array': {
      if (!Array.isArray(value)) return refuse(`expected an array, got ${kindOf(value)}`);
      return value.map((item: unknown, index) => readValue(schema.items, item, [...path, index], issues));
    }
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return refuse(`expected an object, got ${kindOf(value)}`);
      }
      return readFields(schema, value, path, issues);
    }
  }
}

function readFields(
  schema: ObjectSchema,
  fields: object,
  path: Path,
  issues: StandardIssue[],
): Record<string, unknown> {
  const names = Object.keys(schema.properties);
  for (const name of Object.keys(fields)) {
    if (names.includes(name)) continue;
    issues.push({ message: `unknown argument; there are only ${names.join(', ')}`, path: [...path, name] });
  }
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const value: unknown = Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined;
    if (value !== undefined && value !== null) read[name] = readValue(field, value, [...path, name], issues);
    else if (schema.required?.includes(name)) issues.push({ message: 'is required', path: [...path, name] });
  }
  return read;
}

function readInteger(
  schema: { readonly minimum?: number; readonly maximum?: number },
  value: unknown,
  refuse: (message: string) => undefined,
): number | undefined {
  const number = scalarMeant('integer', value);
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    return refuse(`expected a whole number, got ${typeof value === 'number' ? value : kindOf(value)}`);
  }
  if (number < (schema.minimum ?? -Infinity)) return refuse(`expected at least ${schema.minimum}, got ${number}`);
  if (number > (schema.maximum ?? Infinity)) return refuse(`expected at most ${schema.maximum}, got ${number}`);
  return number;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'object' ? 'an object' : typeof value === 'undefined' ? 'nothing' : `a ${typeof value}`;
}
