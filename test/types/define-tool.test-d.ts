// What the types of tools promise. Checked by tsc; nothing here runs.

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { jsonSchema } from '../../src/codec/json-schema.ts';
import type { BackgroundTool } from '../../src/contracts/background-task.ts';
import type { Tool, ToolContext } from '../../src/contracts/tool.ts';
import { type BackgroundToolContext, defineBackgroundTool } from '../../src/tools/define-background-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { ToolResult } from '../../src/tools/tool-result.ts';
import { type Equal, expectType } from './equal.ts';

// The comparison itself can fail.
// @ts-expect-error -- a string is not a number
expectType<Equal<string, number>>();
// @ts-expect-error -- any is not string
expectType<Equal<any, string>>();
// @ts-expect-error -- optional is not required
expectType<Equal<{ a?: string }, { a: string }>>();

const base = { name: 'Read', description: 'Reads.' };
const plain = { type: 'object', properties: { path: { type: 'string' } } } as const;

// zod: the arguments are the schema's output, after defaults and transforms.
const zodSchema = z.object({
  path: z.string(),
  limit: z.number().optional(),
  encoding: z.string().default('utf8'),
  size: z.string().transform(Number),
});
interface ZodArguments {
  path: string;
  limit?: number | undefined;
  encoding: string;
  size: number;
}
defineTool({
  ...base,
  parameters: zodSchema,
  isConcurrencySafe: (args) => {
    expectType<Equal<typeof args.size, number>>();
    return true;
  },
  needsApproval: (args) => args.path.startsWith('/'),
  preview: (args, context) => {
    expectType<Equal<typeof context, ToolContext<unknown>>>();
    return args.path;
  },
  execute: (args, context) => {
    const exact: ZodArguments = args;
    const back: typeof args = exact;
    expectType<Equal<typeof context, ToolContext<unknown>>>();
    // @ts-expect-error -- the schema has no such field
    return back.nothing;
  },
});

// arktype carries JSON Schema by itself.
defineTool({
  ...base,
  parameters: type({ path: 'string', 'limit?': 'number' }),
  execute: (args) => {
    expectType<Equal<typeof args, { path: string; limit?: number }>>();
  },
});

// valibot goes through its converter.
defineTool({
  ...base,
  parameters: toStandardJsonSchema(v.object({ path: v.string(), limit: v.optional(v.number(), 5) })),
  execute: (args) => {
    expectType<Equal<typeof args, { path: string; limit: number }>>();
  },
});

// jsonSchema<Args> types raw JSON Schema by hand.
defineTool({
  ...base,
  parameters: jsonSchema<{ path: string }>(plain),
  execute: (args) => {
    expectType<Equal<typeof args, { path: string }>>();
  },
});

// A plain JSON Schema leaves the arguments unknown, written in place or elsewhere.
defineTool({
  ...base,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  execute: (args) => {
    expectType<Equal<typeof args, unknown>>();
  },
});
declare const loaded: { [key: string]: unknown };
defineTool({
  ...base,
  parameters: loaded,
  execute: (args) => {
    expectType<Equal<typeof args, unknown>>();
    // @ts-expect-error -- unknown arguments must be narrowed first
    return args.path;
  },
});

// Schemas that cannot say their JSON Schema are refused.
// @ts-expect-error -- zod mini does not carry JSON Schema
defineTool({ ...base, parameters: mini.object({ path: mini.string() }), execute: () => undefined });
// @ts-expect-error -- valibot needs its converter
defineTool({ ...base, parameters: v.object({ path: v.string() }), execute: () => undefined });
// @ts-expect-error -- a string is not a schema
defineTool({ ...base, parameters: 'object', execute: () => undefined });
// @ts-expect-error -- execute is required
defineTool({ ...base, parameters: plain });
// @ts-expect-error -- so is the description
defineTool({ name: 'Read', parameters: plain, execute: () => undefined });
// @ts-expect-error -- arguments of another type
defineTool({ ...base, parameters: zodSchema, execute: (args: { path: number }) => args.path });

// Contexts: a typed `context` parameter fixes what the tool needs.
interface Tenant {
  readonly tenant: string;
}
interface User extends Tenant {
  readonly user: string;
}
const needsNothing = defineTool({ ...base, parameters: zodSchema, execute: (args) => args.path });
const needsTenant = defineTool({
  ...base,
  parameters: zodSchema,
  execute: (args, context: ToolContext<Tenant>) => args.path + context.turnContext.tenant,
});
const needsUser = defineTool({
  ...base,
  parameters: zodSchema,
  preview: (args, context: ToolContext<User>) => args.path + context.turnContext.tenant,
  execute: (args, context: ToolContext<User>) => args.path + context.turnContext.user,
});
expectType<Equal<typeof needsNothing, Tool<unknown>>>();
expectType<Equal<typeof needsTenant, Tool<Tenant>>>();
expectType<Equal<typeof needsUser, Tool<User>>>();

declare function createEngine<Context>(tools: readonly Tool<Context>[]): { run(context: Context): void };
// Tools that need less go with tools that need more; the engine asks for the most.
expectType<Equal<ReturnType<typeof createEngine<User>>, { run(context: User): void }>>();
const mixed = createEngine([needsNothing, needsTenant, needsUser]);
mixed.run({ tenant: 't', user: 'u' });
// @ts-expect-error -- one of the tools needs the user
mixed.run({ tenant: 't' });
createEngine<User>([needsNothing, needsTenant, needsUser]);
createEngine<Tenant>([needsNothing, needsTenant]);
// @ts-expect-error -- the tool needs more than the engine has
createEngine<Tenant>([needsUser]);
// @ts-expect-error -- an engine without a context cannot serve a tool that needs one
createEngine<unknown>([needsTenant]);

// Background tools: the same inference, with write and taskId.
const background = defineBackgroundTool({
  ...base,
  parameters: zodSchema,
  execute: (args, context) => {
    expectType<Equal<typeof args.size, number>>();
    expectType<Equal<typeof context, BackgroundToolContext<unknown>>>();
    expectType<Equal<typeof context.taskId, string | undefined>>();
    context.write(args.path);
  },
});
expectType<Equal<typeof background, BackgroundTool<unknown>>>();
const backgroundForUser = defineBackgroundTool({
  ...base,
  parameters: plain,
  execute: (_args, context: BackgroundToolContext<User>) => context.write(context.turnContext.user),
});
expectType<Equal<typeof backgroundForUser, BackgroundTool<User>>>();
createEngine<User>([background, backgroundForUser, needsTenant]);
// @ts-expect-error -- the background tool needs the user
createEngine<Tenant>([backgroundForUser]);
// @ts-expect-error -- only background tools can write
defineTool({ ...base, parameters: plain, execute: (_args, context) => context.write('') });

// ToolResult is a value and a type; look-alikes are none.
const result: ToolResult = ToolResult.text('done');
expectType<Equal<typeof result.isError, boolean>>();
// @ts-expect-error -- made by hand, without the brand
const forged: ToolResult = { content: [], isError: false };
// @ts-expect-error -- audio is not a result content
ToolResult.blocks([{ type: 'audio', source: { type: 'url', url: 'x' } }]);

export { forged };
