// Reads the `parameters` of a tool: its JSON Schema as data, and its validator. Called by define-tool at set-up.

import type { JsonValue } from '../conversation/json.ts';
import { messageOf } from '../contracts/errors.ts';
import { invalidTool } from './check-tool-names.ts';
import { describeGiven } from '../contracts/option-table.ts';
import { describeValue } from './describe-value.ts';
import type { Validation, Validator } from './parse-arguments.ts';
import { isRecord, ownValue } from './schema-node.ts';
import { standardPart, type StandardResult } from './standard-schema.ts';

/** The parameters of one tool. */
export interface Parameters {
  /** A copy as JSON data, without `$schema`; its `type` is `object`. */
  readonly schema: { readonly [key: string]: JsonValue };
  /** Absent for a plain JSON Schema. Throws when the validator throws or returns a promise. */
  readonly validate?: Validator;
}

/** Throws `tool.invalid` if there is no JSON Schema of an object. */
export function readParameters(toolName: string, parameters: unknown): Parameters {
  const standard = standardPart(parameters);
  if (standard === undefined) {
    if (isRecord(parameters)) return { schema: objectSchema(toolName, () => parameters) };
    throw invalidTool(toolName, `parameters must be a schema, got ${describeGiven(parameters)}`);
  }
  const validate = standard['validate'];
  if (typeof validate !== 'function') {
    throw invalidTool(toolName, 'parameters has no validate function in its "~standard" part');
  }
  return {
    schema: objectSchema(toolName, converterOf(toolName, standard)),
    // Called as a method: some validators read `this`.
    validate: (args) => readResult(toolName, Reflect.apply(validate, standard, [args])),
  };
}

function converterOf(toolName: string, standard: Readonly<Record<string, unknown>>): () => unknown {
  const converter = standard['jsonSchema'];
  const input: unknown = isRecord(converter) ? converter['input'] : undefined;
  if (typeof input !== 'function') {
    const advice =
      'use zod 4, arktype, toStandardJsonSchema of @valibot/to-json-schema, jsonSchema() of turnchart/json-schema, ' +
      'or a plain JSON Schema';
    throw invalidTool(
      toolName,
      `the schema (vendor "${String(standard['vendor'])}") does not carry JSON Schema; ${advice}`,
    );
  }
  return () => convert(input, converter);
}

// Libraries may support only one of the two drafts.
function convert(input: Function, converter: unknown): unknown {
  try {
    return Reflect.apply(input, converter, [{ target: 'draft-2020-12' }]);
  } catch (first) {
    try {
      return Reflect.apply(input, converter, [{ target: 'draft-07' }]);
    } catch {
      throw first;
    }
  }
}

function objectSchema(toolName: string, schema: () => unknown): { readonly [key: string]: JsonValue } {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(schema()) ?? 'null');
  } catch (cause) {
    throw invalidTool(toolName, `its schema cannot be written as JSON Schema (${messageOf(cause)})`, cause);
  }
  if (!isRecord(copy) || copy['type'] !== 'object') {
    const type = describeValue(ownValue(copy, 'type'));
    throw invalidTool(
      toolName,
      `the schema's "type" must be "object", got ${type}; put the value in a field of an object`,
    );
  }
  const { $schema: _dialect, ...rest } = copy;
  return rest as { readonly [key: string]: JsonValue }; // JSON.parse returns nothing else
}

function readResult(toolName: string, result: unknown): Validation {
  if (typeof result !== 'object' || result === null) {
    throw new Error(`the validator of ${toolName} returned ${typeof result} instead of a result`);
  }
  if ('then' in result && typeof result.then === 'function') {
    Promise.resolve(result).catch(() => {}); // nobody waits for it
    // zod also returns a promise when a check throws.
    const reason = 'an asynchronous check, or one that throws; checks here are synchronous, so move it into execute';
    throw new Error(`the validator of ${toolName} returned a promise (${reason})`);
  }
  // A parse boundary: Standard Schema's own shape. arktype's failures are arrays with `issues`.
  const { issues, value } = result as StandardResult<unknown> & { readonly value?: unknown };
  return issues === undefined || issues === null ? { ok: true, value } : { ok: false, issues: [...issues] };
}
