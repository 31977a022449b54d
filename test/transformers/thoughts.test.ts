// Signed thinking after a place that was changed: what the provider would refuse is gone, and nothing else.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { isSameJson } from '../../src/conversation/same-json.ts';
import { conversations, Trial } from '../../src/testing/properties/index.ts';
import {
  autoCompact,
  budgetToolResults,
  defaultTransformers,
  snipHistory,
  windowHistory,
} from '../../src/transformers/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const thought = (name: string): Block => ({ type: 'thinking', text: 'Hm.', provider: 'anthropic', signature: name });
const user = (id: string, size = 40) => userMessage('x'.repeat(size), { id });
const answer = (id: string, size = 40): Message =>
  assistantMessage([thought(id), { type: 'text', text: 'y'.repeat(size) }], { id });
const looked = (id: string, size = 40): Message[] => [
  assistantMessage([thought(id), { type: 'toolCall', id: 'c', name: 'look', args: {} }], { id }),
  {
    id: `${id}-result`,
    role: 'tool',
    content: [
      { type: 'toolResult', callId: 'c', status: 'completed', content: [{ type: 'text', text: 'z'.repeat(size) }] },
    ],
  },
];
const boundary = (id: string, keepFrom: string): Message =>
  userMessage([{ type: 'boundary', summary: 'So far.', keepFrom }], { id });

const isSigned = (block: Block) => block.type === 'thinking' && block.signature !== undefined;
const thinking = ({ messages }: Conversation) =>
  messages.filter(({ content }) => content.some(isSigned)).map(({ id }) => id);

async function view(transformers: Trial['transformers'], messages: readonly Message[], contextTokens = 1000) {
  const conversation = createConversation({ messages });
  return (await new Trial(transformers, conversation, contextTokens).run('beforeIteration', conversation)).after;
}

describe('thinking of an answer that is over', () => {
  test('goes where a compaction took away what stood before it', async () => {
    const messages = [
      user('u1'),
      answer('a1'),
      user('u2'),
      answer('a2'),
      boundary('b', 'u2'),
      user('u3'),
      answer('a3'),
      user('u4'),
    ];
    expect(thinking(await view([windowHistory()], messages))).toEqual(['a3']);
  });

  test('goes where groups before it were dropped', async () => {
    const messages = [
      ...Array.from({ length: 12 }, (_, index) => [user(`u${index}`, 400), answer(`a${index}`)]).flat(),
      user('u'),
    ];
    expect(thinking(await view([snipHistory()], messages))).toEqual([]);
  });

  test('goes where a result before it was shortened since, and so does what came after it in that turn', async () => {
    const turn = [user('u1'), ...looked('old', 3000), ...looked('a2'), ...looked('a3'), ...looked('a4'), answer('a5')];
    const transformer = budgetToolResults({ perResultBytes: 1000, keepRecent: 2, totalBytes: 20_000 });
    // "a4" was given when the old result was short already, but after the thinking of "a3", which was not.
    const shown = await view([transformer], [...turn, user('u2'), answer('a6'), user('u3')]);
    expect(thinking(shown)).toEqual(['old', 'a6']);
  });

  test('goes where it was given after an overflow, also when there was another one since', async () => {
    const conversation = createConversation({ messages: [user('u1'), ...looked('a1', 3000)] });
    const trial = new Trial([budgetToolResults()], conversation, 100_000);
    const shown = async (overflow: boolean, ...more: readonly Message[]) => {
      conversation.messages.push(...more);
      return (await trial.run('beforeIteration', conversation, { overflow })).after;
    };
    await shown(true);
    const first = await shown(false, answer('odd'), user('u2'));
    await shown(true, ...looked('a2', 3000));
    const second = await shown(false, answer('odd too'), user('u3'));
    expect(thinking(first)).toEqual(['a1']);
    expect(thinking(second)).toEqual(['a1', 'a2']);
  });

  test('stays where nothing before it changed', async () => {
    const messages = [user('u1'), answer('a1'), user('u2'), answer('a2'), user('u3')];
    expect(thinking(await view(defaultTransformers(), messages))).toEqual(['a1', 'a2']);
  });

  test('stays after results that were short from the first', async () => {
    const messages = [user('u1'), ...looked('a1', 30_000), answer('a2'), user('u2')];
    const shown = await view([budgetToolResults({ perResultBytes: 1000, totalBytes: 20_000 })], messages);
    expect(JSON.stringify(shown)).toContain('left out');
    expect(thinking(shown)).toEqual(['a1', 'a2']);
  });
});

test('thinking of the answer under way stays to the byte, also when something was steered in', async () => {
  const loop = Array.from({ length: 12 }, (_, index) => looked(`a${index}`, 300)).flat();
  const shown = await view([snipHistory()], [user('u1'), ...loop, user('steer'), ...looked('last')]);
  const left = shown.messages.filter(({ role }) => role === 'assistant');
  expect(left.length).toBeLessThan(10);
  expect(thinking(shown)).toEqual(left.map(({ id }) => id));
});

test.each([
  ['windowHistory', () => [windowHistory()]],
  ['budgetToolResults', () => [budgetToolResults({ keepRecent: 1, perResultBytes: 600, totalBytes: 3000 })]],
  ['snipHistory', () => [snipHistory()]],
  ['autoCompact', () => [autoCompact()]],
  ['the default stack', () => defaultTransformers()],
])('what is shown of answers that are over stands after what it was thought after: %s', async (_, make) => {
  await fc.assert(
    fc.asyncProperty(conversations({ maxMessages: 24, maxRepeats: 200 }), async ({ messages }) => {
      const growing = createConversation();
      const trial = new Trial(make(), growing, 600);
      const seen = new Map<string, readonly Message[]>();
      for (const message of messages) {
        if (message.role === 'assistant') {
          const { after, appended } = await trial.run('beforeIteration', growing);
          growing.messages.push(...appended);
          const shown = after.messages.filter(({ content }) => content[0]?.type !== 'boundary');
          expectUnchanged(shown, seen);
          seen.set(message.id, shown);
        }
        growing.messages.push(message);
      }
    }),
    { numRuns: 300 * runs },
  );
});

function expectUnchanged(shown: readonly Message[], seen: ReadonlyMap<string, readonly Message[]>): void {
  const over = shown.findLastIndex(({ role }, index) => role === 'user' && shown[index - 1]?.role === 'assistant');
  for (const [index, message] of shown.entries()) {
    if (index >= over || !message.content.some(isSigned)) continue;
    expect(isSameJson(shown.slice(0, index), seen.get(message.id)), `before ${message.id}`).toBe(true);
  }
}
