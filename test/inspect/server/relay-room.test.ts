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
  test('disconnects those who do not read, and informs the others', () => {
    const room = new RelayRoom('epoch');
    const [slow, quick] = [listener(), listener()];
    room.listen(slow, null);
    room.listen(quick, null);
    slow.bufferedAmount = 33 * 1024 * 1024;
    room.take(message(1), 'p0');
    room.take(message(2), 'p0');
    expect([slow.isGone, slow.sent.length]).toEqual([true, 0]);
    expect([quick.isGone, quick.sent.length]).toEqual([false, 2]);
  });

  test('gives those who were just sent a long history the time to read it, and no more after that', () => {
    const room = new RelayRoom('epoch');
    const page = listener(60 * 1024 * 1024); // the history is in its buffer
    room.listen(page, null);
    room.take(message(1), 'p0');
    expect([page.isGone, page.sent.length]).toEqual([false, 1]);
    page.bufferedAmount = 0;
    room.take(message(2), 'p0');
    page.bufferedAmount = 33 * 1024 * 1024;
    room.take(message(3), 'p0');
    expect(page.isGone).toBe(true);
  });

  test('knows a program that comes back, and tells others apart', () => {
    const room = new RelayRoom('epoch');
    const names = ['a', 'b', 'a', undefined, undefined].map((program) => room.nameSource(program));
    expect(names).toEqual(['p0', 'p1', 'p0', 'p2', 'p3']);
  });

  test('takes and remembers nothing once it is closed', () => {
    const room = new RelayRoom('epoch');
    room.take(message(1), 'p0');
    room.close();
    room.take(message(2), 'p0');
    const own = listener();
    room.listen(own, null);
    expect(own.sent).toEqual([]);
  });

  test('does not send a sender what it said', () => {
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
