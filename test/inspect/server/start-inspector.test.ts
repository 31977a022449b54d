import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createWebSocketInspector, createWebSocketReceiver } from '@statelyai/inspect';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createActor, createMachine } from 'xstate';
import { connectInspector, type InspectorSocketClass } from '../../../src/inspect/index.ts';
import { startInspector, type Inspector } from '../../../src/inspect/server/index.ts';
import { isTurnchartError } from '../../../src/index.ts';
import type { AddressInfo } from 'node:net';

let inspector: Inspector;
const open = new Set<WebSocket>();

beforeEach(async () => {
  inspector = await startInspector({ allowOrigins: ['http://localhost:5173'] });
});

afterEach(async () => {
  for (const socket of open) socket.terminate();
  open.clear();
  await inspector.close();
});

const socketUrl = (path = '') => inspector.url.replace('http:', 'ws:') + path;
const machine = createMachine({ id: 'lamp', initial: 'off', states: { off: { on: { press: 'on' } }, on: {} } });

interface Told {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
  readonly sessionId: string;
  readonly rootId?: string;
}

// Connects as a page does; `told` grows.
async function view(path = '?role=viewer', headers: Readonly<Record<string, string>> = {}) {
  const socket = new WebSocket(socketUrl(path), { headers });
  open.add(socket);
  const told: Told[] = [];
  socket.on('message', (data: Buffer) => told.push(JSON.parse(data.toString()) as Told));
  await once(socket, 'open');
  return { socket, told };
}

async function statusOf(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<number> {
  const { hostname, port } = new URL(inspector.url);
  const sent = httpRequest({ host: hostname, port, path, headers, method });
  sent.end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
  response.resume();
  return response.statusCode;
}

function upgradeFailure(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers });
    socket.on('error', ({ message }) => resolve(message));
    socket.on('open', () => resolve('open'));
    open.add(socket);
  });
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

describe('the page', () => {
  test('is served at the address, with nothing it would take from elsewhere', async () => {
    const response = await fetch(inspector.url);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<div id="page">');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(response.headers.get('content-security-policy')).not.toMatch(/unsafe|data:|\*/);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('is built for use, not for development, whoever builds it', async () => {
    const html = await (await fetch(inspector.url)).text();
    const script = /src="(?<path>[^"]+\.js)"/.exec(html)?.groups?.['path'] ?? expect.fail('no script');
    const text = await (await fetch(new URL(script, inspector.url))).text();
    expect(text.length).toBeGreaterThan(100_000);
    expect(text).not.toContain('React DevTools');
  });

  test('is found without the slash at the end of its address too', async () => {
    const response = await fetch(inspector.url.slice(0, -1));
    expect([response.status, response.url]).toEqual([200, inspector.url]);
  });

  test.each(['../package.json', '..%2f..%2fpackage.json', 'assets/../../package.json', 'assets', '%00'])(
    'is all that is served: not %s',
    async (path) => {
      const { pathname } = new URL(inspector.url);
      expect(await statusOf(pathname + path)).toBe(404);
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be written to by %s', async (method) => {
    expect(await statusOf(new URL(inspector.url).pathname, {}, method)).toBe(403);
  });
});

