// The conformance suite for tools: what a tool must do for the runtime to keep its promises.

import { messageOf } from '../contracts/errors.ts';
import type { Tool, ToolContext, ToolSession } from '../contracts/tool.ts';
import { createConversation, type Conversation } from '../conversation/conversation.ts';
import { userMessage } from '../conversation/message.ts';
import { isToolResult } from '../tools/tool-result.ts';
import { expect, show } from './event-grammar/breach.ts';
import { nextMacrotask } from './real-time.ts';
import { deepFreeze, runChecks, within, type Check } from './run-checks.ts';

/** Options of `checkTool`. */
export interface CheckToolOptions<TurnContext = unknown> {
  /** Raw arguments as a model would send them. The tool runs with each of them several times, with real effects. Default: none. */
  readonly examples?: readonly unknown[];
  /** Overrides parts of the tool's context. Default: a fresh session, one user message, no turn context. */
  readonly context?: Partial<ToolContext<TurnContext>>;
  /** Milliseconds an aborted call may take to settle. Default 1,000. */
  readonly promptMs?: number;
  /** Milliseconds a whole call may take. Default 10,000. */
  readonly runMs?: number;
}

interface Run {
  readonly returned?: unknown;
  readonly thrown?: { readonly error: unknown };
}

/**
 * Runs every check and resolves to the names of those that passed; rejects with an Error that lists all that failed.
 * Needs no test framework. The definition and `parse` are always checked; the tool is run only with `examples`.
 */
export async function checkTool<TurnContext = unknown>(
  tool: Tool<TurnContext>,
  options: CheckToolOptions<TurnContext> = {},
): Promise<readonly string[]> {
  return runChecks(`checkTool "${tool.name}"`, [...definitionChecks(tool), ...exampleChecks(tool, options)]);
}

function definitionChecks(tool: Pick<Tool, 'name' | 'definition' | 'parse'>): Check[] {
  const { name, definition, parse } = tool;
  return [
    {
      name: 'has a name every provider accepts',
      run() {
        expect(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `expected 1 to 64 of a-z, A-Z, 0-9, _ and -, got ${show(name)}`);
        expect(
          definition.name === name,
          `expected the definition to have the tool's name, got ${show(definition.name)}`,
        );
      },
    },
    {
      name: 'describes itself',
      run: () => expect(definition.description.trim() !== '', 'expected a description that is not empty'),
    },
    { name: 'has parameters that are JSON Schema of an object', run: () => expectObjectSchema(definition.parameters) },
    {
      name: 'parse never throws and explains what it refuses',
      run() {
        for (const value of hostileArguments()) {
          const result = attempt(() => parse(value));
          expect('value' in result, `expected no throw for ${show(value)}, but it threw ${messageOf(result.error)}`);
          const { ok, message } = Object(result.value) as { ok?: unknown; message?: unknown };
          expect(ok === true || ok === false, `expected { ok } for ${show(value)}, got ${show(result.value)}`);
          const explains = ok === true || (typeof message === 'string' && message.trim() !== '');
          expect(explains, `expected a message for ${show(value)}, got ${show(message)}`);
        }
      },
    },
  ];
}

function exampleChecks<TurnContext>(tool: Tool<TurnContext>, options: CheckToolOptions<TurnContext>): Check[] {
  const examples = options.examples ?? [];
  const promptMs = options.promptMs ?? 1_000;
  const runMs = options.runMs ?? 10_000;
  if (examples.length === 0) return [];
  const eachParsed = async (use: (args: unknown, example: unknown) => Promise<void> | void): Promise<void> => {
    for (const example of examples) {
      const parsed = tool.parse(example);
      if (parsed.ok) await use(parsed.args, example);
    }
  };
  const start = (args: unknown, parts: Partial<ToolContext<TurnContext>> = {}): Promise<Run> =>
    runOnce(tool, args, contextWith({ ...options.context, ...parts }));

  return [
    {
      name: 'accepts its examples and does not change them',
      run() {
        for (const example of examples) {
          const before = JSON.stringify(example);
          const parsed = tool.parse(example);
          expect(parsed.ok, `expected ${show(example)} to be accepted, got ${parsed.ok ? '' : parsed.message}`);
          expect(
            JSON.stringify(example) === before,
            `expected ${before} to stay as it is, got ${JSON.stringify(example)}`,
          );
        }
      },
    },
    {
      name: 'decides on concurrency and approval for every call',
      run: () =>
        eachParsed((args, example) => {
          for (const rule of ['isConcurrencySafe', 'needsApproval'] as const) {
            const value: unknown = tool[rule];
            const decision: unknown = typeof value === 'function' ? value(args) : (value ?? false);
            expect(
              typeof decision === 'boolean',
              `expected ${rule} to be true or false for ${show(example)}, got ${show(decision)}`,
            );
          }
        }),
    },
    {
      name: 'previews every call as JSON',
      run: () =>
        eachParsed(async (args, example) => {
          if (tool.preview === undefined) return;
          const shown: unknown = await tool.preview(args, contextWith({ ...options.context }));
          expect(isJson(shown), `expected JSON for ${show(example)}, got ${show(shown)}`);
        }),
    },
    {
      name: 'settles with a result the runtime can show',
      run: () =>
        eachParsed(async (args, example) => {
          const run = await within(runMs, `a result for ${show(example)}`, start(args));
          expectSaneEnd(run, example);
        }),
    },
    {
      name: 'reads the conversation without changing it, and reports progress as JSON',
      run: () =>
        eachParsed(async (args, example) => {
          const conversation = deepFreeze(structuredClone(options.context?.conversation ?? sampleConversation()));
          const updates: unknown[] = [];
          const parts = { conversation, progress: (update: unknown) => void updates.push(update) };
          const run = await within(runMs, `a result for ${show(example)}`, start(args, parts));
          // In module code a write to a frozen object throws.
          const change = run.thrown?.error instanceof TypeError ? run.thrown.error : undefined;
          expect(change === undefined, `expected no change of the conversation, got ${messageOf(change)}`);
          for (const update of updates) expect(isJson(update), `expected JSON as progress, got ${show(update)}`);
        }),
    },
    {
      name: 'settles when its signal was aborted before the call',
      run: () =>
        eachParsed(async (args, example) => {
          const run = start(args, { signal: AbortSignal.abort() });
          await within(promptMs, `the end of an aborted call with ${show(example)}`, run);
        }),
    },
    {
      name: 'settles when its signal is aborted while it runs',
      run: () =>
        eachParsed(async (args, example) => {
          const controller = new AbortController();
          const run = start(args, { signal: controller.signal });
          await nextMacrotask();
          controller.abort();
          await within(promptMs, `the end of a call with ${show(example)} that is aborted`, run);
        }),
    },
    {
      name: 'runs in parallel with itself if it says it can',
      run: () =>
        eachParsed(async (args, example) => {
          const isSafe =
            typeof tool.isConcurrencySafe === 'function' ? tool.isConcurrencySafe(args) : tool.isConcurrencySafe;
          if (!isSafe) return;
          const session = options.context?.session ?? newSession();
          const runs = Array.from({ length: 3 }, (_, index) => start(args, { session, callId: `call_${index + 1}` }));
          for (const run of await within(runMs, `three results for ${show(example)}`, Promise.all(runs))) {
            expectSaneEnd(run, example);
          }
        }),
    },
  ];
}

