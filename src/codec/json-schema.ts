// Raw JSON Schema with a hand-written argument type and a full check by zod. The entry `turnchart/json-schema`.

import { z } from 'zod';
import { atOnce } from '../contracts/at-once.ts';
import { reasonOf, TurnchartError } from '../contracts/errors.ts';
import type { JsonValue } from '../conversation/json.ts';
import { checkableSchema } from './checkable-schema.ts';

/** How `jsonSchema` checks. */
export interface JsonSchemaOptions {
  /**
   * Replaces the built-in check: returns what is wrong with the value, or undefined. For keywords the built-in check
   * does not know, or to use your own validator. The published schema does not change.
   */
  readonly validate?: (value: unknown) => string | undefined;
}

/** One fault of a value; `path` leads from the value to it. */
export interface JsonSchemaIssue {
  readonly message: string;
  readonly path?: readonly PropertyKey[];
}

/** A Standard Schema that carries its JSON Schema and whose output is `Args`. Pass it as `parameters` of a tool. */
export interface JsonSchema<Args> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'turnchart';
    readonly types?: { readonly input: Args; readonly output: Args };
    readonly validate: (
      value: unknown,
    ) => { readonly value: Args; readonly issues?: undefined } | { readonly issues: readonly JsonSchemaIssue[] };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

/**
 * Gives a JSON Schema the type `Args`. Nothing compares the two: keep them in step. Local references are followed and a
 * `default` fills its field when it is missing. Throws `tool.invalid` naming the first keyword that cannot be checked
 * in full, unless `validate` is given.
 */
export function jsonSchema<Args = unknown>(
  schema: { readonly [key: string]: JsonValue },
  options: JsonSchemaOptions = {},
): JsonSchema<Args> {
  const published = (): Record<string, unknown> => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'turnchart',
      validate: options.validate === undefined ? fullCheck<Args>(schema) : ownCheck<Args>(options.validate),
      jsonSchema: { input: published, output: published },
    },
  };
}

type Check<Args> = JsonSchema<Args>['~standard']['validate'];

function fullCheck<Args>(schema: { readonly [key: string]: JsonValue }): Check<Args> {
  const checked = toZod(schema);
  return (value) => {
    const result = checked.safeParse(value);
    if (result.success) return { value: result.data as Args }; // the caller wrote the type for this schema
    return { issues: result.error.issues.map(({ message, path }) => ({ message, path })) };
  };
}

function ownCheck<Args>(validate: (value: unknown) => string | undefined): Check<Args> {
  return (value) => {
    const message = atOnce(validate(value), 'The "validate" of jsonSchema()');
    return message === undefined ? { value: value as Args } : { issues: [{ message }] }; // the caller wrote type and check
  };
}

function toZod(schema: { readonly [key: string]: JsonValue }): z.ZodType {
  try {
    // A separate registry: ids of different schemas must not collide in zod's global one.
    return z.fromJSONSchema(checkableSchema(schema), { registry: z.registry() });
  } catch (cause) {
    throw new TurnchartError(
      'tool.invalid',
      `This JSON Schema cannot be checked in full: ${reasonOf(cause)}. Change it, or give jsonSchema a validate function.`,
      { cause },
    );
  }
}
