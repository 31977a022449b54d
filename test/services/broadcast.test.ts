import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Broadcaster } from '../../src/services/broadcast.ts';
import { nextMacrotask } from '../../src/testing/real-time.ts';

async function all<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const seen: Event[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const iteratorOf = <Event>(events: AsyncIterable<Event>) => events[Symbol.asyncIterator]();

describe('readers', () => {
  test('see every event from the moment they were made, in order', async () => {
    const source = new Broadcaster<number>();
    const early = source.read();
    source.push(1);
    const late = source.read();
    source.push(2);
    source.end();
    expect([await all(early), await all(late), await all(source.read())]).toEqual([[1, 2], [2], []]);
  });

  test('that wait are woken, all of them', async () => {
    const source = new Broadcaster<number>();
    const readers = Array.from({ length: 10 }, () => all(source.read()));
    await nextMacrotask();
    for (const event of [1, 2, 3]) source.push(event);
    source.end();
    expect(await Promise.all(readers)).toEqual(Array.from({ length: 10 }, () => [1, 2, 3]));
  });

  test('may be slower and faster than the source', async () => {
    const source = new Broadcaster<number>();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const event of source.read()) {
        seen.push(event);
        if (event % 3 === 0) await nextMacrotask();
      }
    })();
    for (let event = 0; event < 20; event++) {
      source.push(event);
      if (event % 5 === 0) await nextMacrotask();
    }
    source.end();
    await reading;
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  test('serve concurrent calls of next in the order they were made', async () => {
    const source = new Broadcaster<number>();
    const reader = iteratorOf(source.read());
    const results = [reader.next(), reader.next(), reader.next(), reader.next()];
    source.push(1);
    source.push(2);
    source.push(3);
    source.end();
    expect((await Promise.all(results)).map(({ value, done }) => [value, done])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [undefined, true],
    ]);
  });

  test('stay at the end after the end', async () => {
    const source = new Broadcaster<number>();
    const reader = iteratorOf(source.read());
    source.end();
    for (let time = 0; time < 3; time++) expect(await reader.next()).toEqual({ value: undefined, done: true });
  });

  test('that return end open calls of next, and see nothing more', async () => {
    const source = new Broadcaster<number>();
    const reader = iteratorOf(source.read());
    const open = [reader.next(), reader.next()];
    await reader.return?.();
    source.push(1);
    expect((await Promise.all([...open, reader.next()])).map(({ done }) => done)).toEqual([true, true, true]);
  });

  test('leave others alone when they return', async () => {
    const source = new Broadcaster<number>();
    const [one, other] = [iteratorOf(source.read()), all(source.read())];
    void one.next();
    await one.return?.();
    source.push(1);
    source.end();
    expect(await other).toEqual([1]);
  });

  test('can be iterated once; a second iteration throws events.consumed', () => {
    const events = new Broadcaster<number>().read();
    iteratorOf(events);
    expect(() => iteratorOf(events)).toThrow(expect.objectContaining({ code: 'events.consumed' }) as Error);
  });

  test('a reader that pushes while it is woken loses nothing', async () => {
    const source = new Broadcaster<number>((event) => {
      if (event < 5) source.push(event + 1);
      else source.end();
    });
    const reading = all(source.read());
    await nextMacrotask();
    source.push(1);
    expect(await reading).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the source', () => {
  test('drops what is pushed after the end, and ends once', async () => {
    const source = new Broadcaster<number>();
    const reading = all(source.read());
    source.push(1);
    source.end();
    source.push(2);
    source.end();
    expect(await reading).toEqual([1]);
  });

  test('calls its listener within push, even if nobody reads', () => {
    const heard: number[] = [];
    const source = new Broadcaster<number>((event) => heard.push(event));
    source.push(1);
    expect(heard).toEqual([1]);
    source.end();
    source.push(2);
    expect(heard).toEqual([1]);
  });

  test('a push touches only readers that wait: the cost does not grow with the number of readers', () => {
    const source = new Broadcaster<number>();
    const idle = Array.from({ length: 1000 }, () => iteratorOf(source.read()));
    let woken = 0;
    const waiting = iteratorOf(source.read());
    const wake = Reflect.get(waiting, 'wake') as () => void;
    for (const reader of [...idle, waiting]) {
      Reflect.set(reader, 'wake', function counted(this: unknown) {
        woken++;
        wake.call(this);
      });
    }
    void waiting.next();
    for (let event = 0; event < 100; event++) source.push(event);
    expect(woken).toBe(1);
  });
});

describe('memory', () => {
  // Flags are per process; workers of the test runner end with their file.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const isGone = async (reference: WeakRef<object>) => {
    for (let time = 0; time < 5 && reference.deref() !== undefined; time++) {
      await nextMacrotask();
      collect();
    }
    return reference.deref() === undefined;
  };
  const pushed = (source: Broadcaster<object>) => {
    const event = {};
    source.push(event);
    source.push({});
    return new WeakRef(event);
  };

  test('an event that every reader has seen is freed', async () => {
    const source = new Broadcaster<object>();
    const reader = iteratorOf(source.read());
    const first = pushed(source);
    await reader.next();
    await reader.next();
    expect(await isGone(first)).toBe(true);
    expect((await reader.return?.())?.done).toBe(true);
  });

  test('an event that a held reader has not seen is not', async () => {
    const source = new Broadcaster<object>();
    const events = source.read();
    const first = pushed(source);
    expect(await isGone(first)).toBe(false);
    expect((await iteratorOf(events).next()).value).toBe(first.deref());
  });

  test('a reader that was dropped retains nothing', async () => {
    const source = new Broadcaster<object>();
    const kept: unknown[] = [];
    (() => void source.read())();
    const first = pushed(source);
    expect(await isGone(first)).toBe(true);
    kept.push(source);
  });

  test('a reader that returned retains nothing', async () => {
    const source = new Broadcaster<object>();
    const reader = iteratorOf(source.read());
    await reader.return?.();
    const first = pushed(source);
    expect(await isGone(first)).toBe(true);
    expect((await reader.next()).done).toBe(true);
  });
});
