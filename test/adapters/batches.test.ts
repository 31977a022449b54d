import { expect, test } from 'vitest';
import { iterateBatches, type BatchSource } from '../../src/adapters/batches.ts';

/** Pieces that are read one after the other; an Error is thrown, a promise is waited for. */
function source(
  pieces: readonly (readonly number[] | Error | Promise<readonly number[]>)[],
): BatchSource<readonly number[] | undefined, number> & { readonly log: string[] } {
  const log: string[] = [];
  let next = 0;
  return {
    log,
    async read() {
      log.push('read');
      const piece = await pieces[next++];
      if (piece instanceof Error) throw piece;
      return piece;
    },
    accept: (piece) => piece,
    failure: (error) => new Error('mapped', { cause: error }),
    close: () => log.push('close'),
  };
}

async function all(items: AsyncIterable<number>): Promise<readonly number[]> {
  const seen: number[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

test('gives the items of all pieces in order, passes over empty ones, closes once', async () => {
  const from = source([[1, 2], [], [3]]);
  expect(await all(iterateBatches(from))).toEqual([1, 2, 3]);
  expect(from.log).toEqual(['read', 'read', 'read', 'read', 'close']);
});

test('an item after many empty pieces comes as soon as one after none', async () => {
  const stepsBehind = async (empty: number): Promise<number> => {
    let steps = -1;
    const items = iterateBatches({
      ...source([...Array.from({ length: empty }, () => []), [1]]),
      accept(piece: readonly number[] | undefined) {
        if (piece?.length === 1) steps = 0;
        return piece;
      },
    });
    let hasCome = false;
    const first = items.next().finally(() => (hasCome = true));
    while (!hasCome) {
      await Promise.resolve();
      if (steps >= 0) steps++;
    }
    await first;
    return steps;
  };
  expect(await stepsBehind(1000)).toBe(await stepsBehind(1));
});

test('reads a piece only when its items are wanted', async () => {
  const from = source([[1, 2], [3]]);
  const items = iterateBatches(from);
  await items.next();
  await items.next();
  expect(from.log).toEqual(['read']);
});

test('calls that overlap are answered in order, the last ones with the end', async () => {
  const items = iterateBatches(source([[1], [2, 3]]));
  const results = await Promise.all(Array.from({ length: 5 }, () => items.next()));
  expect(results.map(({ value }) => value as number | undefined)).toEqual([1, 2, 3, undefined, undefined]);
});

test('an error is mapped, thrown once, and ends the reading', async () => {
  const cause = new Error('broken');
  const from = source([[1], cause]);
  const items = iterateBatches(from);
  await items.next();
  await expect(items.next()).rejects.toMatchObject({ message: 'mapped', cause });
  expect(await items.next()).toEqual({ value: undefined, done: true });
  expect(from.log.filter((entry) => entry === 'close')).toHaveLength(1);
});

test('leaving the loop drops the rest and closes', async () => {
  const from = source([[1, 2, 3]]);
  const items = iterateBatches(from);
  for await (const item of items) if (item === 1) break;
  expect(from.log).toEqual(['read', 'close']);
  expect(await items.next()).toEqual({ value: undefined, done: true });
});

test('leaving twice closes once', async () => {
  const from = source([[1]]);
  const items = iterateBatches(from);
  await items.return?.();
  await items.return?.();
  expect(from.log).toEqual(['close']);
});

test('a piece that comes after the reader left is dropped', async () => {
  let answer = (_: readonly number[]): void => undefined;
  const late = new Promise<readonly number[]>((resolve) => (answer = resolve));
  const items = iterateBatches(source([late]));
  const waiting = items.next();
  await items.return?.();
  answer([1]);
  expect(await waiting).toEqual({ value: undefined, done: true });
});
