// Sends the inspection events of this program to an inspector elsewhere: our own server or any that speaks the protocol
// of @statelyai/inspect. Runs wherever there is a WebSocket.

import { TurnchartError } from '../contracts/errors.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { InspectFunction } from '../contracts/inspect.ts';
import { describeGiven } from '../contracts/option-table.ts';
import { inspectionCallback } from './inspection-callback.ts';

/** A program's connection to an inspector. */
export interface InspectorConnection {
  /** For the option `inspect` of engines, operatives, registries and sessions, and of `createActor`. */
  readonly inspect: InspectFunction;
  /** How many messages were dropped because the inspector was away, or did not read, for too long. */
  readonly dropped: number;
  /**
   * Sends waiting messages (for at most a second if the inspector does not answer) and disconnects. Until then a Node
   * program does not exit.
   */
  close(): Promise<void>;
}

/** Options of `connectInspector`. */
export interface InspectorConnectionOptions {
  /** Default: the platform's (browsers, workers, Node from 22). */
  readonly WebSocket?: InspectorSocketClass;
  /**
   * Messages kept while the inspector is away. Default 10,000, and never more than 64 MB; then the oldest are dropped.
   */
  readonly maxWaiting?: number;
  readonly host?: LineHost;
}

type LineHost = Pick<Host, 'now' | 'setTimeout' | 'clearTimeout' | 'createId'>;

/** The part of a WebSocket that is used. */
export interface InspectorSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

/** Its constructor. */
export type InspectorSocketClass = new (url: string) => InspectorSocket;

/**
 * Connects to an inspector: `startInspector().url`, or `ws://localhost:8080` of @statelyai/inspect's server. Returns at
 * once; while there is no answer, messages wait and the connection is retried. Throws `options.invalid` for a string
 * that is not a URL, and `peer.missing` if the platform has no WebSocket.
 */
export function connectInspector(
  url: string | URL,
  { WebSocket = platformSocket(), maxWaiting = 10_000, host = defaultHost }: InspectorConnectionOptions = {},
): InspectorConnection {
  return new Line(socketUrl(url, host.createId('session')), WebSocket, maxWaiting, host);
}

const connecting = 0;
const open = 1;
const firstRetryMs = 250;
const longestRetryMs = 5_000;
// How long `close` waits for the connection to open and for messages to leave this program, in milliseconds.
const flushMs = 1_000;
// UTF-16 units that may wait: here until the connection opens, and in the socket for an inspector that does not read.
const mostBuffered = 64 * 1024 * 1024;

class Line implements InspectorConnection {
  readonly inspect: InspectFunction;
  dropped = 0;
  readonly #url: string;
  readonly #make: InspectorSocketClass;
  readonly #maxWaiting: number;
  readonly #host: LineHost;
  #waiting: string[] = [];
  #waitingSize = 0;
  #socket: InspectorSocket | undefined;
  #timer: unknown;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(url: string, make: InspectorSocketClass, maxWaiting: number, host: LineHost) {
    this.#url = url;
    this.#make = make;
    this.#maxWaiting = maxWaiting;
    this.#host = host;
    this.inspect = inspectionCallback(
      (message) => this.#send(JSON.stringify(message)),
      () => host.now(),
    );
    this.#connect();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host.clearTimeout(this.#timer);
    const socket = this.#socket;
    if (socket !== undefined) await this.#flushed(socket);
    this.dropped += this.#taken().length;
    socket?.close();
  }

  #connect(): void {
    const socket = new this.#make(this.#url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#retryMs = firstRetryMs;
      for (const text of this.#taken()) socket.send(text);
    };
    socket.onerror = () => undefined; // a close follows
    socket.onclose = () => {
      if (this.#isClosed || this.#socket !== socket) return;
      this.#socket = undefined;
      this.#timer = this.#host.setTimeout(() => this.#connect(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
    };
  }

  #send(text: string): void {
    if (this.#isClosed) return;
    if (this.#socket?.readyState === open) {
      if (this.#socket.bufferedAmount <= mostBuffered) return this.#socket.send(text);
      this.dropped++;
      return;
    }
    this.#waiting.push(text);
    this.#waitingSize += text.length;
    while (this.#waiting.length > this.#maxWaiting || this.#waitingSize > mostBuffered) {
      this.#waitingSize -= this.#waiting.shift()?.length ?? 0;
      this.dropped++;
    }
  }

  #taken(): readonly string[] {
    this.#waitingSize = 0;
    return this.#waiting.splice(0);
  }

  async #flushed(socket: InspectorSocket): Promise<void> {
    const isPending = () =>
      socket.readyState === connecting
        ? this.#waiting.length > 0
        : socket.readyState === open && socket.bufferedAmount > 0;
    for (let waited = 0; isPending() && waited < flushMs; waited += 10) {
      await new Promise<void>((resolve) => this.#host.setTimeout(resolve, 10));
    }
  }
}

// An inspector's page address works too: the same server, by another protocol.
function socketUrl(given: string | URL, program: string): string {
  const text = String(given);
  if (!URL.canParse(text)) {
    throw new TurnchartError(
      'options.invalid',
      `connectInspector(…) needs the inspector's URL, got ${describeGiven(given)}.`,
    );
  }
  const url = new URL(text);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  if (url.protocol === 'https:') url.protocol = 'wss:';
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') {
    throw new TurnchartError(
      'options.invalid',
      `connectInspector(…) needs a ws: or http: URL, got one that begins with "${url.protocol}".`,
    );
  }
  url.hash = '';
  if (!url.searchParams.has('role')) url.searchParams.set('role', 'source'); // our server then sends nothing back
  // By this our server recognises a program that reconnects: its actors go on there.
  if (!url.searchParams.has('program')) url.searchParams.set('program', program);
  return url.href;
}

function platformSocket(): InspectorSocketClass {
  const { WebSocket } = globalThis as { readonly WebSocket?: InspectorSocketClass };
  if (WebSocket !== undefined) return WebSocket;
  throw new TurnchartError(
    'peer.missing',
    'connectInspector(…) needs a WebSocket, and this platform has none. Give it one: connectInspector(url, { WebSocket })',
  );
}
