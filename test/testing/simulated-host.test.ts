import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulatedHost, type SimulatedHost } from '../../src/testing/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** Notes the label and the time at which it fires. */
function timer(host: SimulatedHost, log: string[], label: string, ms: number): unknown {
  return host.setTimeout(() => log.push(`${label}@${host.now()}`), ms);
}

describe('the clock', () => {
  test('stands still until it is advanced', async () => {
    const host = simulatedHost({ startAt: 1_000 });
    await host.settle();
    expect(host.now()).toBe(1_000);
    await host.advance(250);
    expect(host.now()).toBe(1_250);
  });

  test('starts at 0 by default', () => {
    expect(simulatedHost().now()).toBe(0);
  });

  test('refuses to go backwards and to run forever', async () => {
    const host = simulatedHost();
    await expect(host.advance(-1)).rejects.toThrow(RangeError);
    await expect(host.advance(Number.NaN)).rejects.toThrow(RangeError);
    await expect(host.advance(Infinity)).rejects.toThrow(RangeError);
    expect(host.now()).toBe(0);
  });
});

describe('timers', () => {
  test('fire in order of due time, each at its own time', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'late', 30);
    timer(host, log, 'early', 10);
    timer(host, log, 'middle', 20);
    await host.advance(100);
    expect(log).toEqual(['early@10', 'middle@20', 'late@30']);
    expect(host.now()).toBe(100);
  });

  test('fire in order of creation when they fall due together', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'first', 20);
    await host.advance(10);
    timer(host, log, 'second', 10);
    await host.advance(10);
    expect(log).toEqual(['first@20', 'second@20']);
  });

  test('that are not yet due do not fire', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'a', 11);
    await host.advance(10);
    expect(log).toEqual([]);
    await host.advance(1);
    expect(log).toEqual(['a@11']);
  });

  test('that were cleared do not fire, also when another clears them', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    const cleared = timer(host, log, 'cleared', 10);
    host.clearTimeout(cleared);
    const later = timer(host, log, 'later', 10);
    host.setTimeout(() => host.clearTimeout(later), 5);
    await host.advance(10);
    expect(log).toEqual([]);
  });

  test('clearing one that has fired, or none, does nothing', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    const fired = timer(host, log, 'a', 1);
    timer(host, log, 'b', 2);
    await host.advance(1);
    host.clearTimeout(fired);
    host.clearTimeout(undefined);
    host.clearTimeout(null);
    await host.advance(1);
    expect(log).toEqual(['a@1', 'b@2']);
  });

  test('that timers and their microtasks create fire in the same advance when due', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    host.setTimeout(() => {
      void Promise.resolve()
        .then(() => undefined)
        .then(() => timer(host, log, 'inner', 5));
    }, 10);
    timer(host, log, 'outer', 20);
    await host.advance(20);
    expect(log).toEqual(['inner@15', 'outer@20']);
  });

  test('with a negative delay or none count as due now', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'negative', -5);
    timer(host, log, 'none', Number.NaN);
    await host.settle();
    expect(log).toEqual(['negative@0', 'none@0']);
  });

  test('with an infinite delay never fire', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'never', Infinity);
    await host.advance(1e12);
    expect(log).toEqual([]);
    expect(host.pendingTimers()).toBe(1);
  });

  test('are counted until they fire or are cleared', async () => {
    const host = simulatedHost();
    const id = host.setTimeout(() => undefined, 10);
    host.setTimeout(() => undefined, 20);
    host.setTimeout(() => undefined, 30);
    expect(host.pendingTimers()).toBe(3);
    host.clearTimeout(id);
    expect(host.pendingTimers()).toBe(2);
    await host.advance(20);
    expect(host.pendingTimers()).toBe(1);
  });
});

describe('advance', () => {
  test('resolves after long chains of microtasks', async () => {
    const host = simulatedHost();
    let turns = 0;
    host.setTimeout(() => {
      void (async () => {
        while (turns < 5_000) turns = await Promise.resolve(turns + 1);
      })();
    }, 10);
    await host.advance(10);
    expect(turns).toBe(5_000);
  });

  test('lets the microtasks of one timer run before the next timer fires', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    host.setTimeout(() => void Promise.resolve().then(() => log.push('microtask')), 10);
    host.setTimeout(() => log.push('timer'), 10);
    await host.advance(10);
    expect(log).toEqual(['microtask', 'timer']);
  });

  test('waits for an advance that is under way', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    timer(host, log, 'a', 10);
    timer(host, log, 'b', 30);
    const both = Promise.all([host.advance(20), host.advance(20)]);
    await both;
    expect(log).toEqual(['a@10', 'b@30']);
    expect(host.now()).toBe(40);
  });

  test('may be called from inside a timer', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    let inner: Promise<void> | undefined;
    host.setTimeout(() => {
      inner = host.advance(10);
    }, 10);
    timer(host, log, 'a', 20);
    await host.advance(10);
    await inner;
    expect(log).toEqual(['a@20']);
  });

  test('rejects with what a timer throws and continues at the next call', async () => {
    const host = simulatedHost();
    const log: string[] = [];
    host.setTimeout(() => {
      throw new Error('boom');
    }, 10);
    timer(host, log, 'after', 20);
    await expect(host.advance(20)).rejects.toThrow('boom');
    expect(host.now()).toBe(10);
    await host.advance(10);
    expect(log).toEqual(['after@20']);
  });
});

describe('identity and chance', () => {
  test('ids count up, each kind for itself', () => {
    const host = simulatedHost();
    const kinds = ['message', 'message', 'turn', 'call', 'task', 'session', 'message'] as const;
    expect(kinds.map((kind) => host.createId(kind))).toEqual([
      'msg_1',
      'msg_2',
      'turn_1',
      'call_1',
      'task_1',
      'session_1',
      'msg_3',
    ]);
  });

  test('random values are in [0, 1) and the same for the same seed', () => {
    const draw = (seed: number) => {
      const host = simulatedHost({ seed });
      return Array.from({ length: 20 }, () => host.random());
    };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const values = draw(seed);
        expect(values).toEqual(draw(seed));
        expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
      }),
      { numRuns: 50 * runs },
    );
  });

  test('another seed gives other values', () => {
    expect(simulatedHost({ seed: 1 }).random()).not.toBe(simulatedHost({ seed: 2 }).random());
  });
});

test('any program of timers fires as a sorted list would, however the advances are cut', async () => {
  const program = fc.array(fc.nat(50), { maxLength: 20 });
  const steps = fc.array(fc.nat(30), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(program, steps, async (delays, advances) => {
      const host = simulatedHost();
      const log: string[] = [];
      for (const [index, ms] of delays.entries()) timer(host, log, `${index}`, ms);
      for (const ms of advances) await host.advance(ms);
      const end = advances.reduce((sum, ms) => sum + ms, 0);
      const expected = delays
        .map((ms, index) => ({ ms, index }))
        .filter(({ ms }) => ms <= end)
        .toSorted((a, b) => a.ms - b.ms || a.index - b.index);
      expect(log).toEqual(expected.map(({ ms, index }) => `${index}@${ms}`));
      expect(host.pendingTimers()).toBe(delays.length - expected.length);
    }),
    { numRuns: 100 * runs },
  );
});
