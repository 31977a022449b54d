// What a turn with a tool call costs while somebody inspects, on an empty transcript and on one of
// 1 MB. CPU time of this thread, the least of interleaved rounds; the ratio of the two is the figure.
// Run: node bench/inspector.ts [rounds]

import { once } from 'node:events';
import { createWebSocketInspector } from '@statelyai/inspect';
import { WebSocketServer } from 'ws';
import type { AddressInfo } from 'node:net';
import {
  createConversation,
  createEngine,
  createOperative,
  defineTool,
  userMessage,
  type EngineOptions,
  type Model,
} from '../src/index.ts';
import { withTranscript } from '../src/inspect/index.ts';
import { startInspector } from '../src/inspect/server/index.ts';

const rounds = Number(process.argv[2] ?? 60);
const megabyte = Array.from({ length: 1_000 }, (_, n) => userMessage(`${n} `.padEnd(1_000, 'a line of text ')));

// One call, then an answer; costs nothing by itself.
const model: Model = {
  id: 'bench',
  info: { contextTokens: 1_000_000 }, // so that no transformer has to shorten the transcript: that costs by its length
  async *stream({ messages }) {
    yield { type: 'message.start' };
    if (messages.at(-1)?.role === 'tool') {
      yield { type: 'text.start', index: 0 };
      yield { type: 'text.delta', index: 0, text: 'done' };
      yield { type: 'text.end', index: 0 };
      yield { type: 'message.end', stopReason: 'endTurn' };
      return;
    }
    yield { type: 'toolInput.start', index: 0, id: 'call', name: 'look' };
    yield { type: 'toolInput.delta', index: 0, json: '{}' };
    yield { type: 'toolInput.end', index: 0 };
    yield { type: 'message.end', stopReason: 'toolUse' };
  },
};
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: {} },
  execute: () => 'seen',
});

const inspector = await startInspector();
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // of a TCP server
const stately = createWebSocketInspector({ url: `ws://127.0.0.1:${port}` });
await once(server, 'connection');

const watchers: readonly (readonly [string, EngineOptions['inspect']])[] = [
  ['nobody', undefined],
  ['turnchart', inspector.inspect],
  ['@statelyai/inspect', withTranscript(stately.inspect)],
];

const cells = watchers.flatMap(([name, inspect]) =>
  [0, 1].map((size) => ({ name, size, inspect, turn: turnOn(size === 0 ? [] : megabyte, inspect), best: Infinity })),
);
for (let round = 0; round < rounds; round++) {
  for (const cell of cells) cell.best = Math.min(cell.best, await cell.turn());
}
console.log('inspected by            empty    1 MB   ratio   (µs of CPU a turn)');
const worst = 2; // a turn on 1 MB may cost so many times one on an empty transcript
let isWithin = true;
for (const [name] of watchers) {
  const [empty = 0, large = 0] = cells.filter((cell) => cell.name === name).map(({ best }) => best);
  const figures = [empty.toFixed(0).padStart(6), large.toFixed(0).padStart(7), (large / empty).toFixed(2).padStart(7)];
  console.log(`${name.padEnd(22)}${figures.join(' ')}`);
  isWithin &&= large / empty <= worst;
}
stately.stop();
server.close();
await inspector.close();
process.exit(isWithin ? 0 : 1); // Stately's line would try for ever

// Turns on one operative; what it does after the turn, as Stately's does, counts too.
function turnOn(messages: typeof megabyte, inspect: EngineOptions['inspect']): () => Promise<number> {
  const engine = createEngine({ model, tools: [look], ...(inspect === undefined ? {} : { inspect }) });
  const operative = createOperative({ engine, conversation: createConversation({ messages: [...messages] }) });
  return async () => {
    const before = process.threadCpuUsage();
    const { events } = await operative.submit('go');
    for await (const event of events) void event;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
}
