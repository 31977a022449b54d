import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { inCallOrder } from '../../../src/tools/baseline/path-lock.ts';
import { newSession, workbench } from './workbench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
const live = new AbortController().signal;

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}
function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

it('law: calls for one path run one at a time in call order, whenever their paths are found out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('/a', '/b', undefined), { minLength: 1, maxLength: 8 }),
      async (scheduler, paths) => {
        const session = newSession();
        const order: number[] = [];
        const running = new Map<string, number>();
        const calls = paths.map((path, index) =>
          inCallOrder(session, scheduler.schedule(Promise.resolve(path)), live, async () => {
            const busy = (running.get(path ?? `${index}`) ?? 0) + 1;
            expect(busy).toBe(1);
            running.set(path ?? `${index}`, busy);
            order.push(index);
            await scheduler.schedule(Promise.resolve());
            running.set(path ?? `${index}`, busy - 1);
          }),
        );
        await scheduler.waitFor(Promise.all(calls));
        for (const path of ['/a', '/b']) {
          const mine = order.filter((index) => paths[index] === path);
          expect(mine).toEqual(mine.toSorted((left, right) => left - right));
        }
        expect(order.length).toBe(paths.length);
      },
    ),
    { numRuns: 150 * runs },
  );
});

it('lets calls for other paths pass', async () => {
  const session = newSession();
  const first = gate();
  const slow = inCallOrder(session, Promise.resolve('/slow'), live, () => first.opened);
  expect(await inCallOrder(session, Promise.resolve('/other'), live, async () => 'passed')).toBe('passed');
  first.open();
  await slow;
});

it('orders the calls of two sessions for one path', async () => {
  const first = gate();
  const order: string[] = [];
  const started = gate();
  const one = inCallOrder(newSession(), Promise.resolve('/shared'), live, async () => {
    started.open();
    await first.opened;
    order.push('one');
  });
  await started.opened;
  const two = inCallOrder(newSession(), Promise.resolve('/shared'), live, async () => void order.push('two'));
  first.open();
  await Promise.all([one, two]);
  expect(order).toEqual(['one', 'two']);
});

it('continues after a call that throws', async () => {
  const session = newSession();
  const failing = inCallOrder(session, Promise.resolve('/a'), live, () => Promise.reject(new Error('no')));
  const next = inCallOrder(session, Promise.resolve('/a'), live, async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('continues after a call whose path cannot be found out', async () => {
  const session = newSession();
  const failing = inCallOrder(session, Promise.reject(new Error('no')), live, async () => {});
  const next = inCallOrder(session, Promise.resolve('/a'), live, async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

it('a waiter that is aborted leaves at once, and nobody passes the one still running', async () => {
  const session = newSession();
  const first = gate();
  const order: string[] = [];
  const one = inCallOrder(session, Promise.resolve('/a'), live, async () => {
    await first.opened;
    order.push('one');
  });
  const controller = new AbortController();
  const two = inCallOrder(session, Promise.resolve('/a'), controller.signal, async () => void order.push('two'));
  const three = inCallOrder(session, Promise.resolve('/a'), live, async () => void order.push('three'));
  controller.abort(new Error('cancelled'));
  await expect(two).rejects.toThrow('cancelled');
  first.open();
  await Promise.all([one, three]);
  expect(order).toEqual(['one', 'three']);
});

it('a link that leads elsewhere once its turn has come is refused', async () => {
  const bench = await workbench({ readBeforeEdit: false });
  const link = join(bench.folder, 'link.txt');
  const path = await bench.put('a.txt', 'a');
  await bench.put('b.txt', 'b');
  await symlink('a.txt', link);
  const first = gate();
  const holding = inCallOrder(bench.session, Promise.resolve(path), live, () => first.opened);
  const write = bench.call('Write', { file_path: 'link.txt', content: 'new' });
  // Calls are let in one after the other: once this one runs, the write is waiting for a.txt.
  await inCallOrder(bench.session, Promise.resolve('/other'), live, async () => {});
  await rm(link);
  await symlink('b.txt', link);
  first.open();
  await holding;
  expect(await write).toMatchObject({ isError: true, text: 'link.txt leads to another file by now. Try again.' });
  expect([await bench.text('a.txt'), await bench.text('b.txt')]).toEqual(['a', 'b']);
});
