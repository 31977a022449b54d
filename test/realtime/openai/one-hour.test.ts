// An hour of speech in each direction over a real WebSocket: nothing is kept, nothing is lost, order is kept.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { openaiRealtime } from '../../../src/realtime/openai/index.ts';

const chunkBytes = 4800; // 100 ms
const chunksAnHour = 36_000;
const mayGrow = 3_000_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use by this process, the server of the test included, which keeps nothing. */
async function inUse(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

let server: WebSocketServer;
let url = '';
let client: WebSocket | undefined;
/** The first sample of each appended chunk, checked as it comes. */
let next = 0;
let isInOrder = true;

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  server.on('connection', (socket) => {
    client = socket;
    next = 0;
    const session = { id: 's', type: 'realtime', audio: { input: { turn_detection: null } } };
    socket.on('message', (data: Buffer) => {
      // The place of the base64 is known: an hour of JSON would take the test’s time.
      if (data.includes('"session.update"')) socket.send(JSON.stringify({ type: 'session.updated', session }));
      if (!data.includes('input_audio_buffer.append')) return;
      const begin = data.indexOf('"audio":"') + 9;
      const first = Buffer.from(data.toString('latin1', begin, begin + 8), 'base64').readUInt16LE(0);
      if (first !== next % 65_536) isInOrder = false;
      next++;
    });
    socket.send(JSON.stringify({ type: 'session.created', session }));
  });
});

afterAll(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

const connect = () => openaiRealtime({ model: 'm', apiKey: 'none', baseURL: url }).connect();

test('appended', async () => {
  await using session = await connect();
  const append = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) {
      const audio = Buffer.alloc(chunkBytes);
      audio.writeUInt16LE(n % 65_536);
      await session.send({ type: 'audio.append', audio });
      while (n - next > 40) await setImmediate(); // faster than speech, but no faster than the server hears
    }
    while (next < to) await setImmediate();
  };
  await append(0, 2000);
  const before = await inUse();
  await append(2000, chunksAnHour);
  expect((await inUse()) - before).toBeLessThan(mayGrow);
  expect(next).toBe(chunksAnHour);
  expect(isInOrder).toBe(true);
});

test('answered', async () => {
  await using session = await connect();
  let heard = 0;
  const reading = (async () => {
    for await (const event of session.events) if (event.type === 'audio.delta') heard += event.audio.length;
  })();
  const delta = Buffer.alloc(chunkBytes).toString('base64');
  const answer = async (id: string, chunks: number): Promise<void> => {
    const goal = heard + chunks * chunkBytes;
    const say = (type: string, fields: object): void => client?.send(JSON.stringify({ type, ...fields }));
    say('response.created', { response: { id, conversation_id: 'c', metadata: null } });
    for (let n = 0; n < chunks; n++) {
      say('response.output_audio.delta', { response_id: id, item_id: `i${id}`, content_index: 0, delta });
      if (n % 40 === 39) await setImmediate();
    }
    say('response.done', { response: { id, status: 'completed', output: [], conversation_id: 'c' } });
    while (heard < goal) await setImmediate();
    await session.send({ type: 'playback.report', itemId: `i${id}`, playedMs: chunks * 100 });
  };
  const minute = 600;
  for (let n = 0; n < 4; n++) await answer(`a${n}`, minute);
  const before = await inUse();
  for (let n = 0; n < 60; n++) await answer(`b${n}`, minute);
  expect((await inUse()) - before).toBeLessThan(mayGrow);
  expect(heard).toBe((4 + 60) * minute * chunkBytes);
  await session.close();
  await reading;
});
