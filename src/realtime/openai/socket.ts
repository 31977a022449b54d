// The thin socket a session talks through, and the choice of one: `ws` in Node, the platform's own WebSocket in
// browsers. Called by connect.ts; an app may pass its own.

import { TurnchartError } from '../../contracts/errors.ts';

/** A socket's address and credentials. */
export interface SocketRequest {
  /** `wss://…` or `ws://…`, without any key. */
  readonly url: string;
  /** Sent with the upgrade request by sockets that can; browsers cannot. */
  readonly headers: Readonly<Record<string, string>>;
  /** Subprotocols with the key, for sockets that cannot send headers. */
  readonly protocols: readonly string[];
}

/** Why a socket could not be opened, or broke. */
export interface SocketFailure {
  readonly message: string;
  /** HTTP status, if the server refused the upgrade with one. */
  readonly status?: number;
  /** The first kilobytes of that answer. */
  readonly body?: string;
  readonly cause?: unknown;
}

/** What a socket reports. `closed` is the last call and comes exactly once, also after `failed` and before `opened`. */
export interface SocketListener {
  opened(): void;
  /** A text frame, as text or as its UTF-8 bytes, which the listener may keep. */
  text(frame: string | Uint8Array): void;
  /** A binary frame: the protocol has none. */
  binary(frame: Uint8Array): void;
  failed(failure: SocketFailure): void;
  closed(code: number, reason: string): void;
}

/** An open or opening socket. No method throws; on a closed socket they do nothing. */
export interface RealtimeSocket {
  /**
   * `written` is called when the frame has left this process or was dropped with the socket; sockets that do not know
   * never call it.
   */
  send(text: string, written?: () => void): void;
  /** Bytes that wait in this process. The kernel hides the first second or so of speech from it. */
  readonly bufferedBytes: number;
  /** Whether `send` calls `written`. */
  readonly tellsWritten: boolean;
  /**
   * Sends a ping; `answered` is called when the pong of the last ping arrives. Absent if the socket cannot ping: its
   * link is then not watched.
   */
  ping?(answered: () => void): void;
  /** Begins the closing handshake, code 1000. */
  close(): void;
  /** Ends it without the closing handshake. */
  terminate(): void;
}

/**
 * Opens a socket: returns at once and reports everything to the listener, never before it has returned. Must not throw.
 */
export type OpenSocket = (request: SocketRequest, listener: SocketListener) => RealtimeSocket;

/** The socket for this platform. Throws `peer.missing` in Node without `ws`. */
export async function platformSocket(): Promise<OpenSocket> {
  // Bundlers for browsers take ws's browser build, which throws when used: check the platform first.
  if (isBrowser()) return (await import('./native-socket.ts')).openNativeSocket;
  try {
    return (await import('./ws-socket.ts')).openWsSocket;
  } catch (cause) {
    throw new TurnchartError(
      'peer.missing',
      'openaiRealtime(…) needs the package ws, which could not be loaded. Install it: npm install ws@8',
      { cause },
    );
  }
}

/** Pages and workers; Node, Bun and Deno can send headers and take `ws`. */
function isBrowser(): boolean {
  return typeof process === 'undefined' || typeof process.versions?.node !== 'string';
}
