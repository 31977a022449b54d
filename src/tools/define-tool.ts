// Makes tools: checks the specification once, publishes its schema, types its arguments. Called by apps and our own
// tools.

import type { JsonValue } from '../conversation/json.ts';
import { TurnchartError } from '../contracts/errors.ts';
import { anything, aText, describeGiven, type Check } from '../contracts/option-table.ts';
import type { ToolDefinition } from '../contracts/model.ts';
import type { Tool, ToolContext } from '../contracts/tool.ts';
import { checkToolName, invalidTool } from './check-tool-names.ts';
import { argumentParser } from './parse-arguments.ts';
import { readParameters } from './read-parameters.ts';
import { isRecord } from './schema-node.ts';
import type { ArgumentsOf, ToolParameters } from './standard-schema.ts';

/** What `defineTool` takes, except `execute`. */
export interface ToolSettings<Schema, TurnContext = unknown> {
  /** 1 to 64 characters of a-z, A-Z, 0-9, "_" and "-". */
  readonly name: string;
  /** What the model reads about the tool. */
  readonly description: string;
  /**
   * A Standard Schema that carries JSON Schema (zod 4, arktype, valibot through its converter), `jsonSchema<Args>(…)`,
   * or a plain JSON Schema. The `type` of its JSON Schema must be `object`. Validators must be synchronous. With a
   * plain schema only types, required and unknown fields, enum and const are checked.
   */
  readonly parameters: Schema;
  /** True: may run in parallel with other such calls of the same message. Default false: alone, in call order. */
  readonly isConcurrencySafe?: boolean | ((args: ArgumentsOf<Schema>) => boolean);
  /** Milliseconds, more than 0. Default: the engine's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Whether a call may be run again after a crash. */
  readonly replay?: 'safe' | 'unsafe';
  /** `false`: never ask. Otherwise `EngineOptions.approve` is called if it is set. */
  readonly needsApproval?: boolean | ((args: ArgumentsOf<Schema>) => boolean);
  /** What a person should see before approving. */
  readonly preview?: (args: ArgumentsOf<Schema>, context: ToolContext<TurnContext>) => JsonValue | Promise<JsonValue>;
  /** Passed to the adapter unchanged. */
  readonly providerOptions?: JsonValue;
  /** Asks the provider to keep arguments to the schema, if it can. */
  readonly strict?: boolean;
}

/** What `defineTool` takes. */
export interface ToolSpecification<Schema, TurnContext = unknown> extends ToolSettings<Schema, TurnContext> {
  /** Gets the schema's output. Returns a string, any JSON-able value, a `ToolResult`, or undefined ("(no output)"). */
  readonly execute: (args: ArgumentsOf<Schema>, context: ToolContext<TurnContext>) => unknown;
}

/**
 * Makes a tool. The first argument of `execute` has the schema's output type; a typed `context` parameter fixes the
 * turn context the tool needs. Throws `tool.invalidName` or `tool.invalid` at once when the specification is wrong.
 */
export function defineTool<Schema extends ToolParameters, TurnContext = unknown>(
  specification: ToolSpecification<Schema, TurnContext>,
): Tool<TurnContext> {
  checkSpecification(specification);
  const { name, description, providerOptions, strict, timeoutMs, replay, needsApproval } = specification;
  const { schema, validate } = readParameters(name, specification.parameters);
  const definition: ToolDefinition = {
    name,
    description,
    parameters: schema,
    ...(strict === undefined ? {} : { strict }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
  // The runtime calls these functions only with the result of this tool's own `parse`: the schema's output.
  const checked = (args: unknown): ArgumentsOf<Schema> => args as ArgumentsOf<Schema>;
  const decision = (rule: boolean | ((args: ArgumentsOf<Schema>) => boolean)): Tool['isConcurrencySafe'] =>
    typeof rule === 'function' ? (args) => rule(checked(args)) : rule;
  return {
    name,
    definition,
    isConcurrencySafe: decision(specification.isConcurrencySafe ?? false),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(replay === undefined ? {} : { replay }),
    ...(needsApproval === undefined ? {} : { needsApproval: decision(needsApproval) }),
    ...(specification.preview === undefined
      ? {}
      : { preview: (args, context) => specification.preview?.(checked(args), context) ?? null }),
    parse: argumentParser(name, schema, validate),
    execute: (args, context) => specification.execute(checked(args), context),
  };
}

// For callers without types; `parameters` is read by read-parameters.
function checkSpecification(specification: unknown): void {
  if (!isRecord(specification)) {
    throw new TurnchartError('tool.invalid', `defineTool takes one object, got ${describeGiven(specification)}.`);
  }
  const { name } = specification;
  checkToolName(name);
  const isLiteral = Object.getPrototypeOf(specification) === Object.prototype; // an instance may have fields of its own
  for (const member of Object.keys(specification)) {
    if (!isLiteral || Object.hasOwn(members, member)) continue;
    throw invalidTool(name, `defineTool has no "${member}"; it has ${Object.keys(members).join(', ')}`);
  }
  for (const [member, [expected, fits]] of Object.entries(members)) {
    const value = specification[member];
    if (fits(value)) continue;
    throw invalidTool(name, `${member} must be ${expected}, got ${describeGiven(value)}`);
  }
}

const isFunction = (value: unknown): boolean => typeof value === 'function';
const aRule: Check = [
  'a boolean or a function',
  (value) => value === undefined || typeof value === 'boolean' || isFunction(value),
];

// Unlike other options, these are asked about undefined too.
const members = {
  name: anything,
  description: aText,
  parameters: anything,
  execute: ['a function', isFunction],
  preview: ['a function', (value) => value === undefined || isFunction(value)],
  timeoutMs: [
    'a number of milliseconds above 0',
    (value) => value === undefined || (typeof value === 'number' && value > 0),
  ],
  replay: ['"safe" or "unsafe"', (value) => [undefined, 'safe', 'unsafe'].includes(value as string)], // any value may be asked for
  isConcurrencySafe: aRule,
  needsApproval: aRule,
  providerOptions: anything,
  strict: anything,
} satisfies Record<keyof ToolSpecification<unknown>, Check>;
