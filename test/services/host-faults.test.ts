// A host of which any one function throws at any one call, or from then on: the turn ends, nothing is thrown where nobody
// listens, and the transcript is valid.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Engine, EngineOptions } from '../../src/contracts/engine.ts';
import { isTurnchartError, ModelError } from '../../src/contracts/errors.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { never, toolOf } from '../runtime/turn-bench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const unheard: unknown[] = [];
process.on('unhandledRejection', (reason) => unheard.push(reason));

const functions = ['now', 'now', 'setTimeout', 'clearTimeout', 'random', 'createId', 'createId'] as const;
const fault = fc.record({ name: fc.constantFrom(...functions), at: fc.nat(20), isForGood: fc.boolean() });
const tools = [
  toolOf('quick', () => 'x', { isConcurrencySafe: true }),
  toolOf('later', async () => 'x', { isConcurrencySafe: true }),
  toolOf('alone', async () => 'x'),
  toolOf('deaf', () => never(), { timeoutMs: 50 }),
  toolOf('asked', async () => 'x', { needsApproval: true }),
];
const names = fc.array(fc.constantFrom(...tools.map(({ name }) => name)), { minLength: 1, maxLength: 4 });

// A side call that fails once and is tried again.
const asking: Transformer = {
  name: 'asks',
  async beforeTurn(_, { complete }) {
    await complete({ system: [], messages: [userMessage('x')], tools: [] }).catch(() => undefined);
  },
};

test('a host that throws ends the turn at most, and leaves nothing open', async () => {
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(
      fault,
      fc.array(names, { maxLength: 2 }),
      fc.option(fc.nat(60)),
      fc.boolean(),
      fc.boolean(),
      async ({ name, at, isForGood }, calls, cancelAt, isWatched, asks) => {
        const real = simulatedHost();
        let count = 0;
        const faulty = (...args: unknown[]): unknown => {
          const isFaulty = count === at || (isForGood && count > at);
          count++;
          if (isFaulty) throw new Error(`${name} threw`);
          return Reflect.apply(real[name], real, args);
        };
        const model = scriptedModel([
          ...(asks
            ? [{ throw: new ModelError('model.overloaded', 'busy', { retryable: true }) }, { text: 'sum' }]
            : []),
          { throw: new ModelError('model.overloaded', 'busy', { retryable: true }) },
          ...calls.map((called) => ({ calls: called.map((tool) => ({ name: tool, id: '' })) })),
          { text: 'ok' },
        ]);
        const options: EngineOptions = {
          model,
          tools,
          transformers: asks ? [asking] : [],
          host: { ...real, [name]: faulty },
          approve: () => Promise.resolve({ allow: true }),
          toolTimeoutMs: 1_000,
          ...(isWatched ? { inspect: () => undefined } : {}),
        };
        const conversation = createConversation({ messages: [userMessage('go', { id: 'u1' })] });
        const events: EngineEvent[] = [];
        let run: ReturnType<Engine['run']>;
        try {
          run = createEngine(options).run(conversation);
        } catch {
          return; // it could not begin, and says so
        }
        const read = (async () => {
          for await (const event of run) events.push(event);
        })();
        if (cancelAt !== null) {
          await real.advance(cancelAt);
          void run.cancel({ graceMs: 20 });
        }
        let result: Awaited<typeof run.result> | undefined;
        void run.result.then((value) => (result = value));
        await real.advance(200_000);
        expect(result, 'the turn has ended').toBeDefined();
        await read;
        if (result?.reason === 'failed') {
          failed++;
          expect(isTurnchartError(result.error)).toBe(true);
        }
        verifyEvents(events);
        verifyTranscript(conversation);
        expect(unheard.splice(0)).toEqual([]);
      },
    ),
    { numRuns: 400 * runs },
  );
  expect(failed).toBeGreaterThan(20);
});
