// Values of foreign code that throw when they are read, and hosts that throw: the turn ends, and nothing is left behind.

import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import type { StreamEvent } from '../../src/contracts/model.ts';
import {
  createConversation,
  createEngine,
  createOperative,
  isTurnchartError,
  ModelError,
  textOf,
  userMessage,
  type EngineOptions,
} from '../../src/index.ts';
import { simulatedHost, verifyTranscript } from '../../src/testing/index.ts';

/** Lets `reads` reads through and throws at every other. */
function unreadableAfter<Value extends object>(value: Value, reads: number): Value {
  let count = 0;
  return new Proxy(value, {
    get: (target, key) => {
      if (count++ >= reads) throw new Error('unreadable');
      return Reflect.get(target, key);
    },
  });
}

async function turnOf(events: readonly StreamEvent[], more: Partial<EngineOptions> = {}) {
  const conversation = createConversation({ messages: [userMessage('Hi')] });
  const host = simulatedHost();
  const engine = createEngine({
    host,
    retry: { attempts: 0 },
    maxIterations: 1,
    model: {
      id: 'foreign',
      async *stream() {
        yield* events;
      },
    },
    ...more,
  });
  const { result } = engine.run(conversation);
  await host.advance(10_000);
  return { conversation, reason: (await result).reason };
}

const answerOf = (...events: readonly StreamEvent[]): readonly StreamEvent[] => [
  { type: 'message.start' },
  ...events,
  { type: 'message.end', stopReason: 'endTurn' },
];

const reads = Array.from({ length: 12 }, (_, index) => index);

describe.each<[string, (reads: number) => StreamEvent]>([
  ['text', (n) => ({ type: 'block', index: 0, block: unreadableAfter<Block>({ type: 'text', text: 'Hi' }, n) })],
  [
    'call',
    (n) => ({
      type: 'block',
      index: 0,
      block: unreadableAfter<Block>({ type: 'toolCall', id: 'c', name: 'x', args: {} }, n),
    }),
  ],
  ['usage', (n) => ({ type: 'usage', usage: unreadableAfter({ inputTokens: 1, outputTokens: 1 }, n) })],
])('a %s of a model that becomes unreadable', (_kind, eventOf) => {
  test.each(reads)('after %d reads ends in a readable transcript', async (n) => {
    const { conversation, reason } = await turnOf(answerOf(eventOf(n)));
    expect(['completed', 'failed', 'maxIterations']).toContain(reason);
    verifyTranscript(conversation);
  });
});

test('a block that a model changes after it gave it stays as it was', async () => {
  const block = { type: 'text' as const, text: 'said' };
  const { conversation } = await turnOf(answerOf({ type: 'block', index: 0, block }));
  block.text = 'denied';
  expect(textOf(conversation.messages[1] ?? userMessage(''))).toBe('said');
});

describe('a host that throws', () => {
  const broken = () => {
    throw new Error('broken host');
  };

  test('from random ends the turn that wanted to retry as failed', async () => {
    const conversation = createConversation({ messages: [userMessage('Hi')] });
    const engine = createEngine({
      host: { ...simulatedHost(), random: broken },
      model: {
        id: 'busy',
        stream: () => {
          throw new ModelError('model.overloaded', 'busy', { retryable: true });
        },
      },
    });
    const { reason, error } = await engine.run(conversation).result;
    expect([reason, error?.code]).toEqual(['failed', 'turn.broken']);
  });

  test('from clearTimeout does not keep an answer back', async () => {
    const { reason } = await turnOf(answerOf(), { host: { ...simulatedHost(), clearTimeout: broken } });
    expect(reason).toBe('completed');
  });
});

test.each([
  ['the conversation', () => Object.freeze(createConversation())],
  ['its messages', () => ({ system: [], messages: Object.freeze([]) as never })],
])('a conversation is refused where %s is frozen', (_what, make) => {
  const engine = createEngine({ model: { id: 'none', stream: async function* () {} } });
  for (const start of [() => createOperative({ engine, conversation: make() }), () => engine.run(make())]) {
    let thrown: unknown;
    try {
      start();
    } catch (error) {
      thrown = error;
    }
    expect(isTurnchartError(thrown) && thrown.code).toBe('conversation.invalid');
  }
});
