// A real server on this machine for the tests of HTTP tools: it records what it gets, and each path misbehaves in its own way.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

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
