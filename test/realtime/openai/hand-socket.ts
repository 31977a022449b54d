// A socket the test holds in its hand: no network, frames go in when the test says so. For schedules by the thousand.

import type { OpenSocket, SocketListener } from '../../../src/realtime/openai/socket.ts';
import type { WireEvent } from './wire-server.ts';

/** Both ends of it. */
export interface HandSocket {
  readonly open: OpenSocket;
  /** What the client sent, as events. */
  readonly sent: readonly WireEvent[];
  /** Set once the client has dialled. */
  readonly listener: SocketListener;
  /** Hands an event over as bytes. */
  frame(event: WireEvent): void;
}

/** A fresh one; it opens by itself, and closes with 1000 when asked to. */
export function handSocket(): HandSocket {
  const sent: WireEvent[] = [];
  let ear: SocketListener | undefined;
  let isClosed = false;
  const listener = (): SocketListener => {
    if (ear === undefined) throw new Error('nobody dialled');
    return ear;
  };
  const close = (code: number): void => {
    if (isClosed) return;
    isClosed = true;
    ear?.closed(code, '');
  };
  return {
    sent,
    get listener() {
      return listener();
    },
    frame: (event) => listener().text(new TextEncoder().encode(JSON.stringify(event))),
    open(_, given) {
      ear = {
        ...given,
        closed(code, reason) {
          isClosed = true;
          given.closed(code, reason);
        },
      };
      queueMicrotask(() => given.opened());
      return {
        send: (text, written) => {
          sent.push(JSON.parse(text) as WireEvent);
          written?.();
        },
        bufferedBytes: 0,
        tellsWritten: true,
        close: () => queueMicrotask(() => close(1000)),
        terminate: () => queueMicrotask(() => close(1006)),
      };
    },
  };
}
