// Tools whose work can outlive their call. Called by apps; `withBackgroundFlag` and `wantsBackground` by an engine with
// a registry.

import type { BackgroundTool } from '../contracts/background-task.ts';
import type { ToolDefinition } from '../contracts/model.ts';
import type { ToolContext } from '../contracts/tool.ts';
import { invalidTool } from './check-tool-names.ts';
import { decodeArguments } from './decode-arguments.ts';
import { defineTool, type ToolSettings } from './define-tool.ts';
import { isRecord } from './schema-node.ts';
import type { ArgumentsOf, ToolParameters } from './standard-schema.ts';

// The argument by which a model asks for a task id instead of the result.
const backgroundFlag = 'run_in_background';

/** The context of a background tool. */
export interface BackgroundToolContext<TurnContext = unknown> extends ToolContext<TurnContext> {
  /** Set when the call runs as a task. */
  readonly taskId?: string;
  /** Appends to the task's output; without a task the text is reported as `progress`. */
  readonly write: (text: string) => void;
  /**
   * Sets the file that gets everything the tool writes; the handle and TaskOutput show it. No effect without a task.
   */
  readonly noteOutputFile: (path: string) => void;
}

/** What `defineBackgroundTool` takes. */
export interface BackgroundToolSpecification<Schema, TurnContext = unknown> extends ToolSettings<Schema, TurnContext> {
  /** As in `defineTool`, with `write` and `taskId` in its context. */
  readonly execute: (args: ArgumentsOf<Schema>, context: BackgroundToolContext<TurnContext>) => unknown;
}

/**
 * Makes a background tool. Its own definition has no `run_in_background`; the argument is always removed before
 * validation. Throws as `defineTool` does, and `tool.invalid` when the schema has a field with that name.
 */
export function defineBackgroundTool<Schema extends ToolParameters, TurnContext = unknown>(
  specification: BackgroundToolSpecification<Schema, TurnContext>,
): BackgroundTool<TurnContext> {
  const tool = defineTool<Schema, TurnContext>({
    ...specification,
    execute: (args, context) => specification.execute(args, withWrite(context)),
  });
  const properties = tool.definition.parameters['properties'];
  if (isRecord(properties) && Object.hasOwn(properties, backgroundFlag)) {
    throw invalidTool(tool.name, `the field "${backgroundFlag}" is added by the engine; leave it out of the schema`);
  }
  return { ...tool, isBackground: true, parse: (args) => tool.parse(withoutFlag(args)) };
}

/** The definition with an optional `run_in_background`; nullable and required if `strict` requires every field. */
export function withBackgroundFlag(definition: ToolDefinition): ToolDefinition {
  const { parameters, strict } = definition;
  const properties = isRecord(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const flag = {
    type: strict === true ? ['boolean', 'null'] : 'boolean',
    description: 'True: do not wait; returns a task id at once. Read the output later with TaskOutput.',
  };
  return {
    ...definition,
    parameters: {
      ...parameters,
      properties: { ...properties, [backgroundFlag]: flag },
      ...(strict === true ? { required: [...required, backgroundFlag] } : {}),
    },
  };
}

/** Whether the arguments, as the model sent them, ask for a task. Never throws. */
export function wantsBackground(args: unknown): boolean {
  const flag = splitFlag(args)?.flag;
  return flag === true || flag === 'true';
}

// What cannot be decoded is passed on unchanged: `parse` says what is wrong with it.
function withoutFlag(args: unknown): unknown {
  return splitFlag(args)?.rest ?? args;
}

// The flag and the other arguments; undefined if no flag can be read.
function splitFlag(args: unknown): { readonly flag: unknown; readonly rest: object } | undefined {
  try {
    const decoded = isRecord(args) ? { ok: true as const, args } : decodeArguments(args); // a record is copied by `parse`
    if (!decoded.ok || !Object.hasOwn(decoded.args, backgroundFlag)) return undefined;
    const { [backgroundFlag]: flag, ...rest } = decoded.args;
    return { flag, rest };
  } catch {
    return undefined;
  }
}

function withWrite<TurnContext>(context: ToolContext<TurnContext>): BackgroundToolContext<TurnContext> {
  const given = context as Partial<BackgroundToolContext<TurnContext>> & ToolContext<TurnContext>; // a registry may have made it
  if (given.write !== undefined && given.noteOutputFile !== undefined)
    return given as BackgroundToolContext<TurnContext>;
  const { callId, idempotencyKey, signal, turnContext, session, conversation, progress, taskId } = given;
  const own = { callId, idempotencyKey, signal, turnContext, session, conversation, progress };
  return {
    ...context,
    ...own,
    ...(taskId === undefined ? {} : { taskId }),
    write: (text) => (given.write ?? progress)(text),
    noteOutputFile: () => undefined,
  };
}
