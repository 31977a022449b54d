// The two small interfaces of Standard Schema that tools need (standardschema.dev), and the types of arguments.
// Read by define-tool and parse-arguments; written out here so that the root entry depends on no schema library.

/** One fault found by a validator. `path` leads from the arguments to the field. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a validator returns: the checked value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/**
 * A schema that can check a value and say what it accepts as JSON Schema: zod 4 and arktype schemas directly,
 * valibot schemas through `toStandardJsonSchema` of @valibot/to-json-schema.
 */
export interface StandardJsonSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      /** May throw when the schema has no JSON form. */
      readonly input: (options: { readonly target: 'draft-2020-12' | 'draft-07' }) => Record<string, unknown>;
    };
  };
}

/** A JSON Schema as plain data. */
export interface PlainJsonSchema {
  readonly [keyword: string]: unknown;
  readonly '~standard'?: never;
}

/** What `parameters` of a tool can be. */
export type ToolParameters = StandardJsonSchema | PlainJsonSchema;

/** The type of checked arguments: the schema's output; `unknown` for a plain JSON Schema. */
export type ArgumentsOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : unknown;

/** The `~standard` part of a schema object or function; undefined when it has none. */
export function standardPart(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined;
  const part: unknown = Reflect.get(schema, '~standard');
  // A parse boundary: the caller checks each member before use.
  return typeof part === 'object' && part !== null ? (part as Readonly<Record<string, unknown>>) : undefined;
}
