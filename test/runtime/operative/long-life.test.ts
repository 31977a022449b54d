// A long life costs no more than a short one: what an operative keeps of an ended turn is an id and a fate.

import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { actorOf } from '../../../src/embedding/index.ts';
import type { Transformer } from '../../../src/contracts/transformer.ts';
import type { Model } from '../../../src/contracts/model.ts';
import type { SubmitResult } from '../../../src/contracts/operative.ts';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { nextMacrotask } from '../../../src/testing/real-time.ts';
import { bothWays, startOperative, toolOf } from './operative-bench.ts';

/** Keeps the transcript short, so that only what the operative itself keeps can grow. */
const forget: Transformer = {
  name: 'forget',
  afterTurn: ({ system, messages }) => ({ conversation: { system, messages: messages.slice(-1) } }),
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('1,000 turns leave nothing behind of what their messages carried', async () => {
  const bench = startOperative({ transformers: [forget] });
  const turn = async (): Promise<void> => {
    await bench.operative.submit(`${bench.host.now()} ${'x'.repeat(20_000)}`);
    await bench.host.advance(1);
    bench.events.length = 0;
    (bench.requests as unknown[]).length = 0;
  };
  for (let count = 0; count < 100; count++) await turn();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 1_000; count++) await turn();
  collect();
  // Kept whole, the messages alone would be 20 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
});

const takenOut: readonly (readonly [string, readonly Transformer[], (conversation: Conversation) => void])[] = [
  ['a transformer took out is not kept', [forget], () => undefined],
  ['was taken out by hand is not kept after the next turn', [], ({ messages }) => void messages.splice(0, 1)],
];

test.each(takenOut)('a message that %s', async (_what, transformers, edit) => {
  const { operative, old, turn } = await oneTurn(transformers);
  edit(operative.conversation);
  if (transformers.length === 0) await turn();
  expect(await isGone(old)).toBe(true);
  expect(operative.conversation.messages.length).toBeGreaterThan(0);
});

test('a closed operative keeps no message, also when one is submitted to it', async () => {
  const { operative, old } = await oneTurn([]);
  await operative.close();
  expect((await operative.submit(userMessage('late', { id: 'late' }))).outcome).toBe('rejected');
  operative.conversation.messages.length = 0;
  expect(await isGone(old)).toBe(true);
  expect(operative.state).toBe('closed');
});

// On the default host, whose ids are not looked up; the submission of a whole message looks one up.
async function oneTurn(transformers: readonly Transformer[]) {
  const first = userMessage('old', { id: 'old' });
  const model: Model = {
    id: 'hi',
    async *stream() {
      yield { type: 'message.start' };
      yield { type: 'text.start', index: 0 };
      yield { type: 'text.delta', index: 0, text: 'Hi' };
      yield { type: 'message.end', stopReason: 'endTurn' };
    },
  };
  const conversation = createConversation({ messages: [first] });
  const operative = createOperative({ engine: createEngine({ model, transformers }), conversation });
  const read = async ({ events }: SubmitResult): Promise<void> => {
    for await (const event of events) if (event.type === 'turn.completed') return;
  };
  await read(await operative.submit(userMessage('new', { id: 'new' })));
  return { operative, old: new WeakRef(first), turn: async () => read(await operative.submit('on')) };
}

async function isGone(reference: WeakRef<object>): Promise<boolean> {
  for (let time = 0; time < 5 && reference.deref() !== undefined; time++) {
    await nextMacrotask();
    collect();
  }
  return reference.deref() === undefined;
}

test.each(bothWays)(
  '200 turns with tools leave no listener on a signal, no timer and no actor (%s)',
  async (interpreter) => {
    const signals = new Set<AbortSignal>();
    const bench = startOperative({
      interpreter,
      tools: [toolOf('look', (_args, { signal }) => void signals.add(signal))],
      toolTimeoutMs: 1_000,
      script: ({ messages }, { signal }) => {
        signals.add(signal);
        return messages.at(-1)?.role === 'tool' ? { text: 'seen', delayMs: 1 } : { calls: [{ name: 'look' }] };
      },
    });
    for (let turn = 0; turn < 200; turn++) {
      void bench.submit(`m${turn}`);
      await bench.host.advance(turn % 3 === 0 ? 0 : 2);
      if (turn % 3 === 0) await bench.operative.cancel();
    }
    await bench.rest();
    expect(bench.results().map(({ reason }) => reason)).toContain('aborted');
    expect(signals.size).toBeGreaterThan(200);
    expect([...signals].filter((signal) => getEventListeners(signal, 'abort').length > 0)).toEqual([]);
    expect(Object.keys(actorOf(bench.operative).getSnapshot().children)).toEqual([]);
  },
);
