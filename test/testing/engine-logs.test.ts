// The kit on the real engine: whatever scripts, tools, steers and cancels do, logs keep the grammar and transcripts pair.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { schedules, type Schedule } from '../../src/testing/properties/index.ts';
import {
  scriptedModel,
  simulatedHost,
  verifyEvents,
  verifyTranscript,
  type ScriptedStep,
} from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

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

/** What the environment does between two pauses. */
const move = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 1, 5, 50, 1_000, 200_000) }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant('steer' as const) }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(0, 10) }), weight: 1 },
);

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

const world = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
  moves: fc.array(move, { maxLength: 12 }),
  schedule: schedules({ maxPauses: 16 }),
  transformers: fc.subarray(Object.keys(transformers)),
  maxIterations: fc.constantFrom(1, 2, 6),
  approves: fc.constantFrom('no', 'at once', 'later'),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

async function play(
  given: World,
): Promise<{ events: EngineEvent[]; ended: boolean; conversation: ReturnType<typeof createConversation> }> {
  const host = simulatedHost();
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
  const engine = createEngine({
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
  const conversation = createConversation({ messages: [userMessage('hi')] });
  const run = engine.run(conversation);
  const events: EngineEvent[] = [];
  const reading = (async () => {
    for await (const event of run) events.push(event);
  })();
  await environment(given.moves, given.schedule, host.advance, run);
  await host.advance(10_000_000);
  void run.cancel();
  await host.advance(10_000);
  let ended = false;
  void reading.then(() => (ended = true));
  await host.settle();
  return { events, ended, conversation };
}

async function environment(
  moves: World['moves'],
  schedule: Schedule,
  advance: (ms: number) => Promise<void>,
  run: ReturnType<ReturnType<typeof createEngine>['run']>,
): Promise<void> {
  const pause = schedule.start();
  for (const next of moves) {
    await pause();
    if (next.do === 'advance') await advance(next.ms);
    else if (next.do === 'steer') run.steer('more');
    else void run.cancel({ graceMs: next.graceMs });
  }
}

function withoutUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}

test('logs of arbitrary turns keep the event grammar, and their transcripts pair', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { events, ended, conversation } = await play(given);
      expect(ended).toBe(true);
      verifyEvents(events);
      verifyTranscript(conversation);
    }),
    { numRuns: 300 * runs },
  );
});
