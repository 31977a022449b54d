import { describe, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { connectInspector, type InspectorSocket } from '../../src/inspect/index.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { isTurnchartError } from '../../src/index.ts';

// A WebSocket without a network.
class FakeSocket implements InspectorSocket {
  static made: FakeSocket[] = [];
  readyState = 0;
  bufferedAmount = 0;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly sent: string[] = [];
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.lose();
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  lose(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}

function connect(maxWaiting?: number, host = simulatedHost()) {
  FakeSocket.made = [];
  const connection = connectInspector('http://127.0.0.1:7/token/', {
    WebSocket: FakeSocket,
    host,
    ...(maxWaiting === undefined ? {} : { maxWaiting }),
  });
  return { host, connection, sockets: FakeSocket.made };
}

// Three messages: the actor, its start, its first snapshot.
function act(inspect: ReturnType<typeof connectInspector>['inspect']): void {
  createActor(createMachine({ id: 'm' }), { inspect }).start();
}

const typesOf = (socket: FakeSocket | undefined) =>
  socket?.sent.map((text) => (JSON.parse(text) as { type: string }).type);

describe('connectInspector', () => {
  test('takes a page’s address for the place of its socket, and says that it only sends', () => {
    expect(connect().sockets[0]?.url).toMatch(/^ws:\/\/127\.0\.0\.1:7\/token\/\?role=source&program=session_\w+$/);
  });

  test('keeps messages until the line is open, then sends them in order', () => {
    const { connection, sockets } = connect();
    act(connection.inspect);
    expect(sockets[0]?.sent).toEqual([]);
    sockets[0]?.open();
    expect(typesOf(sockets[0])).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);
  });

  test('tries again when the line breaks, and sends what came meanwhile', async () => {
    const { host, connection, sockets } = connect();
    sockets[0]?.open();
    sockets[0]?.lose();
    act(connection.inspect);
    await host.advance(250);
    sockets[1]?.open();
    expect(typesOf(sockets[1])).toHaveLength(3);
  });

  test('waits longer each time nobody answers, at most five seconds', async () => {
    const { host, sockets } = connect();
    const waits: number[] = [];
    for (let n = 0; n < 7; n++) {
      sockets.at(-1)?.lose();
      const before = host.now();
      while (sockets.length === n + 1) await host.advance(50);
      waits.push(host.now() - before);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  test('drops the oldest when too many wait, and counts them', () => {
    const { connection, sockets } = connect(2);
    act(connection.inspect);
    sockets[0]?.open();
    expect(typesOf(sockets[0])).toEqual(['@xstate.event', '@xstate.snapshot']);
    expect(connection.dropped).toBe(1);
  });

  test('drops the oldest when long ones wait, before they fill the memory', () => {
    const { connection, sockets } = connect();
    const actor = createActor(createMachine({ id: 'm' }), { inspect: connection.inspect }).start();
    // About 60 kB each: 8,000 characters a text, all texts together 60,000.
    const texts = Array.from({ length: 8 }, () => 'x'.repeat(8_000));
    for (let n = 0; n < 1_500; n++) actor.send({ type: 'long', texts });
    sockets[0]?.open();
    const sizes = sockets[0]?.sent.map((text) => text.length) ?? [];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(total).toBeGreaterThan(63 * 1024 * 1024);
    expect(connection.dropped).toBe(3 + 2 * 1_500 - sizes.length);
    expect(typesOf(sockets[0])?.at(-1)).toBe('@xstate.snapshot');
  });

  test('of maxWaiting 0 keeps nothing', () => {
    const { connection, sockets } = connect(0);
    act(connection.inspect);
    sockets[0]?.open();
    expect(sockets[0]?.sent).toEqual([]);
    expect(connection.dropped).toBe(3);
  });

  test('says who it is in the same way when it comes back, and otherwise than another line', async () => {
    const { host, sockets } = connect();
    sockets[0]?.lose();
    await host.advance(250);
    expect(sockets[1]?.url).toBe(sockets[0]?.url);
    expect(connect(undefined, host).sockets[0]?.url).not.toBe(sockets[0]?.url);
  });

  test('that is closed before it was open sends first what waits', async () => {
    const { host, connection, sockets } = connect();
    act(connection.inspect);
    const closed = connection.close();
    await host.advance(20);
    sockets[0]?.open();
    await host.advance(20);
    await closed;
    expect(typesOf(sockets[0])).toHaveLength(3);
    expect(connection.dropped).toBe(0);
  });

  test('that is closed while nobody answers gives up after a second, and counts what was lost', async () => {
    const { host, connection } = connect();
    act(connection.inspect);
    const closed = connection.close();
    await host.advance(1_000);
    await closed;
    expect(connection.dropped).toBe(3);
    expect(host.pendingTimers()).toBe(0);
  });

  test('fills no memory for an inspector that does not read', () => {
    const { connection, sockets } = connect();
    const [socket] = sockets;
    socket?.open();
    if (socket !== undefined) socket.bufferedAmount = 65 * 1024 * 1024;
    act(connection.inspect);
    expect(socket?.sent).toEqual([]);
    expect(connection.dropped).toBe(3);
  });

  test('says nothing and tries no more once it is closed', async () => {
    const { host, connection, sockets } = connect();
    sockets[0]?.open();
    await connection.close();
    act(connection.inspect);
    await host.advance(60_000);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]?.sent).toEqual([]);
    expect(host.pendingTimers()).toBe(0);
  });

  test.each(['nowhere', 'file:///tmp/x'])('refuses %s', (url) => {
    expect(() => connectInspector(url, { WebSocket: FakeSocket })).toThrow(/options\.invalid|needs/);
  });

  test('says what is missing on a platform without WebSocket', () => {
    const { WebSocket } = globalThis;
    Reflect.deleteProperty(globalThis, 'WebSocket');
    try {
      connectInspector('ws://127.0.0.1:1');
    } catch (fault) {
      expect(isTurnchartError(fault) && fault.code).toBe('peer.missing');
    } finally {
      Object.assign(globalThis, { WebSocket });
    }
    expect.assertions(1);
  });
});
