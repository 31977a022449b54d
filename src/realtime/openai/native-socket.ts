// The socket on the platform's own WebSocket, for browsers and workers. Loaded by socket.ts only where it is used.

import type { RealtimeSocket, SocketListener, SocketRequest } from './socket.ts';

/** Opens a platform WebSocket. Headers cannot be sent: the key goes as a subprotocol. */
export function openNativeSocket(request: SocketRequest, listener: SocketListener): RealtimeSocket {
  const socket = new WebSocket(request.url, [...request.protocols]);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', () => listener.opened());
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (typeof event.data === 'string') listener.text(event.data);
    else if (event.data instanceof ArrayBuffer) listener.binary(new Uint8Array(event.data));
  });
  // Platforms hide the reason; a refusal and a lost connection look alike.
  socket.addEventListener('error', () => listener.failed({ message: 'the WebSocket failed' }));
  socket.addEventListener('close', (event) => listener.closed(event.code, event.reason));
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    tellsWritten: false,
    close() {
      socket.close(1000);
    },
    terminate() {
      socket.close(); // platforms offer nothing more forceful
    },
  };
}
