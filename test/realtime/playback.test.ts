// The playback ledger against a player that really plays: what it says was heard was heard, whatever the player reports.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlaybackClock } from '../../src/contracts/realtime.ts';
import { PlaybackLedger } from '../../src/realtime/playback.ts';
import { simulatedHost } from '../../src/testing/index.ts';

const perMs = 48;

function ledgerWith(clock: PlaybackClock | 'estimate' = 'estimate') {
  const host = simulatedHost();
  let finished = 0;
  const errors: unknown[] = [];
  const ledger = new PlaybackLedger({
    host,
    bytesPerMs: () => perMs,
    clock,
    finished: () => finished++,
    onClockError: (error) => errors.push(error),
  });
  return { host, ledger, errors, finished: () => finished };
}

describe('the estimate', () => {
  test('is a player that plays what has come and pauses while it has nothing', async () => {
    const { host, ledger } = ledgerWith();
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    await host.advance(250); // 150 ms of it in silence
    ledger.receive('r', 'i', 0, 100 * perMs, 2);
    await host.advance(30);
    expect(ledger.cut().heard).toMatchObject({ playedMs: 130, receivedMs: 200, estimated: true });
  });

  test('ends when everything was played, also items that waited for each other', async () => {
    const { host, ledger, finished } = ledgerWith();
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    ledger.receive('r', 'j', 0, 100 * perMs, 2);
    ledger.finishReceiving('r');
    await host.advance(199);
    expect(finished()).toBe(0);
    await host.advance(1);
    expect({ finished: finished(), timers: host.pendingTimers() }).toEqual({ finished: 1, timers: 0 });
  });

  test('property: never more than was received, never more than time has passed', async () => {
    const moves = fc.array(
      fc.oneof(
        fc.record({ receive: fc.integer({ min: 1, max: 400 }), item: fc.nat(2) }),
        fc.record({ wait: fc.integer({ min: 1, max: 400 }) }),
      ),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(moves, async (program) => {
        const { host, ledger } = ledgerWith();
        const received: Record<string, number> = {};
        for (const [index, move] of program.entries()) {
          if ('wait' in move) await host.advance(move.wait);
          else {
            ledger.receive('r', `i${move.item}`, 0, move.receive * perMs, index);
            received[`i${move.item}`] = (received[`i${move.item}`] ?? 0) + move.receive;
          }
        }
        const { heard, truncate, unheard } = ledger.cut();
        if (heard !== undefined) {
          expect(heard.receivedMs).toBe(received[heard.itemId]);
          expect(heard.playedMs).toBeLessThanOrEqual(Math.min(heard.receivedMs, host.now()));
        }
        if (truncate !== undefined) {
          expect(truncate.audioEndMs).toBeGreaterThan(0);
          expect(truncate.audioEndMs).toBeLessThanOrEqual(received[truncate.itemId] ?? 0);
          expect(unheard).not.toContain(truncate.itemId);
        }
        expect(ledger.isEmpty).toBe(true);
      }),
      { numRuns: 100 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});

describe('a player that reports', () => {
  test('is believed from its first report on: the wall clock counts no more', async () => {
    const { host, ledger } = ledgerWith();
    ledger.receive('r', 'i', 0, 1_000 * perMs, 1);
    ledger.report('i', 0, 100);
    await host.advance(800);
    expect(ledger.cut().heard).toMatchObject({ playedMs: 100, estimated: false });
  });

  test('may count bytes', () => {
    const { ledger } = ledgerWith();
    ledger.receive('r', 'i', 0, 1_000 * perMs, 1);
    ledger.reportBytes('i', 0, 250 * perMs);
    expect(ledger.cut().heard).toMatchObject({ playedMs: 250 });
  });

  test('may give marks back: everything through that delta was played', () => {
    const { ledger } = ledgerWith();
    for (const [index, itemId] of ['i', 'i', 'j', 'j'].entries())
      ledger.receive('r', itemId, 0, 100 * perMs, index + 1);
    ledger.finishReceiving('r');
    ledger.reportMark(3);
    const { heard, truncate, unheard } = ledger.cut();
    expect({ heard, truncate, unheard }).toMatchObject({
      heard: { itemId: 'j', playedMs: 100 },
      truncate: { itemId: 'j', audioEndMs: 100 },
      unheard: [],
    });
  });

  test('never goes back, and never beyond what came', () => {
    const { ledger } = ledgerWith();
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    ledger.report('i', 0, 80);
    ledger.report('i', 0, 20);
    ledger.report('i', 0, Number.NaN);
    ledger.report('unknown', 0, 5);
    expect(ledger.cut().heard).toMatchObject({ playedMs: 80 });
    ledger.receive('r', 'i', 0, 100 * perMs, 2);
    ledger.report('i', 0, 1e9);
    expect(ledger.cut().heard).toMatchObject({ playedMs: 100 });
  });

  test('is waited for: a paused player has not heard the rest', async () => {
    const { host, ledger, finished } = ledgerWith();
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    ledger.report('i', 0, 50);
    ledger.finishReceiving('r');
    await host.advance(3_600_000);
    expect(finished()).toBe(0);
    ledger.report('i', 0, 100);
    expect(finished()).toBe(1);
  });
});

describe('a clock', () => {
  test('is asked when it counts', async () => {
    let played = 0;
    const { host, ledger, finished } = ledgerWith({ playedMs: () => played });
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    played = 40;
    ledger.finishReceiving('r');
    await host.advance(60);
    expect(finished()).toBe(0);
    played = 100;
    await host.advance(60);
    expect({ finished: finished(), timers: host.pendingTimers() }).toEqual({ finished: 1, timers: 0 });
  });

  test('that knows of a later item says that what comes before was heard', () => {
    const { ledger } = ledgerWith({ playedMs: (itemId) => (itemId === 'j' ? 30 : undefined) });
    ledger.receive('r', 'i', 0, 100 * perMs, 1);
    ledger.finishReceiving('r', 'i', 0);
    ledger.receive('r', 'j', 0, 100 * perMs, 2);
    expect(ledger.cut()).toMatchObject({
      heard: { itemId: 'j', playedMs: 30 },
      truncate: { itemId: 'j' },
      unheard: [],
    });
  });

  test('that knows nothing, throws or lies counts as nothing heard', () => {
    const answers: readonly (() => unknown)[] = [
      () => undefined,
      () => 'soon',
      () => -5,
      () => {
        throw new Error('no player');
      },
    ];
    for (const answer of answers) {
      const { ledger, errors } = ledgerWith({ playedMs: answer as () => number });
      ledger.receive('r', 'i', 0, 100 * perMs, 1);
      expect(ledger.cut()).toMatchObject({ heard: { playedMs: 0 }, truncate: undefined, unheard: ['i'] });
      expect(errors.length).toBeLessThanOrEqual(1);
    }
  });
});

test('a caller who knows better says so', () => {
  const { ledger } = ledgerWith();
  ledger.receive('r', 'i', 0, 100 * perMs, 1);
  expect(ledger.cut(60)).toMatchObject({ heard: { playedMs: 60, estimated: false }, truncate: { audioEndMs: 60 } });
});

test('an item of which an earlier part was heard is not deleted', () => {
  const { ledger } = ledgerWith();
  ledger.receive('r', 'i', 0, 100 * perMs, 1);
  ledger.finishReceiving('r', 'i', 0);
  ledger.receive('r', 'i', 1, 100 * perMs, 2);
  ledger.report('i', 0, 100);
  expect(ledger.cut()).toMatchObject({ heard: { contentIndex: 1, playedMs: 0 }, truncate: undefined, unheard: [] });
});
