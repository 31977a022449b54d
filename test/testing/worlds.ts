// Arbitrary engines: what their model says, their tools, transformers and limits. Used by tests of logs.

import fc from 'fast-check';
import type { Engine } from '../../src/contracts/engine.ts';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { schedules } from '../../src/testing/properties/index.ts';
import { scriptedModel, type ScriptedStep, type SimulatedHost } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const lost = new ModelError('model.connection', 'lost', { retryable: true });
const refused = new ModelError('model.rejected', 'no', { retryable: false });
const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

const call = fc.record(
  {
    name: fc.constantFrom('look', 'slow', 'fail', 'ghost'),
    args: fc.constantFrom({}, { at: 1 }, { at: 'x' }),
    rawArgs: optional(fc.constantFrom('', '{"at":', '[1]')),
    id: optional(fc.constantFrom('same', 'other', '')),
  },
  { requiredKeys: ['name'] },
);

const step = fc
  .record({
    text: optional(fc.constantFrom('', 'Hello', 'Hello there')),
    thinking: optional(fc.constantFrom('Hm', { text: 'Hm', signature: 's' })),
    calls: fc.array(call, { maxLength: 3 }),
    chunks: fc.constantFrom(1, 3, 100),
    stopReason: optional(fc.constantFrom('maxTokens', 'pause', 'refusal', 'contextOverflow', 'stopSequence')),
    usage: optional(fc.constant({ inputTokens: 1, outputTokens: 1 })),
    delayMs: fc.constantFrom(0, 5),
    ending: fc.oneof(
      { arbitrary: fc.constant({}), weight: 8 },
      { arbitrary: fc.record({ cutAfter: fc.nat(8) }), weight: 1 },
      { arbitrary: fc.record({ stallAfter: fc.nat(8), deaf: fc.boolean() }), weight: 1 },
      {
        arbitrary: fc.record({ throw: fc.constantFrom(lost, refused, tooLong, 'x'), throwAfter: fc.nat(8) }),
        weight: 2,
      },
    ),
  })
  .map(({ ending, ...said }) => withoutUndefined({ ...said, ...ending }) as ScriptedStep);

const transformers: Readonly<Record<string, Transformer>> = {
  rewrites: {
    name: 'rewrites',
    beforeTurn: (conversation) => ({ conversation: { ...conversation, messages: [...conversation.messages] } }),
    afterIteration: async (conversation) => ({
      conversation: { ...conversation, messages: [...conversation.messages] },
    }),
    afterTurn: (conversation) => ({ conversation: { ...conversation, messages: [...conversation.messages] } }),
  },
  appends: {
    name: 'appends',
    beforeIteration: async (_conversation, { iteration }) =>
      iteration === 2 ? { append: [userMessage('reminder')] } : undefined,
  },
  fails: {
    name: 'fails',
    beforeIteration: () => {
      throw new Error('no');
    },
    afterTurn: () => Promise.reject(new Error('no')),
  },
  shortens: { name: 'shortens', beforeIteration: (conversation) => ({ messages: conversation.messages }) },
};

/** Scripts and settings of an engine. */
export const worlds = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  schedule: schedules({ maxPauses: 16 }),
  transformers: fc.subarray(Object.keys(transformers)),
  maxIterations: fc.constantFrom(1, 2, 6),
  approves: fc.constantFrom('no', 'at once', 'later'),
});
export type World = typeof worlds extends fc.Arbitrary<infer Value> ? Value : never;

/** The engine of a world, on a host of its own. */
export function engineOf(given: World, host: SimulatedHost): Engine {
  const sleep = (ms: number) => new Promise<void>((resolve) => void host.setTimeout(resolve, ms));
  const parameters = { type: 'object', properties: { at: { type: 'number' } } };
  const tool = (name: string, execute: (progress: (update: number) => void) => unknown) =>
    defineTool({
      name,
      description: name,
      parameters,
      isConcurrencySafe: name !== 'slow',
      execute: (_args, context) => execute(context.progress),
    });
  const allow = async () => {
    if (given.approves === 'later') await sleep(3);
    return { allow: true } as const;
  };
  const model = scriptedModel((_request, { index }) => given.steps[index % given.steps.length] ?? {}, { host });
  return createEngine({
    model,
    tools: [
      tool('look', () => 'seen'),
      tool('slow', async (progress) => {
        progress(1);
        await sleep(5);
        progress(2);
      }),
      tool('fail', () => Promise.reject(new Error('no'))),
    ],
    transformers: given.transformers.map((name) => transformers[name] ?? { name }),
    maxIterations: given.maxIterations,
    retry: { attempts: 2 },
    host,
    ...(given.approves === 'no' ? {} : { approve: allow }),
  });
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
