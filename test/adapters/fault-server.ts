// An HTTP server on loopback that misbehaves as told, one plan a request. For adapter tests of every provider.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What the server does with one request. */
export interface FaultPlan {
  /** `never`: takes the request and says nothing, not even headers. */
  readonly headersSent?: 'never';
  /** Default 200. */
  readonly status?: number;
  /** Default: an event stream for 200, JSON for the rest. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other, each in a write of its own. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /** After the chunks: end properly (default), keep the socket open in silence, or close it in the middle of the body. */
  readonly ending?: 'end' | 'stall' | 'drop';
}

/** A request as it came. */
export interface FaultRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The client's port: the same for two requests on one connection. */
  readonly remotePort: number | undefined;
}

/** The running server. Close it with `await using`. */
export interface FaultServer extends AsyncDisposable {
  readonly url: string;
  /** Every request so far; a plan too few answers 500 and counts as well. */
  readonly requests: readonly FaultRequest[];
  /** Plans no request has used. */
  readonly unused: () => number;
  /** Resolves when the client has closed the connection of request `at` (0 = first). */
  readonly closed: (at: number) => Promise<void>;
}

/** Starts the server on a free port. */
export async function startFaultServer(plans: readonly FaultPlan[]): Promise<FaultServer> {
  const requests: FaultRequest[] = [];
  const sockets = new Set<Socket>();
  const closings: Promise<void>[] = [];
  const server = createServer((request, response) => {
    const plan = plans[requests.length] ?? { status: 500, chunks: ['{"error":{"message":"one request too many"}}'] };
    const seen = {
      path: request.url ?? '',
      headers: request.headers,
      body: undefined as unknown,
      remotePort: request.socket.remotePort,
    };
    requests.push(seen);
    closings.push(new Promise((resolve) => response.once('close', resolve)));
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      seen.body = text === '' ? undefined : (JSON.parse(text) as unknown);
      void answer(plan, response);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    unused: () => Math.max(0, plans.length - requests.length),
    closed: (at) => closings[at] ?? Promise.reject(new Error(`no request ${at}`)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(plan: FaultPlan, response: ServerResponse): Promise<void> {
  if (plan.headersSent === 'never') return;
  const status = plan.status ?? 200;
  response.writeHead(status, {
    'content-type': status === 200 ? 'text/event-stream' : 'application/json',
    ...plan.headers,
  });
  response.flushHeaders();
  for (const chunk of plan.chunks ?? []) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
  }
  if (plan.ending === 'stall') return;
  // FIN, not RST: everything that was written still arrives, the body is simply not complete.
  if (plan.ending === 'drop') response.socket?.end();
  else response.end();
}