function expectObjectSchema(schema: unknown): void {
  expect(isJson(schema), 'expected a schema that is JSON');
  const { type, properties, required } = Object(schema) as { type?: unknown; properties?: unknown; required?: unknown };
  expect(type === 'object', `expected type "object", got ${show(type)}`);
  const isObject = typeof properties === 'object' && properties !== null && !Array.isArray(properties);
  expect(properties === undefined || isObject, `expected properties to be an object, got ${show(properties)}`);
  const named = new Set(Object.keys(Object(properties)));
  expect(required === undefined || Array.isArray(required), `expected required to be a list, got ${show(required)}`);
  for (const name of Array.isArray(required) ? required : []) {
    expect(named.has(String(name)), `expected every required field among the properties, but ${show(name)} is missing`);
  }
}

function expectSaneEnd(run: Run, example: unknown): void {
  if (run.thrown !== undefined) {
    const { error } = run.thrown;
    const explains = error instanceof Error && messageOf(error).trim() !== '';
    expect(explains, `expected an Error with a message for ${show(example)}, but it threw ${show(error)}`);
    return;
  }
  const { returned } = run;
  if (returned === undefined || typeof returned === 'string') return;
  if (!isToolResult(returned)) {
    expect(
      isJson(returned),
      `expected a text, JSON, a ToolResult or undefined for ${show(example)}, got ${show(returned)}`,
    );
    return;
  }
  for (const block of returned.content) {
    const isWhole = block.type !== 'text' || !/\p{Surrogate}/u.test(block.text);
    expect(isWhole, `expected well-formed text for ${show(example)}, but it contains a lone surrogate`);
  }
}

async function runOnce<TurnContext>(
  tool: Tool<TurnContext>,
  args: unknown,
  context: ToolContext<TurnContext>,
): Promise<Run> {
  try {
    return { returned: await tool.execute(args, context) };
  } catch (error) {
    return { thrown: { error } };
  }
}

function contextWith<TurnContext>(parts: Partial<ToolContext<TurnContext>>): ToolContext<TurnContext> {
  return {
    callId: 'call_1',
    idempotencyKey: 'msg_1/call_1',
    signal: new AbortController().signal,
    turnContext: undefined as TurnContext, // a tool that reads it needs `options.context`
    session: newSession(),
    conversation: sampleConversation(),
    progress: () => {},
    ...parts,
  };
}

function sampleConversation(): Conversation {
  return createConversation({ messages: [userMessage('Please use your tool.')] });
}

function newSession(): ToolSession {
  const values = new Map<symbol, unknown>();
  return {
    id: 'session_1',
    get<T>(key: symbol, create: () => T): T {
      if (!values.has(key)) values.set(key, create());
      return values.get(key) as T; // one key belongs to one creator
    },
  };
}

/** Arguments that a model, a broken provider or a hostile caller may send. */
function hostileArguments(): unknown[] {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const refuse = (): never => {
    throw new Error('hostile');
  };
  let deep: unknown = 'end';
  for (let level = 0; level < 5_000; level++) deep = [deep];
  return [
    undefined,
    null,
    true,
    0,
    Number.NaN,
    '',
    'text',
    '{',
    '{"a":',
    '[]',
    '{}',
    [],
    [1],
    {},
    { unknown: 1 },
    10n,
    Symbol('s'),
    refuse,
    JSON.parse('{"__proto__":{"polluted":true}}'),
    { constructor: null, toString: 1 },
    '\ud83c',
    { '\ud83c': '\udff7' },
    'x'.repeat(100_000),
    cyclic,
    deep,
    new Proxy(
      {},
      { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse, getPrototypeOf: refuse },
    ),
    {
      get field(): never {
        return refuse();
      },
    },
  ];
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false; // a cycle, a bigint, a throwing toJSON
  }
}

function attempt(
  work: () => unknown,
): { readonly value: unknown; readonly error?: undefined } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
