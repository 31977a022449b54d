// A host of which any one function throws at any one call, or from then on: whoever submitted, cancelled or closed an
// operative hears of it, and what every message became is told.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Operative, SubmitPolicy } from '../../../src/contracts/operative.ts';
import { ModelError } from '../../../src/contracts/errors.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { nextMacrotask } from '../../../src/testing/real-time.ts';
import { scriptedModel, simulatedHost, verifyTranscript } from '../../../src/testing/index.ts';
import { never, readAll, toolOf } from './operative-bench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const unheard: unknown[] = [];
process.on('unhandledRejection', (reason) => unheard.push(reason));

const fault = fc.record({
  name: fc.constantFrom('now', 'setTimeout', 'clearTimeout', 'random', 'createId'),
  at: fc.nat(25),
  isForGood: fc.boolean(),
} as const);
const tools = [
  toolOf('quick', () => 'x', { isConcurrencySafe: true }),
  toolOf('later', async () => 'x'),
  toolOf('deaf', () => never(), { timeoutMs: 50 }),
];
const calls = fc.array(fc.constantFrom(...tools.map(({ name }) => ({ name }))), { minLength: 1, maxLength: 3 });
const policy = fc.constantFrom<SubmitPolicy>('steer', 'queue', 'preempt', 'reject');
const overloaded = { throw: new ModelError('model.overloaded', 'busy', { retryable: true }) };

test('nobody waits forever', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fault,
      fc.array(calls, { maxLength: 2 }),
      fc.nat(100),
      policy,
      fc.boolean(),
      fc.boolean(),
      async ({ name, at, isForGood }, batches, when, second, cancels, reloads) => {
        const host = simulatedHost();
        let count = 0;
        const faulty = (...args: unknown[]): unknown => {
          const isFaulty = count === at || (isForGood && count > at);
          count++;
          if (isFaulty) throw new Error(`${name} threw`);
          return Reflect.apply(host[name], host, args);
        };
        const turn = [overloaded, ...batches.map((batch) => ({ calls: batch })), { text: 'ok' }];
        const model = scriptedModel([...turn, ...turn, ...turn, ...turn]);
        let operative: Operative;
        try {
          operative = createOperative({
            engine: createEngine({ model, tools, host: { ...host, [name]: faulty } }),
            ...(reloads ? { reloadBeforeStart: () => Promise.resolve({ system: [], messages: [] }) } : {}),
          });
        } catch {
          return; // it could not be made, and says so
        }
        const waiting = new Set<string>();
        const wait = (what: string, work: () => Promise<unknown>): void => {
          waiting.add(what);
          const end = (): boolean => waiting.delete(what);
          work().then(end, () => {
            refused++;
            end();
          });
        };
        const submit = (text: string, how: SubmitPolicy): void =>
          wait(`submit ${text}`, async () => {
            const { delivery, events } = await operative.submit(text, { policy: how });
            wait(`delivery ${text}`, () => delivery);
            readAll(events);
          });
        submit('one', 'steer');
        await host.advance(when);
        submit('two', second);
        await host.advance(10);
        if (cancels) wait('cancel', () => operative.cancel({ graceMs: 5 }));
        await host.advance(100);
        submit('three', 'steer');
        await host.advance(200_000);
        wait('close', () => operative.close());
        await host.advance(200_000);
        await nextMacrotask();
        expect([...waiting]).toEqual([]);
        verifyTranscript(operative.conversation);
        expect(unheard.splice(0)).toEqual([]);
      },
    ),
    { numRuns: 300 * runs },
  );
  expect(refused).toBeGreaterThan(5);
});
