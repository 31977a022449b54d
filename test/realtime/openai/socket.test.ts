// The sockets against a real server on loopback: what they report, and that they neither throw nor report twice.

import { describe, expect, test } from 'vitest';
import { openNativeSocket } from '../../../src/realtime/openai/native-socket.ts';
import {
  platformSocket,
  type OpenSocket,
  type RealtimeSocket,
  type SocketFailure,
} from '../../../src/realtime/openai/socket.ts';
import { openWsSocket } from '../../../src/realtime/openai/ws-socket.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

interface Told {
  readonly socket: RealtimeSocket;
  readonly log: string[];
  readonly failures: SocketFailure[];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  frames(count: number): Promise<void>;
}

function open(openSocket: OpenSocket, url: string, headers: Record<string, string> = {}): Told {
  const log: string[] = [];
  const failures: SocketFailure[] = [];
  const opening = Promise.withResolvers<void>();
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  let seen = 0;
  const waiting: (() => void)[] = [];
  const frame = (text: string): void => {
    log.push(text);
    seen++;
    for (const check of waiting) check();
  };
  const socket = openSocket(
    {
      url: `${url.replace('http', 'ws')}/realtime?model=m`,
      headers,
      protocols: ['realtime', 'openai-insecure-api-key.ek_1'],
    },
    {
      opened: () => {
        log.push('opened');
        opening.resolve();
      },
      text: (text) => frame(`text ${typeof text === 'string' ? text : Buffer.from(text).toString('utf8')}`),
      binary: (bytes) => frame(`binary ${bytes.join(',')}`),
      failed: (failure) => {
        log.push('failed');
        failures.push(failure);
      },
      closed: (code, reason) => {
        log.push('closed');
        closing.resolve({ code, reason });
      },
    },
  );
  return {
    socket,
    log,
    failures,
    opened: opening.promise,
    closed: closing.promise,
    frames: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (seen >= count) resolve();
        };
        waiting.push(check);
        check();
      }),
  };
}

describe.each([
  ['ws', openWsSocket],
  ['the platform’s WebSocket', openNativeSocket],
] as const)('%s', (name, openSocket) => {
  test('hands over text and binary frames in order', async () => {
    await using server = await startWireServer({
      script: (peer) => {
        peer.send({ type: 'a', text: 'é🙂' });
        peer.send(Uint8Array.of(1, 2));
        peer.send('not json');
      },
    });
    const told = open(openSocket, server.url);
    await told.frames(3);
    expect(told.log).toEqual(['opened', 'text {"type":"a","text":"é🙂"}', 'binary 1,2', 'text not json']);
    told.socket.close();
  });

  test('sends text, and reports when it was written if it can', async () => {
    await using server = await startWireServer({});
    const told = open(openSocket, server.url);
    await told.opened;
    let written = 0;
    told.socket.send('{"type":"hello"}', () => written++);
    await peerOf(server).next('hello');
    expect(written).toBe(told.socket.tellsWritten ? 1 : 0);
    told.socket.close();
  });

  test('reports the server’s close code and reason, once', async () => {
    await using server = await startWireServer({ script: (peer) => peer.close(4001, 'enough') });
    const told = open(openSocket, server.url);
    expect(await told.closed).toEqual({ code: 4001, reason: 'enough' });
    told.socket.close();
    told.socket.terminate();
    told.socket.send('{}');
    expect(told.log).toEqual(['opened', 'closed']);
  });

  test('closes with 1000', async () => {
    await using server = await startWireServer({});
    const told = open(openSocket, server.url);
    await told.opened;
    told.socket.close();
    expect((await peerOf(server).closed).code).toBe(1000);
    expect((await told.closed).code).toBe(1000);
  });

  test('reports 1006 when the connection is lost', async () => {
    await using server = await startWireServer({ script: (peer) => peer.drop() });
    expect((await open(openSocket, server.url).closed).code).toBe(1006);
  });

  test('fails and closes when nobody listens', async () => {
    const told = open(openSocket, 'http://127.0.0.1:9/v1');
    await told.closed;
    expect(told.log).toEqual(['failed', 'closed']);
  });

  test('can be ended while it opens', async () => {
    await using server = await startWireServer({});
    const told = open(openSocket, server.url);
    told.socket.send('{}');
    told.socket.terminate();
    await told.closed;
    expect(told.log.filter((entry) => entry === 'closed')).toHaveLength(1);
    expect(told.log).not.toContain('opened');
  });

  test(`${name === 'ws' ? 'sends its headers' : 'offers its key as a subprotocol'}`, async () => {
    await using server = await startWireServer({});
    const told = open(openSocket, server.url, { Authorization: 'Bearer sk-1' });
    await told.opened;
    const { headers, protocols, path } = peerOf(server);
    expect(path).toBe('/v1/realtime?model=m');
    expect(headers.authorization).toBe(name === 'ws' ? 'Bearer sk-1' : undefined);
    expect(protocols.replaceAll(' ', '')).toBe(name === 'ws' ? '' : 'realtime,openai-insecure-api-key.ek_1');
    told.socket.terminate();
  });
});

describe('ws', () => {
  test('reports the status and the body of a refused upgrade', async () => {
    const body = '{"error":{"code":"invalid_api_key"}}';
    await using server = await startWireServer({ refuse: { status: 401, body } });
    const told = open(openWsSocket, server.url);
    await told.closed;
    expect(told.log).toEqual(['failed', 'closed']);
    expect(told.failures).toEqual([{ message: 'HTTP 401', status: 401, body }]);
  });

  test('follows no redirect, which would carry the key elsewhere', async () => {
    await using elsewhere = await startWireServer({});
    const location = `${elsewhere.url.replace('http', 'ws')}/realtime`;
    await using server = await startWireServer({ refuse: { status: 302, body: '', headers: { location } } });
    const told = open(openWsSocket, server.url);
    await told.closed;
    expect(told.failures).toMatchObject([{ status: 302 }]);
    expect(elsewhere.peers).toEqual([]);
  });

  test('offers no compression: base64 is not worth it', async () => {
    await using server = await startWireServer({});
    const told = open(openWsSocket, server.url);
    await told.opened;
    expect(peerOf(server).headers['sec-websocket-extensions']).toBeUndefined();
    told.socket.terminate();
  });

  test('ends a connection whose frame is larger than any event', async () => {
    await using server = await startWireServer({ script: (peer) => peer.send('x'.repeat(65 * 1024 * 1024)) });
    const told = open(openWsSocket, server.url);
    expect((await told.closed).code).toBe(1006);
    expect(told.failures[0]?.message).toBe('Max payload size exceeded');
  });

  test('counts what waits in this process when the server reads nothing', async () => {
    await using server = await startWireServer({ script: (peer) => peer.stall() });
    const told = open(openWsSocket, server.url);
    await told.opened;
    for (let n = 0; n < 200; n++) told.socket.send('x'.repeat(100_000));
    expect(told.socket.bufferedBytes).toBeGreaterThan(10_000_000);
    told.socket.terminate();
    await told.closed;
  });

  test('is the socket of Node', async () => {
    expect(await platformSocket()).toBe(openWsSocket);
  });
});

function peerOf({ peers }: WireServer) {
  const [peer] = peers;
  if (peer === undefined) throw new Error('nobody connected');
  return peer;
}
