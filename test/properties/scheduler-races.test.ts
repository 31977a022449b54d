// A second submit against sealing, cancel, reload, error, preempt and close: every interleaving, each outcome checked.

import fc from 'fast-check';
import { test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import type { SubmitPolicy } from '../../src/contracts/operative.ts';
import { Tally, fates, outcomes } from './tally.ts';
import { ToldLife } from './told-life.ts';
import { expectNothingUnhandled } from './unhandled.ts';
import { plain, type Answer, type TurnSetup } from './world-terms.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

expectNothingUnhandled();

const textAnswer: Answer = { text: true, calls: [], stop: 'natural' };
const slowCall: Answer = { text: true, calls: ['quick', 'slow'], stop: 'natural' };

interface Scenario {
  readonly setup?: Partial<TurnSetup>;
  readonly reloads?: boolean;
  /** What happens meanwhile, in this order. */
  readonly steps: readonly ((life: ToldLife) => void)[];
}

const scenarios: Readonly<Record<string, Scenario>> = {
  sealing: {
    setup: { stages: { ...plain.stages, afterTurn: ['gated'] } },
    steps: [
      ({ world }) => world.say(),
      ({ world }) => world.answer(textAnswer),
      ({ world }) => world.release('transformer', 0, 'other'),
    ],
  },
  cancel: {
    steps: [
      ({ world }) => world.answer(slowCall),
      ({ operative }) => void operative.cancel({ graceMs: 50 }),
      ({ world }) => world.release('tool', 0, 'ok'),
    ],
  },
  reload: {
    reloads: true,
    steps: [({ world }) => world.release('reload', 0, 'ok'), ({ world }) => world.answer(textAnswer)],
  },
  'cancel while reloading': {
    reloads: true,
    steps: [({ operative }) => void operative.cancel(), ({ world }) => world.release('reload', 0, 'ok')],
  },
  'failed reload': {
    reloads: true,
    steps: [({ world }) => world.release('reload', 0, 'throws'), ({ operative }) => void operative.resume()],
  },
  error: {
    steps: [
      ({ world }) => world.say(),
      ({ world }) => world.fail('rejected'),
      ({ operative }) => void operative.resume(),
    ],
  },
  'last iteration': {
    setup: { maxIterations: 1 },
    steps: [({ world }) => world.answer(slowCall), ({ world }) => world.release('tool', 0, 'throws')],
  },
  preempt: {
    steps: [
      ({ world }) => world.answer(slowCall),
      (life) => life.submit('preempts', 'preempt'),
      ({ world }) => world.release('tool', 0, 'ok'),
    ],
  },
  withdraw: {
    steps: [({ world }) => world.answer(slowCall), ({ operative }) => void operative.withdraw('second')],
  },
  close: {
    steps: [({ world }) => world.answer(slowCall), ({ operative }) => void operative.close()],
  },
};

const races = fc.record({
  name: fc.constantFrom(...Object.keys(scenarios)),
  policies: fc.array(fc.constantFrom<SubmitPolicy>('steer', 'steer', 'queue', 'reject', 'preempt'), {
    minLength: 1,
    maxLength: 2,
  }),
  turns: fc.nat(14),
  late: fc.constantFrom('hold', 'start'),
});

async function race(
  { name, policies, turns, late }: typeof races extends fc.Arbitrary<infer Race> ? Race : never,
  scheduler: fc.Scheduler,
  tally: Tally,
): Promise<void> {
  const { setup = {}, reloads = false, steps } = scenarios[name] ?? { steps: [] };
  const life: ToldLife = new ToldLife(setup, {
    lateMessages: late,
    ...(reloads
      ? {
          reloadBeforeStart: () => {
            const { messages } = life.conversation;
            return life.world.gate('reload', () => createConversation({ messages }));
          },
        }
      : {}),
  });
  let done = 0;
  const pause = async () => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  life.submit('first');
  await life.world.host.settle();
  scheduler.scheduleSequence(
    steps.map((step, index) => ({
      label: `${name} ${index + 1}`,
      builder: async () => {
        done++;
        step(life);
        await pause();
      },
    })),
  );
  for (const [index, policy] of policies.entries()) {
    const id = index === 0 ? 'second' : 'third';
    void scheduler.schedule(Promise.resolve(), `submit ${id} ${policy}`).then(() => {
      if (id === 'second') tally.count(`${name}, second submit after ${done} steps`);
      life.submit(id, policy);
    });
  }
  await scheduler.waitIdle();
  await life.finish(tally);
}

test(
  'a second submit at every place between the steps of a turn: outcome, delivery and order are true',
  { timeout },
  async () => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(races, fc.scheduler(), (given, scheduler) => race(given, scheduler, tally)),
      { numRuns: 2_000 * runs },
    );
    const places = Object.entries(scenarios).flatMap(([name, { steps }]) =>
      Array.from({ length: steps.length + 1 }, (_, index) => `${name}, second submit after ${index} steps`),
    );
    const reached = tally.expectEach([
      ...outcomes.map((name) => `outcome ${name}`),
      ...fates.map((name) => `delivery ${name}`),
    ]);
    tally.expectEach(places);
    console.log(`races: ${reached}`);
  },
);
