// What readers of a session's events get, and what one that lags costs.

import { describe, expect, test } from 'vitest';
import type { RealtimeEvent } from '../../src/contracts/realtime.ts';
import { EventOutlet } from '../../src/realtime/event-outlet.ts';

const limits = { audioBytes: 480, bytesPerMs: 48, events: 5 };

const audio = (sequence: number, ms = 1): RealtimeEvent => ({
  type: 'audio.delta',
  responseId: 'r',
  itemId: 'i',
  contentIndex: 0,
  audio: new Uint8Array(ms * 48),
  sequence,
});
const usual = (digit: number): RealtimeEvent => ({ type: 'call.dtmf', digit: String(digit) });

async function all(outlet: EventOutlet): Promise<readonly RealtimeEvent[]> {
  const events: RealtimeEvent[] = [];
  for await (const event of outlet) events.push(event);
  return events;
}

const shown = (event: RealtimeEvent) =>
  event.type === 'audio.delta' ? event.sequence : event.type === 'call.dtmf' ? `k${event.digit}` : event.type;

describe('readers', () => {
  test('the first begins at the beginning, the second where it began', async () => {
    const outlet = new EventOutlet(() => limits);
    outlet.push(usual(1));
    const first = outlet[Symbol.asyncIterator]();
    const second = outlet[Symbol.asyncIterator]();
    outlet.push(usual(2));
    expect(
      [await first.next(), await first.next(), await second.next()].map(({ value }) => value && shown(value)),
    ).toEqual(['k1', 'k2', 'k2']);
  });

  test('that wait are woken by what comes, one each in order', async () => {
    const outlet = new EventOutlet(() => limits);
    const reader = outlet[Symbol.asyncIterator]();
    const asked = [reader.next(), reader.next(), reader.next()];
    outlet.push(usual(1));
    outlet.push(usual(2));
    outlet.end();
    expect((await Promise.all(asked)).map(({ value, done }) => [value && shown(value), done])).toEqual([
      ['k1', false],
      ['k2', false],
      [undefined, true],
    ]);
  });

  test('that come after the end get nothing, and the first what there was', async () => {
    const outlet = new EventOutlet(() => limits);
    outlet.push(usual(1));
    outlet.end();
    outlet.push(usual(2));
    expect((await all(outlet)).map(shown)).toEqual(['k1']);
    expect(await all(outlet)).toEqual([]);
  });

  test('that leave are done, and others continue', async () => {
    const outlet = new EventOutlet(() => limits);
    const stays = outlet[Symbol.asyncIterator]();
    const leaves = outlet[Symbol.asyncIterator]();
    await leaves.return?.();
    outlet.push(usual(1));
    expect(await leaves.next()).toEqual({ value: undefined, done: true });
    expect((await stays.next()).value).toEqual(usual(1));
  });
});

describe('a reader that lags', () => {
  test('loses the oldest audio before anything else, and learns how much', async () => {
    const outlet = new EventOutlet(() => limits);
    outlet.push(usual(0));
    for (let sequence = 1; sequence <= 15; sequence++) outlet.push(audio(sequence));
    outlet.push(usual(1));
    outlet.end();
    const events = await all(outlet);
    expect(events[0]).toEqual({ type: 'congestion', direction: 'output', queuedMs: 10, droppedMs: 5 });
    expect(events.slice(1).map(shown)).toEqual(['k0', 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 'k1']);
  });

  test('keeps the last piece, however large', async () => {
    const outlet = new EventOutlet(() => limits);
    outlet.push(audio(1, 50));
    outlet.push(audio(2, 50));
    outlet.end();
    expect((await all(outlet)).map(shown)).toEqual(['congestion', 2]);
  });

  test('loses the oldest events when there are too many: the end is never among them', async () => {
    const outlet = new EventOutlet(() => limits);
    for (let digit = 0; digit < 9; digit++) outlet.push(usual(digit));
    outlet.push({ type: 'session.closed', reason: 'requested' });
    outlet.end();
    expect((await all(outlet)).map(shown)).toEqual(['k5', 'k6', 'k7', 'k8', 'session.closed']);
  });
});