describe('the gate', () => {
  test.each(['/', '/wrong/', '//', '/%E0%A4%A', '/wrong/assets/x.js', ''])('knows no %j', async (path) => {
    expect(await statusOf(path === '' ? '/' : path)).toBe(404);
  });

  test('answers to this machine’s own names only, so that no foreign name can be led here', async () => {
    const { pathname, port } = new URL(inspector.url);
    const hosts = ['evil.test', `evil.test:${port}`, '127.0.0.1', `127.0.0.1.evil.test:${port}`, `0.0.0.0:${port}`];
    expect(await Promise.all(hosts.map((host) => statusOf(pathname, { host })))).toEqual([403, 403, 403, 403, 403]);
    expect(await statusOf(pathname, { host: `localhost:${port}` })).toBe(200);
    expect(await statusOf(pathname, { host: `LocalHost:${port}` })).toBe(200);
  });

  test.each(['http://evil.test', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1'])(
    'lets no page of %s read or write, even with the token',
    async (origin) => {
      expect(await statusOf(new URL(inspector.url).pathname, { origin })).toBe(403);
      expect(await upgradeFailure(socketUrl(), { origin })).toContain('403');
    },
  );

  test('lets nobody without the token connect', async () => {
    const { port } = new URL(inspector.url);
    expect(await upgradeFailure(`ws://127.0.0.1:${port}/`)).toContain('404');
    expect(await upgradeFailure(`ws://127.0.0.1:${port}/${'A'.repeat(22)}/`)).toContain('404');
  });

  test('checks the name of the machine at the socket too', async () => {
    expect(await upgradeFailure(socketUrl(), { host: 'evil.test' })).toContain('403');
  });

  test('lets a page that was named send and read nothing', async () => {
    const page = await view('', { origin: 'http://localhost:5173' });
    const viewer = await view();
    createActor(machine, { inspect: inspector.inspect }).start();
    page.socket.send(JSON.stringify({ type: '@xstate.actor', sessionId: 'x:0', name: 'of the page' }));
    await until(() => expect(viewer.told.map(({ name }) => name)).toContain('of the page'));
    expect(page.told).toEqual([]);
    expect(await statusOf(new URL(inspector.url).pathname, { origin: 'http://localhost:5173' })).toBe(403);
  });
});

describe('messages', () => {
  test('of this program come in order, each with its place', async () => {
    const { told } = await view();
    const actor = createActor(machine, { inspect: inspector.inspect }).start();
    actor.send({ type: 'press' });
    await until(() => expect(told).toHaveLength(5));
    expect(told.map(({ type }) => type)).toEqual([
      '@xstate.actor',
      '@xstate.event',
      '@xstate.snapshot',
      '@xstate.event',
      '@xstate.snapshot',
    ]);
    expect(told.map(({ id }) => Number(id.split('-')[1]))).toEqual([0, 1, 2, 3, 4]);
  });

  test('are sent to those who come later, and to one that comes back only those it missed', async () => {
    createActor(machine, { inspect: inspector.inspect }).start();
    const late = await view();
    await until(() => expect(late.told).toHaveLength(3));
    const back = await view(`?role=viewer&after=${late.told[1]?.id}`);
    await until(() => expect(back.told).toEqual(late.told.slice(2)));
  });

  test('of many programs are told apart, although each counts its actors from x:0', async () => {
    const { told } = await view();
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      const socket = new WebSocket(socketUrl('?role=source'));
      open.add(socket);
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: '@xstate.actor', sessionId: 'x:0', rootId: 'x:0', name }));
    }
    await until(() => expect(told).toHaveLength(3));
    expect(new Set(told.map(({ sessionId }) => sessionId)).size).toBe(3);
    for (const { sessionId, rootId } of told) expect(rootId).toBe(sessionId);
  });

  test('that are none are dropped, and their sender may continue', async () => {
    const { told } = await view();
    const source = await view('?role=source');
    const nonsense = [
      '',
      'x',
      '[]',
      'null',
      '{}',
      '{"type":"@xstate.actor"}',
      '{"type":"@xstate.action","sessionId":"x:0"}',
    ];
    for (const text of nonsense) source.socket.send(text);
    source.socket.send(Buffer.from([1, 2, 3]));
    source.socket.send(JSON.stringify({ type: '@xstate.event', sessionId: 'x:9', event: { type: 'kept' } }));
    await until(() => expect(told).toHaveLength(1));
  });

  test('that can be read and not written are dropped', async () => {
    const { told } = await view();
    const source = await view('?role=source');
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    source.socket.send(`{"type":"@xstate.event","sessionId":"x:1","event":${deep}}`);
    source.socket.send(JSON.stringify({ type: '@xstate.event', sessionId: 'x:2', event: { type: 'kept' } }));
    await until(() => expect(told.map(({ sessionId }) => sessionId.split('.')[1])).toEqual(['x:2']));
  });

  test('too long for anybody cost their sender the line, and nobody else anything', async () => {
    const viewer = await view();
    const source = await view('?role=source');
    source.socket.on('error', () => undefined);
    source.socket.send('x'.repeat(5 * 1024 * 1024));
    await once(source.socket, 'close');
    createActor(machine, { inspect: inspector.inspect }).start();
    await until(() => expect(viewer.told).toHaveLength(3));
  });

  test('of a viewer are not heard', async () => {
    const [reader, listener] = [await view(), await view()];
    reader.socket.send(JSON.stringify({ type: '@xstate.actor', sessionId: 'x:0', name: 'forged' }));
    createActor(machine, { inspect: inspector.inspect }).start();
    await until(() => expect(listener.told).toHaveLength(3));
    expect(listener.told.map(({ name }) => name)).not.toContain('forged');
  });
});

