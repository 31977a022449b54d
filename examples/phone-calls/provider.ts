// Plays OpenAI on this machine, for one telephone or browser call: it rings with a signed webhook, is accepted over REST,
// and talks over the call's WebSocket. For browsers it also makes client secrets and answers an offer.

import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

export const secret = `whsec_${Buffer.from('known to both sides').toString('base64')}`;

/** The running provider. */
export interface Provider {
  readonly baseURL: string;
  /** Lets the telephone ring: posts the webhook. Resolves with the status it was answered with. */
  ring(webhook: string, from: string): Promise<number>;
  /** Resolves when the call is over. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Starts it. */
export async function startProvider(log: (line: string) => void): Promise<Provider> {
  const passedOn = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const rest = createServer((request, response) => {
    const action = request.url?.split('/').at(-1) ?? '';
    log(`provider: ${action}`);
    if (action === 'client_secrets') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ value: 'ek_for_one_page', expires_at: 1_750_000_600, session: {} }));
    } else if (action === 'calls') response.writeHead(201, { location: '/v1/realtime/calls/rtc_2' }).end('v=0\r\n');
    else response.end();
    if (action === 'refer') passedOn.resolve();
    if (action === 'reject') over.resolve();
  });
  const sockets = new WebSocketServer({ server: rest });
  sockets.on('connection', (socket) => {
    const send = (event: object): void => socket.send(JSON.stringify(event));
    socket.on('message', (data) => {
      const event = JSON.parse((data as Buffer).toString('utf8')) as {
        type: string;
        response?: { metadata?: object };
        item?: object;
      };
      if (event.type === 'session.update') send({ type: 'session.updated', session: { type: 'realtime' } });
      if (event.type === 'conversation.item.create') send({ type: 'conversation.item.added', item: event.item });
      if (event.type !== 'response.create') return;
      const response = { id: 'resp_1', status: 'completed', output: [], metadata: event.response?.metadata };
      send({ type: 'response.created', response });
      send({
        type: 'response.output_audio_transcript.done',
        response_id: 'resp_1',
        item_id: 'item_1',
        content_index: 0,
        transcript: 'Hello! Press 1 for a person.',
      });
      send({ type: 'response.done', response });
      send({ type: 'input_audio_buffer.dtmf_event_received', event: '1', received_at: 1 });
    });
    void passedOn.promise.then(() => socket.close(1000));
    socket.on('close', () => over.resolve());
  });
  await new Promise<void>((listening) => rest.listen(0, '127.0.0.1', listening));
  return {
    baseURL: `http://127.0.0.1:${(rest.address() as AddressInfo).port}/v1`,
    async ring(webhook, from) {
      const data = { call_id: 'rtc_1', sip_headers: [{ name: 'From', value: from }] };
      const body = JSON.stringify({ type: 'realtime.call.incoming', id: 'evt_1', created_at: 1_750_000_000, data });
      const at = Math.floor(Date.now() / 1000);
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`wh_1.${at}.${body}`).digest('base64');
      const headers = { 'webhook-id': 'wh_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
      return (await fetch(webhook, { method: 'POST', headers, body })).status;
    },
    ended: over.promise,
    close() {
      for (const client of sockets.clients) client.terminate();
      rest.closeAllConnections();
      rest.close();
    },
  };
}
