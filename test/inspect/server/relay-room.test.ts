import { describe, expect, test } from 'vitest';
import { RelayRoom } from '../../../src/inspect/server/relay-room.ts';

// A connection that keeps what it is sent.
function listener(bufferedAmount = 0) {
  const sent: string[] = [];
  const own = {
    sent,
    bufferedAmount,
    isGone: false,
    send: (text: string) => void sent.push(text),
    terminate: () => {
      own.isGone = true;
    },
  };
  return own;
}

const message = (n: number) => ({ type: '@xstate.event', sessionId: 'x:0', event: { type: `e${n}` } });

describe('RelayRoom', () => {
  test('sends away who does not read, and tells the others', () => {
    const room = new RelayRoom('epoch');
    const [slow, quick] = [listener(33 * 1024 * 1024), listener()];
    room.listen(slow, null);
    room.listen(quick, null);
    room.take(message(1), 'p0');
    room.take(message(2), 'p0');
    expect([slow.isGone, slow.sent.length]).toEqual([true, 0]);
    expect([quick.isGone, quick.sent.length]).toEqual([false, 2]);
  });

  test('does not tell a sender what it said', () => {
    const room = new RelayRoom('epoch');
    const own = listener();
    room.listen(own, null);
    room.takeText(JSON.stringify(message(1)), 'p0', own);
    expect(own.sent).toEqual([]);
  });

  test.each([null, '', 'x', 'other-5', 'epoch-', 'epoch-x', 'epoch'])(
    'tells everything to who saw %j last',
    (after) => {
      const room = new RelayRoom('epoch');
      room.take(message(1), 'p0');
      const own = listener();
      room.listen(own, after);
      expect(own.sent).toHaveLength(1);
    },
  );

  test('does not answer a listener that has left', () => {
    const room = new RelayRoom('epoch');
    const own = listener();
    room.listen(own, null);
    room.leave(own);
    room.take(message(1), 'p0');
    expect(own.sent).toEqual([]);
  });
});
