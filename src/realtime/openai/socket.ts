// The thin socket a session talks through, and the choice of one: `ws` in Node, the platform's own WebSocket in browsers.
// Called by connect.ts; an app may pass its own.

import { TurnchartError } from '../../contracts/errors.ts';

/** Where a socket leads and who asks. */
export interface SocketRequest {
  /** `wss://…` or `ws://…`, without any key. */
  readonly url: string;
  /** Sent with the upgrade, by sockets that can: browsers cannot. */
  readonly headers: Readonly<Record<string, string>>;
  /** Subprotocols instead, for sockets that cannot send headers: they hold the key. */
  readonly protocols: readonly string[];
}

/** Why a socket could not be opened, or broke. */
export interface SocketFailure {
  readonly message: string;
  /** HTTP status, where the server answered the upgrade with one. */
  readonly status?: number;
  /** The first kilobytes of that answer. */
  readonly body?: string;
  readonly cause?: unknown;
}

/** What a socket tells. `closed` is the last call and comes exactly once, also after `failed` and before `opened`. */
export interface SocketListener {
  opened(): void;
  /** A text frame, as text or as its UTF-8 bytes. The bytes are the listener's to keep. */
  text(frame: string | Uint8Array): void;
  /** A binary frame: the protocol knows none. */
  binary(frame: Uint8Array): void;
  failed(failure: SocketFailure): void;
  closed(code: number, reason: string): void;
}

/** An open or opening socket. No method throws; what cannot be done any more is left undone. */
export interface RealtimeSocket {
  /** `written` is called when the frame left this process or was dropped with the socket; not at all by sockets that cannot tell. */
  send(text: string, written?: () => void): void;
  /** Bytes that wait in this process. The kernel hides the first second or so of speech from it. */
  readonly bufferedBytes: number;
  /** Whether `send` calls `written`. */
  readonly tellsWritten: boolean;
  /**
   * Sends a ping; `answered` is called when its pong comes. Only the last ping's is. Absent from sockets that cannot:
   * a link on such a socket is not looked after.
   */
  ping?(answered: () => void): void;
  /** Begins the closing handshake, code 1000. */
  close(): void;
  /** Ends it without the closing handshake. */
  terminate(): void;
}

/** Opens a socket: returns at once and tells the rest to the listener, never before it returned. Must not throw. */
export type OpenSocket = (request: SocketRequest, listener: SocketListener) => RealtimeSocket;

/** The socket for this platform. Throws `peer.missing` in Node without `ws`. */
export async function platformSocket(): Promise<OpenSocket> {
  // Bundlers for browsers take ws's browser build, which throws when it is used: ask for the platform first.
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