describe('either side with either side', () => {
  test('Stately’s inspector sends to our server', async () => {
    const { told } = await view();
    const stately = createWebSocketInspector({ url: socketUrl() });
    createActor(machine, { inspect: stately.inspect }).start();
    await until(() => expect(told.map(({ name }) => name)).toContain('lamp'));
    stately.stop();
  });

  test('Stately’s receiver listens to our server', async () => {
    const receiver = createWebSocketReceiver({ server: socketUrl() });
    const types: string[] = [];
    receiver.subscribe(({ type }) => types.push(type));
    createActor(machine, { inspect: inspector.inspect }).start();
    await until(() => expect(types).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot']));
  });

  test('our line sends to a server of Stately’s protocol', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const told: Told[] = [];
    server.on('connection', (socket) =>
      socket.on('message', (data: Buffer) => told.push(JSON.parse(data.toString()) as Told)),
    );
    const { port } = server.address() as AddressInfo;
    const line = connectInspector(`ws://127.0.0.1:${port}`);
    createActor(machine, { inspect: line.inspect }).start();
    await until(() => expect(told).toHaveLength(3));
    await line.close();
    server.close();
  });

  test('a line that breaks continues with the actors it had', async () => {
    const viewer = await view();
    let server: WebSocket | undefined;
    class BreakingSocket extends globalThis.WebSocket {
      constructor(url: string) {
        super(url);
        server = this as unknown as WebSocket; // only closed
      }
    }
    const line = connectInspector(inspector.url, { WebSocket: BreakingSocket as unknown as InspectorSocketClass });
    const actor = createActor(machine, { inspect: line.inspect }).start();
    await until(() => expect(viewer.told).toHaveLength(3));
    server?.close();
    await new Promise((closed) => server?.addEventListener('close', closed));
    actor.send({ type: 'press' });
    await until(() => expect(viewer.told).toHaveLength(5));
    expect(new Set(viewer.told.map(({ sessionId }) => sessionId)).size).toBe(1);
    await line.close();
  });

  test('another program’s line shows next to this one', async () => {
    const { told } = await view();
    const line = connectInspector(inspector.url);
    createActor(machine, { inspect: line.inspect }).start();
    createActor(machine, { inspect: inspector.inspect }).start();
    await until(() => expect(told).toHaveLength(6));
    expect(new Set(told.map(({ sessionId }) => sessionId.split('.')[0])).size).toBe(2);
    await line.close();
  });
});

describe('startInspector', () => {
  test.each(['0.0.0.0', '::', 'example.com', '192.168.0.1'])('refuses to listen on %s', async (host) => {
    const fault: unknown = await startInspector({ host }).catch((thrown: unknown) => thrown);
    expect(isTurnchartError(fault) && fault.code).toBe('options.invalid');
  });

  test.each([
    'http://localhost:5173',
    ['*'],
    ['http://*'],
    ['http://localhost:5173/'],
    ['HTTP://LOCALHOST'],
    ['localhost:5173'],
    ['null'],
    [''],
    [7],
  ])('refuses %j as origins: no browser would ever send that', async (allowOrigins) => {
    const fault: unknown = await startInspector({ allowOrigins: allowOrigins as string[] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(isTurnchartError(fault) && fault.code).toBe('options.invalid');
  });

  test('gives each its own token and port', async () => {
    await using other = Object.assign(await startInspector(), {
      async [Symbol.asyncDispose](this: Inspector) {
        await this.close();
      },
    });
    const [mine, its] = [new URL(inspector.url), new URL(other.url)];
    expect(mine.port).not.toBe(its.port);
    expect(mine.pathname).not.toBe(its.pathname);
    expect(mine.pathname.length).toBeGreaterThan(20);
  });

  test('rejects where the port is taken', async () => {
    const { port } = new URL(inspector.url);
    await expect(startInspector({ port: Number(port) })).rejects.toThrow('EADDRINUSE');
  });

  test('hangs up on everybody when it is closed, and a second close waits for the first', async () => {
    const { socket } = await view();
    const closed = once(socket, 'close');
    const order: string[] = [];
    const first = inspector.close().then(() => order.push('first'));
    await inspector.close().then(() => order.push('second'));
    await Promise.all([first, closed]);
    expect(order).toEqual(['first', 'second']);
    expect(socket.readyState).toBe(WebSocket.CLOSED);
  });
});
