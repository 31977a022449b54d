// The socket on `ws`, for Node. Loaded by socket.ts only where it is used.

import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { RealtimeSocket, SocketFailure, SocketListener, SocketRequest } from './socket.ts';

/** A server's largest event is an item with all its audio; anything larger is not an event. */
const maxFrameBytes = 64 * 1024 * 1024;
const maxBodyBytes = 4096;

/** Opens a socket on `ws`: no compression (audio in base64 is not worth it), frames as bytes without a copy. */
export function openWsSocket(request: SocketRequest, listener: SocketListener): RealtimeSocket {
  const socket = new WebSocket(request.url, {
    headers: request.headers,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    followRedirects: false, // a redirect would carry the key elsewhere
  });
  let refusal: Promise<SocketFailure> | undefined;
  let pinged: (() => void) | undefined;
  socket.on('open', () => listener.opened());
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) listener.binary(data);
    else listener.text(data);
  });
  socket.on('pong', () => pinged?.());
  socket.on('unexpected-response', (_, response) => {
    refusal = readRefusal(response);
    void refusal.then((failure) => {
      listener.failed(failure);
      socket.terminate(); // which emits `error` and `close`
    });
  });
  socket.on('error', (cause) => {
    if (refusal === undefined) listener.failed({ message: cause.message, cause });
  });
  socket.on('close', (code, reason) => listener.closed(code, reason.toString('utf8')));
  return {
    send(text, written) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text, () => written?.());
      else written?.();
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    tellsWritten: true,
    ping(answered) {
      pinged = answered;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    },
    close() {
      socket.close(1000);
    },
    terminate() {
      socket.terminate();
    },
  };
}

async function readRefusal(response: IncomingMessage): Promise<SocketFailure> {
  const status = response.statusCode ?? 0;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response) {
      parts.push(part as Buffer); // a response without an encoding gives buffers
      size += (part as Buffer).length;
      if (size >= maxBodyBytes) break;
    }
  } catch {
    // What arrived until then must suffice.
  }
  const body = Buffer.concat(parts).toString('utf8', 0, maxBodyBytes);
  return { message: `HTTP ${status}`, status, body };
}
