// A message submitted at any microtask around the end of a turn, with and without cancel, stands in the transcript exactly
// once, and its delivery is what happened.

import fc from 'fast-check';
import { test } from 'vitest';
import { schedules } from '../../src/testing/properties/index.ts';
import { Tally } from '../properties/tally.ts';
import { ToldLife } from '../properties/told-life.ts';

// The long run makes five times as many, which is where the count of the short one has long found what there is.
const runs = Math.min(5, Number(process.env['TURNCHART_RUNS'] ?? 1));
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

const submits = fc.record({
  policy: fc.constantFrom('steer', 'steer', 'steer', 'queue', 'reject', 'preempt'),
  turns: fc.nat(30),
});

const around = fc.record({
  answers: fc.constantFrom('text', 'call', 'error', 'gated transformer'),
  submits: fc.array(submits, { minLength: 1, maxLength: 3 }),
  cancelAfter: fc.option(fc.nat(30), { nil: undefined }),
  withdraws: fc.boolean(),
  late: fc.constantFrom('hold', 'start'),
  schedule: schedules({ maxPauses: 6 }),
});

test('seeded schedules around the end of a turn: every message once, every delivery true', { timeout }, async () => {
  const tally = new Tally();
  await fc.assert(
    fc.asyncProperty(around, async ({ answers, submits: more, cancelAfter, withdraws, late, schedule }) => {
      const isGated = answers === 'gated transformer';
      const life = new ToldLife(
        { stages: { beforeTurn: [], beforeIteration: [], afterIteration: [], afterTurn: isGated ? ['gated'] : [] } },
        { lateMessages: late },
      );
      const { world, operative } = life;
      life.submit('first');
      await world.host.settle();
      const pause = schedule.start();
      const waitFor = async (turns: number) => {
        await pause();
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      };
      if (answers === 'error') world.fail('rejected');
      else world.answer({ text: true, calls: answers === 'call' ? ['slow'] : [], stop: 'natural' });
      const steps = more.map(async ({ policy, turns }, index) => {
        await waitFor(turns);
        life.submit(`more ${index}`, policy);
      });
      if (cancelAfter !== undefined) {
        steps.push(
          waitFor(cancelAfter).then(() => {
            void operative.cancel({ graceMs: 10 });
          }),
        );
      }
      if (withdraws) {
        steps.push(
          waitFor(15).then(() => {
            operative.withdraw('more 0');
          }),
        );
      }
      if (answers === 'call') steps.push(waitFor(8).then(() => world.release('tool', 0, 'ok')));
      if (isGated) steps.push(waitFor(20).then(() => world.release('transformer', 0, 'other')));
      await Promise.all(steps);
      await life.finish(tally);
    }),
    { numRuns: 2_000 * runs },
  );
  const reached = tally.expectEach([
    'startedTurn, answered',
    'startedTurn, unanswered',
    'injected, answered',
    'injected, unanswered',
    'injected, queued',
    'injected, withdrawn',
    'queued, answered',
    'queued, queued',
    'queued, withdrawn',
    'rejected, rejected',
  ]);
  console.log(`around the end of a turn: ${reached}`);
});
