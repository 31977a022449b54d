// A server on loopback that speaks the Realtime API as a test tells it: one script a WebSocket, one plan a REST
// request.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** An event on the wire. */
export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One connected client, as its script sees it. */
export interface Peer {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly protocols: string;
  /** Every event the client sent, in order. */
  readonly received: readonly WireEvent[];
  /**
   * The next event of this type that no earlier call took; appended audio is passed over unless asked for. Rejects when
   * the socket closes first.
   */
  next(type: string): Promise<WireEvent>;
  /** Resolves when an event of this type has come, and takes it from nobody. */
  seen(type: string): Promise<void>;
  /** An event as JSON; text and bytes as they are (bytes as a binary frame). */
  send(event: WireEvent | string | Uint8Array): void;
  close(code: number, reason?: string): void;
  /** Ends the TCP connection without a closing frame. */
  drop(): void;
  /** How many pings have come. */
  readonly pings: number;
  /** Resolves when this many pings have come. */
  pinged(count: number): Promise<void>;
  /** Stops reading from the client: what it sends fills the kernel, then its own memory. */
  stall(): void;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** A REST request as it came. */
export interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** What a REST request is answered; `never` = with nothing at all. */
export type RestAnswer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'never';

/** What the server does. */
export interface WireServerOptions {
  /**
   * What happens on a WebSocket. A script that throws fails the test at disposal, unless the socket closed under it.
   */
  readonly script?: (peer: Peer) => Promise<void> | void;
  /** Answers the upgrade with this instead. */
  readonly refuse?: {
    readonly status: number;
    readonly body: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
  readonly rest?: (request: RestRequest) => RestAnswer | Promise<RestAnswer>;
  /** Pings are answered. Default true. */
  readonly answersPings?: boolean;
}

/** The running server. Close it with `await using`. */
export interface WireServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  readonly requests: readonly RestRequest[];
  /** Every client that connected. */
  readonly peers: readonly Peer[];
}

class SocketClosed extends Error {}

/** Starts the server on a free port. */
export async function startWireServer(options: WireServerOptions): Promise<WireServer> {
  const requests: RestRequest[] = [];
  const peers: Peer[] = [];
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8');
      const isJson = (request.headers['content-type'] ?? '').includes('json');
      const seen: RestRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text,
      };
      requests.push(seen);
      void Promise.resolve(options.rest?.(seen) ?? { status: 404, body: { error: { message: 'no plan' } } }).then(
        (answer) => {
          if (answer === 'never') return;
          const isText = typeof answer.body === 'string';
          response.writeHead(answer.status, {
            'content-type': isText ? 'application/sdp' : 'application/json',
            ...answer.headers,
          });
          response.end(isText ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body));
        },
      );
    });
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered][0] ?? false,
    autoPong: options.answersPings !== false,
  });
  server.on('upgrade', (request, socket, head) => {
    if (options.refuse !== undefined) {
      const { status, body, headers = {} } = options.refuse;
      const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${more.join('')}\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const peer = peerOf(webSocket, request.url ?? '', request.headers);
      peers.push(peer);
      Promise.resolve(options.script?.(peer)).catch((error: unknown) => {
        if (!(error instanceof SocketClosed)) failures.push(error);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    peers,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (failures.length > 0) throw failures[0];
    },
  };
}

function peerOf(socket: WebSocket, path: string, headers: IncomingHttpHeaders): Peer {
  const received: WireEvent[] = [];
  const waiting: { readonly type: string; resolve(event: WireEvent): void; reject(error: Error): void }[] = [];
  const watching = new Set<() => void>();
  let taken = 0;
  let isClosed = false;
  let pings = 0;
  const serve = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const { type } = next;
      const at = received.findIndex((event, index) => index >= taken && event.type === type);
      if (at < 0) return;
      taken = at + 1;
      waiting.shift();
      next.resolve(received[at] as WireEvent); // found just above
    }
  };
  socket.on('message', (data) => {
    received.push(JSON.parse((data as Buffer).toString('utf8')) as WireEvent);
    serve();
    for (const look of watching) look();
  });
  socket.on('ping', () => {
    pings++;
    for (const look of watching) look();
  });
  socket.on('error', () => undefined); // `close` follows
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      isClosed = true;
      for (const { type, reject } of waiting.splice(0)) reject(new SocketClosed(`closed while waiting for ${type}`));
      resolve({ code, reason: reason.toString('utf8') });
    });
  });
  return {
    path,
    headers,
    protocols: headers['sec-websocket-protocol'] ?? '',
    received,
    next(type) {
      if (isClosed) return Promise.reject(new SocketClosed(`closed before ${type}`));
      return new Promise((resolve, reject) => {
        waiting.push({ type, resolve, reject });
        serve();
      });
    },
    seen(type) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (!received.some((event) => event.type === type)) return;
          watching.delete(look);
          resolve();
        };
        watching.add(look);
        look();
      });
    },
    send(event) {
      socket.send(typeof event === 'string' || event instanceof Uint8Array ? event : JSON.stringify(event));
    },
    close: (code, reason) => socket.close(code, reason),
    drop: () => socket.terminate(),
    get pings() {
      return pings;
    },
    pinged(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (pings < count) return;
          watching.delete(look);
          resolve();
        };
        watching.add(look);
        look();
      });
    },
    stall: () => socket.pause(),
    closed,
  };
}
