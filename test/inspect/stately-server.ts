// The other side of @statelyai/inspect's WebSocket inspector: keeps every message it is sent.

import { once } from 'node:events';
import { createWebSocketInspector } from '@statelyai/inspect';
import { vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { AddressInfo } from 'node:net';

/** A message of the three kinds, as it came over the wire. */
export interface WireMessage {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
  readonly sessionId: string;
  readonly rootId?: string;
  readonly name?: string;
  readonly parentId?: string;
  readonly sourceId?: string;
  readonly definition?: string;
  readonly event?: { readonly type: string; readonly [field: string]: unknown };
  readonly snapshot?: { readonly value?: unknown; readonly context?: unknown; readonly status?: string };
}

/** A server, a real inspector connected to it, and what came. */
export async function statelyInspector() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const messages: WireMessage[] = [];
  const texts: string[] = [];
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      texts.push(data.toString());
      messages.push(JSON.parse(data.toString()) as WireMessage); // what the inspector made
    }),
  );
  const { port } = server.address() as AddressInfo; // of a TCP server
  const connected = once(server, 'connection');
  const inspector = createWebSocketInspector({ url: `ws://127.0.0.1:${port}` });
  await connected;
  return {
    inspect: inspector.inspect,
    messages,
    texts,
    /** Resolves when the event has come. */
    has: (type: string) =>
      vi.waitFor(
        () => {
          if (!messages.some(({ event }) => event?.type === type)) throw new Error(`no ${type} yet`);
        },
        { timeout: 10_000, interval: 5 },
      ),
    close() {
      inspector.stop();
      server.close();
    },
  };
}
