// What audio costs: CPU per 100 ms of the model's speech on its way from the socket to the application, beside what no
// client can do without (`ws`, JSON.parse, base64) and beside OpenAI's own client. The server runs in a process of its own.
// Run: node bench/realtime.ts [deltas] [rounds]

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents-realtime';
import { WebSocket, WebSocketServer } from 'ws';
import { createRealtimeOperative } from '../src/realtime/index.ts';
import { openaiRealtime } from '../src/realtime/openai/index.ts';

const deltaBytes = 4800; // 100 ms of 16-bit samples, 24,000 a second
const deltas = Number(process.argv[2] ?? 2000);
const rounds = Number(process.argv[3] ?? 7);

interface WireEvent {
  readonly type: string;
  readonly delta?: string;
  readonly response?: { readonly metadata?: object };
}

/** Opens a client and gives a function that asks for one answer and resolves with the bytes of audio it got. */
type Way = (url: string) => Promise<{ answer(): Promise<number>; close(): unknown }>;

const ways: { readonly [name: string]: Way } = {
  async 'ws + JSON.parse + base64 (floor)'(url) {
    const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false });
    let bytes = 0;
    let done: (() => void) | undefined;
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString('utf8')) as WireEvent;
      if (event.type === 'response.output_audio.delta') bytes += Buffer.from(event.delta ?? '', 'base64').length;
      else if (event.type === 'response.done') done?.();
    });
    await once(socket, 'open');
    return {
      async answer() {
        bytes = 0;
        const finished = new Promise<void>((resolve) => (done = resolve));
        socket.send('{"type":"response.create"}');
        await finished;
        return bytes;
      },
      close: () => socket.terminate(),
    };
  },

  async 'turnchart session'(url) {
    const session = await openaiRealtime({ model: 'm', apiKey: 'none', baseURL: url }).connect();
    return reader(session.events, session);
  },

  async 'turnchart operative'(url) {
    const session = await openaiRealtime({ model: 'm', apiKey: 'none', baseURL: url }).connect();
    const operative = createRealtimeOperative(session);
    return reader(operative.run(), operative);
  },

  async '@openai/agents-realtime transport'(url) {
    const transport = new OpenAIRealtimeWebSocket({
      url: `${url.replace('http', 'ws')}/realtime`,
      useInsecureApiKey: true,
    });
    let bytes = 0;
    let done: (() => void) | undefined;
    transport.on('audio', ({ data }) => (bytes += data.byteLength));
    transport.on('turn_done', () => done?.());
    await transport.connect({ apiKey: 'none', model: 'm' });
    return {
      async answer() {
        bytes = 0;
        const finished = new Promise<void>((resolve) => (done = resolve));
        transport.sendEvent({ type: 'response.create' });
        await finished;
        return bytes;
      },
      close: () => transport.close(),
    };
  },

  async '@openai/agents-realtime session'(url) {
    const transport = new OpenAIRealtimeWebSocket({
      url: `${url.replace('http', 'ws')}/realtime`,
      useInsecureApiKey: true,
    });
    const session = new RealtimeSession(new RealtimeAgent({ name: 'bench' }), { transport, tracingDisabled: true });
    let bytes = 0;
    let done: (() => void) | undefined;
    session.on('audio', ({ data }) => (bytes += data.byteLength));
    session.on('agent_end', () => done?.());
    await session.connect({ apiKey: 'none', model: 'm' });
    return {
      async answer() {
        bytes = 0;
        const finished = new Promise<void>((resolve) => (done = resolve));
        transport.sendEvent({ type: 'response.create' });
        await finished;
        return bytes;
      },
      close: () => session.close(),
    };
  },
};

/** A consumer as the guides show it: one loop over the events. */
function reader(
  events: AsyncIterable<{ readonly type: string; readonly audio?: unknown }>,
  speaker: { send(input: { readonly type: 'response.request' }): Promise<void>; close(): Promise<void> },
) {
  let bytes = 0;
  let done: (() => void) | undefined;
  const reading = (async () => {
    for await (const event of events) {
      if (event.type === 'audio.delta') bytes += (event.audio as Uint8Array).length;
      else if (event.type === 'response.completed') done?.();
    }
  })();
  return {
    async answer() {
      bytes = 0;
      const finished = new Promise<void>((resolve) => (done = resolve));
      await speaker.send({ type: 'response.request' });
      await finished;
      return bytes;
    },
    async close() {
      await speaker.close();
      await reading;
    },
  };
}

