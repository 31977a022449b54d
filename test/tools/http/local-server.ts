// A real server on this machine for the tests of HTTP tools: it records what it gets, and each path misbehaves in its own way.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createPlainServer, type Socket } from 'node:net';

/** A request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. */
export type Handler = (request: Received, response: ServerResponse, raw: IncomingMessage) => void;

/** A running server. */
export interface LocalServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  readonly received: readonly Received[];
  /** Resolves when the connection of a request under way was closed by the other side. */
  readonly closed: Promise<void>;
}

/** Starts a server that answers with `handler`. */
export async function localServer(handler: Handler): Promise<LocalServer> {
  const received: Received[] = [];
  let tellClosed = (): void => undefined;
  const closed = new Promise<void>((resolve) => (tellClosed = resolve));
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    response.on('close', () => {
      if (!response.writableFinished) tellClosed();
    });
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: Buffer.concat(parts).toString() };
      received.push(one);
      handler(one, response, request);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    host: `127.0.0.1:${address.port}`,
    received,
    closed,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
}

/** A running server of plain bytes. */
export interface RawServer extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** How many connections were made. */
  readonly connections: () => number;
  /** Resolves when nobody is connected any more. */
  readonly quiet: () => Promise<void>;
}

/** Starts a server that is told of each piece a connection brings, with the number of pieces before it. */
export async function rawServer(answer: (socket: Socket, pieces: number) => void): Promise<RawServer> {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  let connections = 0;
  const server = createPlainServer((socket) => {
    let pieces = 0;
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined); // the other side may go at any time
    socket.on('data', () => answer(socket, pieces++));
    socket.on('close', () => {
      open.delete(socket);
      if (open.size === 0) for (const done of waiting) done();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    host: `127.0.0.1:${address.port}`,
    connections: () => connections,
    quiet: () => (open.size === 0 ? Promise.resolve() : new Promise((done) => waiting.add(done))),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((done) => {
        server.close(() => done());
      });
    },
  };
}
