// Where an answer is cut that the caller interrupts and says how far it was heard.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlaybackLedger } from '../../src/realtime/playback.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { openSession, responseEnd, speech, type FakeSession } from './fake-wire.ts';

const bytesPerMs = 48;

/** 400 ms of one item have come, and so much time has passed since. */
async function hearing(passedMs: number): Promise<FakeSession> {
  const fake = await openSession();
  fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 400));
  await fake.host.advance(passedMs);
  return fake;
}

const done = { type: 'audio.done', responseId: 'r1', itemId: 'i1', contentIndex: 0 } as const;

describe('case 30: response.interrupt with a position', () => {
  test('beyond what was received cuts at what was received', async () => {
    const fake = await hearing(100);
    void fake.send({ type: 'response.interrupt', playedMs: 900 });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', contentIndex: 0, audioEndMs: 400 }]);
    await fake.settle();
    expect(fake.told('response.interrupted')).toMatchObject([{ playedMs: 400, receivedMs: 400, estimated: false }]);
  });

  test('within it cuts there, whatever the clock says', async () => {
    const fake = await hearing(300);
    void fake.send({ type: 'response.interrupt', playedMs: 120.7 });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 120 }]);
  });

  test.each([400, 900])('%i of 400 ms that are all there is: nothing is truncated or deleted', async (playedMs) => {
    const fake = await hearing(100);
    fake.wire.give(done, responseEnd('r1'));
    void fake.send({ type: 'response.interrupt', playedMs });
    await fake.settle();
    expect(fake.wire.sent('item.truncate')).toEqual([]);
    expect(fake.wire.sent('item.delete')).toEqual([]);
    expect(fake.told('response.interrupted')).toMatchObject([{ itemId: 'i1', playedMs: 400, receivedMs: 400 }]);
  });

  test('399 of 400 ms that are all there is: truncated there', async () => {
    const fake = await hearing(100);
    fake.wire.give(done, responseEnd('r1'));
    void fake.send({ type: 'response.interrupt', playedMs: 399 });
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 399 }]);
  });
});

test('property: no position a caller gives makes a cut beyond what was received, or of what is over', async () => {
  const milliseconds = fc.integer({ min: 1, max: 2_000 });
  const play = fc.record({ received: milliseconds, passed: milliseconds, isDone: fc.boolean(), position: fc.double() });
  await fc.assert(
    fc.asyncProperty(play, async ({ received, passed, isDone, position }) => {
      const host = simulatedHost();
      const nothing = () => undefined;
      const parts = { host, bytesPerMs: () => bytesPerMs, finished: nothing, onClockError: nothing };
      const ledger = new PlaybackLedger({ ...parts, clock: 'estimate' });
      ledger.receive('r', 'i', 0, received * bytesPerMs, 1);
      if (isDone) ledger.finishReceiving('r');
      await host.advance(passed);
      const { heard, truncate } = ledger.cut(position);
      expect(heard?.playedMs ?? 0).toBeLessThanOrEqual(received);
      expect(truncate?.audioEndMs ?? 0).toBeLessThanOrEqual(isDone ? received - 1 : received);
    }),
    { numRuns: 200 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});
