// A program of its own, run with --expose-gc: turns on one operative, and what they leave behind, as one line of JSON.

import { getEventListeners } from 'node:events';
import { createConversation } from '../../src/conversation/conversation.ts';
import { createEngine, createOperative } from '../../src/index.ts';
import { actorOf } from '../../src/embedding/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const turns = 1_000;
// As many again, so that code and its feedback do not count as what a turn leaves behind.
const warmUp = 1_000;

// Held on to only at the end, so that the books do not count as what a turn leaves behind.
let signals: AbortSignal[] | undefined;
const note = (signal: AbortSignal) => void signals?.push(signal);

let calls = 0;
const engine = createEngine({
  model: {
    id: 'looks first',
    async *stream(_request, options) {
      note(options.signal);
      yield { type: 'message.start' };
      if (calls++ % 2 === 0) {
        yield { type: 'toolInput.start', index: 0, id: 'c', name: 'look' };
        yield { type: 'toolInput.delta', index: 0, json: '{}' };
        yield { type: 'toolInput.end', index: 0 };
        yield { type: 'message.end', stopReason: 'toolUse' };
        return;
      }
      yield { type: 'text.start', index: 0 };
      yield { type: 'text.delta', index: 0, text: 'done' };
      yield { type: 'message.end', stopReason: 'endTurn' };
    },
  },
  transformers: [
    {
      name: 'looks',
      beforeIteration: (_conversation, context) => note(context.signal),
      afterTurn: async (_conversation, context) => note(context.signal),
    },
  ],
  tools: [
    defineTool({
      name: 'look',
      description: 'look',
      parameters: { type: 'object' },
      execute: async (_args, context) => {
        note(context.signal);
        return 'seen';
      },
    }),
  ],
});
const conversation = createConversation();
const operative = createOperative({ engine, conversation });

// Every actor registers with its system when it is made and leaves it when it stops; the root's own entry stays.
const alive = new Set<unknown>();
let made = 0;
const system = actorOf(operative).system as unknown as {
  _register(id: string, actor: unknown): string;
  _unregister(actor: unknown): void;
};
const register = system._register;
const unregister = system._unregister;
system._register = (id, actor) => {
  made++;
  alive.add(actor);
  return register.call(system, id, actor);
};
system._unregister = (actor) => {
  alive.delete(actor);
  unregister.call(system, actor);
};

for (let turn = 0; turn < warmUp; turn++) await takeTurn(turn);
const before = await heapWithoutTranscript();
for (let turn = 0; turn < turns; turn++) await takeTurn(turn);
const after = await heapWithoutTranscript();

signals = [];
for (let turn = 0; turn < 20; turn++) await takeTurn(turn);
console.log(
  JSON.stringify({
    bytesPerTurn: Math.round((after - before) / turns),
    signals: signals.length,
    listeners: signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0),
    children: Object.keys(actorOf(operative).getSnapshot().children).length,
    made,
    alive: alive.size,
    state: operative.state,
  }),
);

async function takeTurn(turn: number): Promise<void> {
  const { delivery, events } = await operative.submit(`turn ${turn}`);
  if (turn % 3 === 0) await operative.submit('and this');
  for await (const event of events) void event;
  await delivery;
}

async function heapWithoutTranscript(): Promise<number> {
  conversation.messages.length = 0;
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}
