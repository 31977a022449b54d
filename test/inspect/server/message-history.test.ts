import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageHistory, type StoredMessage } from '../../../src/inspect/server/message-history.ts';

let sequence = 0;

function message(type: StoredMessage['type'], sessionId: string, isEnd = false): StoredMessage {
  const own = sequence++;
  return { sequence: own, sessionId, type, text: `${own}`, isEnd };
}

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('MessageHistory', () => {
  test('gives everything, or what came after a message', () => {
    const history = new MessageHistory({ messages: 10, size: 1_000 });
    const told = [message('@xstate.actor', 'a'), message('@xstate.event', 'a'), message('@xstate.snapshot', 'a')];
    for (const one of told) history.add(one);
    expect(history.after(-1)).toEqual(told);
    expect(history.after(told[1]?.sequence ?? 0)).toEqual(told.slice(2));
  });

  test('of an actor that lives keeps the registration and the last snapshot', () => {
    const history = new MessageHistory({ messages: 20, size: 1_000 });
    const [actor, old, last] = [
      message('@xstate.actor', 'long'),
      message('@xstate.snapshot', 'long'),
      message('@xstate.snapshot', 'long'),
    ];
    for (const one of [actor, old, last]) history.add(one);
    for (let n = 0; n < 50; n++) history.add(message('@xstate.event', 'other'));
    expect(history.after(-1).slice(0, 2)).toEqual([actor, last]);
    expect(history.after(-1)).toHaveLength(22);
  });

  test('forgets an actor that has ended', () => {
    const history = new MessageHistory({ messages: 20, size: 1_000 });
    history.add(message('@xstate.actor', 'short'));
    history.add(message('@xstate.snapshot', 'short', true));
    for (let n = 0; n < 50; n++) history.add(message('@xstate.event', 'other'));
    expect(history.after(-1)).toHaveLength(20);
  });

  test('of actors that never end keeps no more than its size', () => {
    const history = new MessageHistory({ messages: 1_000, size: 10_000 });
    const text = 'x'.repeat(1_000);
    for (let n = 0; n < 100; n++) {
      history.add({ ...message('@xstate.actor', `a${n}`), text });
      history.add({ ...message('@xstate.snapshot', `a${n}`), text });
    }
    const size = history.after(-1).reduce((sum, one) => sum + one.text.length, 0);
    expect(size).toBeLessThanOrEqual(20_000);
    expect(size).toBeGreaterThan(15_000);
  });

  test('keeps in order and within its bounds whatever comes', () => {
    const kinds = fc.constantFrom('@xstate.actor', '@xstate.event', '@xstate.snapshot');
    const moves = fc.array(fc.tuple(kinds, fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(moves, fc.integer({ min: 10, max: 40 }), (list, bound) => {
        const history = new MessageHistory({ messages: bound, size: 1e6 });
        for (const [type, id, isEnd] of list) history.add(message(type, id, isEnd));
        const told = history.after(-1).map((one) => one.sequence);
        expect(told).toEqual(told.toSorted((left, right) => left - right));
        expect(told.length).toBeLessThanOrEqual(bound + 2 * Math.ceil(bound / 10));
        expect(new Set(told).size).toBe(told.length);
      }),
      { numRuns: runs },
    );
  });
});
