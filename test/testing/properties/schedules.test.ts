import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schedules, type Schedule } from '../../../src/testing/properties/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** The order in which two concurrent functions of three steps each come to their steps. */
async function interleave(schedule: Schedule): Promise<string> {
  const pause = schedule.start();
  let order = '';
  const walk = async (name: string) => {
    for (let step = 0; step < 3; step++) {
      await pause();
      order += name;
    }
  };
  await Promise.all([walk('a'), walk('b')]);
  return order;
}

test('a schedule plays the same way each time it is started', async () => {
  await fc.assert(
    fc.asyncProperty(schedules(), async (schedule) => {
      expect(await interleave(schedule)).toBe(await interleave(schedule));
    }),
    { numRuns: 100 * runs },
  );
});

test('schedules bring up every interleaving of two functions of three steps', async () => {
  const seen = new Set<string>();
  for (const schedule of fc.sample(schedules({ maxPauses: 6 }), { seed: 1, numRuns: 2_000 })) {
    seen.add(await interleave(schedule));
  }
  const possible = 20; // 6 over 3
  expect(seen.size).toBe(possible);
});

test('a pause of a number of turns lets as many microtasks run', async () => {
  const schedule = fc
    .sample(schedules(), { seed: 1, numRuns: 100 })
    .find(({ pauses }) => typeof pauses[0] === 'number' && pauses[0] > 3);
  const turns = Number(schedule?.pauses[0]);
  let ran = 0;
  void (async () => {
    for (;;) {
      await Promise.resolve();
      if (++ran === 1_000) return;
    }
  })();
  await schedule?.start()();
  expect(ran).toBeGreaterThanOrEqual(turns);
  expect(ran).toBeLessThan(turns + 3);
});

test('schedules are no longer than asked for, and shrink to none', () => {
  const all = fc.sample(schedules({ maxPauses: 3 }), { seed: 1, numRuns: 200 });
  expect(Math.max(...all.map(({ pauses }) => pauses.length))).toBe(3);
  const details = fc.check(
    fc.property(schedules(), () => false),
    { seed: 1 },
  );
  expect(details.counterexample).toMatchObject([{ pauses: [] }]);
});