if (process.argv[2] === 'serve') serve();
else await measure();

async function measure(): Promise<void> {
  const server: ChildProcess = fork(import.meta.filename, ['serve', String(deltas)]);
  const [url] = (await once(server, 'message')) as [string];
  const cells = Object.entries(ways).map(([name, open]) => ({ name, open, microseconds: [] as number[] }));
  // Every way in turn within each round, each round from another one on: all of them see the same noise.
  for (let round = -1; round < rounds; round++) {
    for (const offset of cells.keys()) {
      const cell = cells[(offset + Math.max(round, 0)) % cells.length];
      if (cell === undefined) continue;
      const client = await cell.open(url);
      const before = process.cpuUsage();
      const bytes = await client.answer();
      const { user, system } = process.cpuUsage(before);
      await client.close();
      if (bytes !== deltas * deltaBytes) throw new Error(`${cell.name} got ${bytes} bytes of ${deltas * deltaBytes}.`);
      if (round >= 0) cell.microseconds.push((user + system) / deltas); // the round before warms up
    }
  }
  server.disconnect();
  print(cells);
}

function print(cells: readonly { readonly name: string; readonly microseconds: readonly number[] }[]): void {
  const best = cells.map(({ microseconds }) => Math.min(...microseconds));
  const middle = cells.map(({ microseconds }) => microseconds.toSorted((a, b) => a - b)[microseconds.length >> 1] ?? 0);
  console.log(`${deltas} deltas of 100 ms, ${rounds} rounds, µs CPU per delta\n`);
  console.log('way | best | median | best, × floor | median, × floor\n--- | ---: | ---: | ---: | ---:');
  for (const [index, { name }] of cells.entries()) {
    const figures = [best, middle].map((row) => row[index] ?? 0);
    const ratios = [best, middle].map((row) => ((row[index] ?? 0) / (row[0] ?? 1)).toFixed(2));
    console.log([name, ...figures.map((figure) => figure.toFixed(1)), ...ratios].join(' | '));
  }
}

function serve(): void {
  const count = Number(process.argv[3]);
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  const delta = Buffer.alloc(deltaBytes, 7).toString('base64');
  const place = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
  server.on('connection', (socket) => {
    const session = { type: 'realtime', id: 'sess_1', audio: { input: { turn_detection: null } } };
    let answers = 0;
    const send = (type: string, fields: object): void => {
      socket.send(JSON.stringify({ type, event_id: `event_${type}_${answers}`, ...fields }));
    };
    socket.on('message', (data) => {
      const event = JSON.parse((data as Buffer).toString('utf8')) as WireEvent;
      if (event.type === 'session.update') send('session.updated', { session });
      if (event.type !== 'response.create') return;
      const id = `resp_${++answers}`;
      const response = {
        id,
        object: 'realtime.response',
        status: 'in_progress',
        output: [],
        metadata: event.response?.metadata ?? null,
      };
      send('response.created', { response });
      const item = { id: `item_${answers}`, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
      send('response.output_item.added', { response_id: id, output_index: 0, item });
      const text = JSON.stringify({
        type: 'response.output_audio.delta',
        event_id: 'event_EBXOwq0CWIczPlSpqlsvz',
        ...place,
        response_id: id,
        item_id: item.id,
        delta,
      });
      for (let n = 0; n < count; n++) socket.send(text);
      const usage = { total_tokens: 2, input_tokens: 1, output_tokens: 1 };
      send('response.output_audio.done', { ...place, response_id: id, item_id: item.id });
      const done = { ...item, status: 'completed', content: [{ type: 'output_audio', transcript: 'hi' }] };
      send('response.done', { response: { ...response, status: 'completed', output: [done], usage } });
    });
    send('session.created', { session });
  });
  server.on('listening', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  process.on('disconnect', () => process.exit(0));
}
