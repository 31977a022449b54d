// Three levels of agents, stopped at every point: nothing runs on, and each level's transcript is valid.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Tally } from '../../properties/tally.ts';
import { Tree, type Manners } from './agent-tree.ts';

type Stop = 'cancel' | 'cancel without grace' | 'close' | 'preempt';
const stops: readonly Stop[] = ['cancel', 'cancel without grace', 'close', 'preempt'];

function stop({ root }: Tree, how: Stop): void {
  if (how === 'close') void root.close();
  else if (how === 'preempt') void root.submit('instead', { policy: 'preempt' }).then(() => root.cancel());
  else void root.cancel(how === 'cancel' ? {} : { graceMs: 0 });
}

describe.each(['heeds', 'deaf', 'quick'] as const)('a tree whose tools are: %s', (manners) => {
  test.each(stops)('%s at every point', async (how) => {
    let points = 0;
    for (let point = 0; ; point++) {
      const waiting: (() => void)[] = [];
      const tree = new Tree(() => new Promise((open) => waiting.push(open)), manners);
      void tree.root.submit('go');
      await tree.host.settle();
      for (let step = 0; step < point && waiting.length > 0; step++) {
        waiting.shift()?.();
        await tree.host.settle();
      }
      const isOver = waiting.length === 0;
      stop(tree, how);
      await tree.host.settle();
      // What was under way may come to its end late: nobody listens any more.
      const late = waiting.splice(0);
      await tree.host.advance(300);
      for (const open of late) open();
      for (const open of waiting.splice(0)) open();
      await tree.check();
      points++;
      if (isOver) break;
    }
    expect(points).toBeGreaterThan(manners === 'deaf' ? 3 : 12);
  });
});

test.each(['stop', 'close'] as const)('agents in the background at every point: %s', async (how) => {
  for (let point = 0; ; point++) {
    const waiting: (() => void)[] = [];
    const tree = new Tree(() => new Promise((open) => waiting.push(open)), 'heeds', true);
    void tree.root.submit('go');
    await tree.host.settle();
    for (let step = 0; step < point && waiting.length > 0; step++) {
      waiting.shift()?.();
      await tree.host.settle();
    }
    const isOver = waiting.length === 0;
    void tree.root.cancel();
    await tree.host.advance(300);
    if (how === 'close') void tree.tasks?.close();
    else for (const { id } of tree.tasks?.list() ?? []) void tree.tasks?.stop(id);
    await tree.host.advance(300);
    for (const open of waiting.splice(0)) open();
    await tree.check();
    expect(tree.tasks?.list().filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
    if (isOver) break;
  }
});

test('under any schedule nothing runs on, and every transcript is valid', async () => {
  const tally = new Tally();
  const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom<Manners>('heeds', 'deaf', 'quick'),
      fc.constantFrom(...stops),
      fc.nat({ max: 25 }),
      async (scheduler, manners, how, after) => {
        const tree = new Tree((what) => scheduler.schedule(Promise.resolve(), what), manners);
        void tree.root.submit('go');
        await tree.host.settle();
        for (let step = 0; step < after && scheduler.count() > 0; step++) {
          await scheduler.waitOne();
          await tree.host.settle();
        }
        tally.count(`${tree.operatives.length} conversations`);
        stop(tree, how);
        void scheduler.schedule(Promise.resolve(), 'clock').then(() => tree.host.advance(100));
        while (scheduler.count() > 0) {
          await scheduler.waitOne();
          await tree.host.settle();
        }
        await tree.host.advance(300);
        while (scheduler.count() > 0) await scheduler.waitOne();
        await tree.check();
      },
    ),
    { numRuns: runs },
  );
  console.log(tally.expectEach(['1 conversations', '3 conversations', '5 conversations', '7 conversations']));
});
