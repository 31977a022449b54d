// Starts the offline inspector: a server on this machine only, and the callback that shows this program's actors.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { TurnchartError } from '../../contracts/errors.ts';
import { defaultHost } from '../../contracts/host.ts';
import type { InspectFunction } from '../../contracts/inspect.ts';
import { describeGiven } from '../../contracts/option-table.ts';
import { inspectionCallback } from '../inspection-callback.ts';
import { judge, type GateOptions, type Verdict } from './gate.ts';
import { pageFolder } from './page-folder.ts';
import { RelayRoom } from './relay-room.ts';
import { readPage, servePage, serveText } from './serve-page.ts';

/** Where the inspector listens. */
export interface InspectorOptions {
  /** Default 0: any free one. */
  readonly port?: number;
  /** This machine by one of its own names: `127.0.0.1` (default), `localhost` or `::1`. */
  readonly host?: string;
  /** Origins of web pages whose actors may be shown, such as `http://localhost:5173`. They may send but not read. */
  readonly allowOrigins?: readonly string[];
}

/** A running inspector. */
export interface Inspector {
  /**
   * The page's address, including its token. Other programs can show their actors there with `connectInspector(url)` of
   * turnchart/inspect, or with `createWebSocketInspector` of @statelyai/inspect and `ws:` for `http:`.
   */
  readonly url: string;
  /** For the option `inspect` of engines, operatives, registries and sessions, and of `createActor`. */
  readonly inspect: InspectFunction;
  /**
   * Stops the server and forgets everything; until then the program does not exit by itself. Open pages keep what they
   * have shown.
   */
  close(): Promise<void>;
}

const loopback: ReadonlySet<unknown> = new Set(['127.0.0.1', 'localhost', '::1']);
const longestMessage = 4 * 1024 * 1024;

/**
 * Rejects with `options.invalid` for a host that other machines can reach and for a string that is not an origin, with
 * `peer.missing` if the package ws is not installed, and with Node's own error if the port is taken.
 */
export async function startInspector(options: InspectorOptions = {}): Promise<Inspector> {
  const { port: wanted = 0, host = '127.0.0.1', allowOrigins = [] } = options;
  if (!loopback.has(host)) {
    throw new TurnchartError(
      'options.invalid',
      `The option "host" must be 127.0.0.1, localhost or ::1, got ${describeGiven(host)}: the inspector shows transcripts and is for this machine only.`,
    );
  }
  checkOrigins(allowOrigins);
  const { WebSocketServer: SocketServer } = await importWs();
  const page = readPage(await pageFolder());
  const token = randomBytes(16).toString('base64url');
  const room = new RelayRoom(randomBytes(6).toString('hex'));
  const server = createServer();
  const sockets = new SocketServer({ noServer: true, maxPayload: longestMessage, perMessageDeflate: false });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  const gate: GateOptions = { token, port, allowOrigins };

  server.on('request', (request, response) => {
    const verdict = judge(request, gate);
    if (verdict.allow === 'nothing') return serveText(response, verdict.status, verdict.why);
    if (verdict.allow === 'send' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      return serveText(response, 403, 'Only the page can be fetched here.');
    }
    servePage(page, verdict.path, response);
  });
  server.on('upgrade', (request, socket, head) => {
    const verdict = judge(request, gate);
    if (verdict.allow === 'nothing') return refuse(socket, verdict);
    sockets.handleUpgrade(request, socket, head, (connection) => join(room, connection, verdict));
  });

  // An error about one connection that could not be accepted must not end the program.
  server.on('error', () => undefined);

  const own = room.nameSource();
  let closed: Promise<void> | undefined;
  return {
    url: `http://${host === '::1' ? '[::1]' : host}:${port}/${token}/`,
    inspect: inspectionCallback(
      (message) => room.takeOwn(message, own),
      () => defaultHost.now(),
    ),
    close: () => (closed ??= close(room, server, sockets)),
  };
}

// An origin no browser ever sends, such as one with a trailing slash, would silently block every page.
function checkOrigins(given: unknown): void {
  const fault = Array.isArray(given)
    ? given.find((origin) => typeof origin !== 'string' || !/^[a-z][a-z\d+.-]*:\/\/[^/?#\s*A-Z]+$/.test(origin))
    : given;
  if (fault === undefined) return;
  throw new TurnchartError(
    'options.invalid',
    `The option "allowOrigins" must be a list of origins such as ["http://localhost:5173"], in lower case, without a trailing slash, got ${describeGiven(fault)}.`,
  );
}

function join(room: RelayRoom, connection: WebSocket, { allow, query }: Exclude<Verdict, { allow: 'nothing' }>): void {
  // Like with @statelyai/inspect's own server, every connection may send and listen; `role` is for those that do only
  // one.
  const role = query.get('role');
  const source = room.nameSource(query.get('program') ?? undefined);
  connection.on('error', () => connection.terminate());
  connection.on('close', () => room.leave(connection));
  if (role !== 'viewer') {
    connection.on('message', (data, isBinary) => {
      if (!isBinary) room.takeText(String(data), source, connection);
    });
  }
  if (allow === 'all' && role !== 'source') room.listen(connection, query.get('after'));
}

function refuse(socket: Duplex, { status, why }: Extract<Verdict, { allow: 'nothing' }>): void {
  const body = `${why}\n`;
  socket.on('error', () => undefined);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

async function close(room: RelayRoom, server: Server<typeof IncomingMessage>, sockets: WebSocketServer): Promise<void> {
  room.close();
  for (const connection of sockets.clients) connection.close(1001, 'The inspector was closed.');
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  // An upgraded connection is no longer the HTTP server's; one that does not answer the closing handshake is cut off.
  const timer = defaultHost.setTimeout(() => {
    for (const connection of sockets.clients) connection.terminate();
  }, 500);
  await closed;
  defaultHost.clearTimeout(timer);
}

async function importWs(): Promise<typeof import('ws')> {
  try {
    return await import('ws');
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'startInspector(…) needs the package ws, which could not be loaded. Install it: npm install ws@8',
      { cause },
    );
  }
}
