// A program of its own, run with --expose-gc: turns on one operative, and what they leave behind, as one line of JSON.

import { getEventListeners } from 'node:events';
import { createConversation } from '../../src/conversation/conversation.ts';
import { createEngine, createOperative, type OperativeEvent } from '../../src/index.ts';
import { actorOf } from '../../src/embedding/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const turns = 1_000;
// As many again, so that code and its feedback do not count as what a turn leaves behind.
const warmUp = 1_000;

// Held on to only at the end, so that the books do not count as what a turn leaves behind.
let signals: AbortSignal[] | undefined;
const note = (signal: AbortSignal) => void signals?.push(signal);

// What the next turn is to be: let run, or cancelled while its answer streams or while its tools run. Of the tools one
// heeds its signal and one never settles.
type Course = 'runs' | 'streams' | 'works' | 'hangs';
let course: Course = 'runs';
let reached = () => {};
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

let calls = 0;
const engine = createEngine({
  model: {
    id: 'looks first',
    async *stream(_request, options) {
      note(options.signal);
      yield { type: 'message.start' };
      if (course === 'streams') {
        yield { type: 'text.start', index: 0 };
        yield { type: 'text.delta', index: 0, text: 'begun' };
        reached();
        await untilAborted(options.signal);
      }
      if (course !== 'runs' || calls++ % 2 === 0) {
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
  cancelGraceMs: 1,
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
        if (course === 'runs') return 'seen';
        reached();
        return course === 'works' ? untilAborted(context.signal) : new Promise<never>(() => {});
      },
    }),
  ],
});
const ends = new Map<string, number>();
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
for (let turn = 0; turn < warmUp; turn++) await cancelTurn(turn);
const before = await heapWithoutTranscript();
for (let turn = 0; turn < turns; turn++) await takeTurn(turn);
const between = await heapWithoutTranscript();
for (let turn = 0; turn < turns; turn++) await cancelTurn(turn);
const after = await heapWithoutTranscript();

signals = [];
for (let turn = 0; turn < 20; turn++) await takeTurn(turn);
for (let turn = 0; turn < 20; turn++) await cancelTurn(turn);
console.log(
  JSON.stringify({
    bytesPerTurn: Math.round((between - before) / turns),
    bytesPerCancelledTurn: Math.round((after - between) / turns),
    ends: Object.fromEntries(ends),
    signals: signals.length,
    listeners: signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0),
    children: Object.keys(actorOf(operative).getSnapshot().children).length,
    made,
    alive: alive.size,
    state: operative.state,
  }),
);

async function takeTurn(turn: number): Promise<void> {
  course = 'runs';
  const { delivery, events } = await operative.submit(`turn ${turn}`);
  if (turn % 3 === 0) await operative.submit('and this');
  await readAll(events);
  await delivery;
}

// Of three one while it streams, one while its tool runs, and one while its tool hangs; of seven one is steered before.
async function cancelTurn(turn: number): Promise<void> {
  course = (['streams', 'works', 'hangs'] as const)[turn % 3] ?? 'streams';
  const isReached = new Promise<void>((resolve) => (reached = resolve));
  const { delivery, events } = await operative.submit(`turn ${turn}`);
  await isReached;
  if (turn % 7 === 0) await operative.submit('and this');
  void operative.cancel();
  await readAll(events);
  await delivery;
}

async function readAll(events: AsyncIterable<OperativeEvent>): Promise<void> {
  for await (const event of events) {
    if (event.type === 'turn.completed') ends.set(event.reason, (ends.get(event.reason) ?? 0) + 1);
  }
}

async function heapWithoutTranscript(): Promise<number> {
  // What a cut answer left unanswered is kept until it is answered: a reload must not lose it.
  await takeTurn(0);
  conversation.messages.length = 0;
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}
