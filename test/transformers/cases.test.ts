// Bugs that other runtimes had with cut, compacted and shortened histories.

import { describe, expect, test } from 'vitest';
import type { Block, ThinkingBlock } from '../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';
import { Trial } from '../../src/testing/properties/index.ts';
import {
  autoCompact,
  budgetToolResults,
  defaultTransformers,
  snipHistory,
  windowHistory,
} from '../../src/transformers/index.ts';
import { startOperative } from '../runtime/operative/operative-bench.ts';

const call = (id: string): Block => ({ type: 'toolCall', id, name: 'look', args: {} });
const result = (callId: string, text: string): Message => ({
  id: `r-${callId}`,
  role: 'tool',
  content: [{ type: 'toolResult', callId, status: 'completed', content: [{ type: 'text', text }] }],
});
const boundary = (id: string, keepFrom: string): Message => ({
  id,
  role: 'user',
  content: [{ type: 'boundary', summary: `Summary ${id}.`, keepFrom }],
});
const long = (length = 4000): string => 'word '.repeat(length / 5);

describe('an answer whose call never got its result (HKUDS/OpenHarness#191)', () => {
  test.each([
    ['windowed', [boundary('b', 'a1')]],
    ['not windowed', []],
  ])('is repaired before it is sent, %s', async (_, more) => {
    const messages = [userMessage('Look.', { id: 'u1' }), assistantMessage([call('c1')], { id: 'a1' }), ...more];
    const bench = startOperative({
      transformers: defaultTransformers(),
      conversation: createConversation({ messages }),
    });
    await bench.operative.submit('Go on.');
    await bench.rest();
    expect(bench.requests).toHaveLength(1);
    expect(pairingFault(bench.requests[0]?.messages ?? [])).toBeUndefined();
    expect(bench.lines().filter((line) => line.startsWith('interrupted'))).toHaveLength(1);
  });
});

describe('a result that outlives its call after two compactions (earendil-works/pi#4570)', () => {
  const messages: Message[] = [
    userMessage('Look.', { id: 'u1' }),
    assistantMessage([call('c1')], { id: 'a1' }),
    boundary('b1', 'a1'),
    result('c1', 'seen'),
    assistantMessage('Done.', { id: 'a2' }),
    userMessage('More.', { id: 'u2' }),
    boundary('b2', 'r-c1'),
  ];

  test('has its call in the view, although a summary stands between them', async () => {
    const { after } = await viewOf([windowHistory()], createConversation({ messages }));
    expect(after.messages.map(({ id }) => id)).toEqual(['summary-b2', 'a1', 'r-c1', 'a2', 'u2']);
    expect(pairingFault(after.messages)).toBeUndefined();
  });

  test('has its call in the request of an operative that loads it', async () => {
    const bench = startOperative({
      transformers: defaultTransformers(),
      conversation: createConversation({ messages }),
    });
    await bench.operative.submit('Go on.');
    await bench.rest();
    expect(pairingFault(bench.requests[0]?.messages ?? [])).toBeUndefined();
  });
});

describe('an answer with signed thinking (anomalyco/opencode#41738)', () => {
  const thoughts: readonly ThinkingBlock[] = [
    { type: 'thinking', text: 'Hm.', provider: 'anthropic', signature: 'sig+/=' },
    { type: 'thinking', text: '', provider: 'anthropic', encrypted: 'EncRypted==' },
  ];
  const answer = (index: number): readonly Message[] => [
    assistantMessage([...thoughts, { type: 'text', text: `Answer ${index}.` }, call(`c${index}`)], { id: `a${index}` }),
    result(`c${index}`, long()),
  ];
  const messages = [
    userMessage('Look.', { id: 'u1' }),
    ...Array.from({ length: 12 }, (_, index) => answer(index)).flat(),
  ];

  test.each([
    ['budgetToolResults', [budgetToolResults()]],
    ['snipHistory', [snipHistory()]],
    ['autoCompact', [autoCompact()]],
    ['the default stack', defaultTransformers()],
  ])('stays to the byte or goes as a whole: %s', async (_, transformers) => {
    const { before, after } = await viewOf(transformers, createConversation({ messages }), 4000);
    expect(after.messages).not.toEqual(before.messages);
    const answers = after.messages.filter(({ role }) => role === 'assistant');
    expect(answers.length).toBeGreaterThan(0);
    for (const message of answers) expect(message).toBe(before.messages.find(({ id }) => id === message.id));
  });
});

describe('text that is cut inside a character (anthropics/claude-code#45982)', () => {
  test('no offset leaves half a surrogate pair, and the request is JSON', async () => {
    for (let offset = 0; offset < 8; offset++) {
      const text = 'x'.repeat(offset) + '🏷'.repeat(5000);
      const messages = [userMessage('Look.'), assistantMessage([call('c')]), result('c', text)];
      for (const perResultBytes of [512, 777, 1001, 4096, 4097, 4098, 4099]) {
        const { after } = await viewOf(
          [budgetToolResults({ perResultBytes, keepRecent: 0 })],
          createConversation({ messages }),
        );
        const shown = JSON.stringify(after.messages);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).not.toMatch(/\\ud[89a-f]/i);
        expect(shown).not.toContain('\ufffd');
        expect(Buffer.byteLength(textIn(after))).toBeLessThanOrEqual(perResultBytes);
      }
    }
  });
});

function viewOf(transformers: Trial['transformers'], conversation: Conversation, contextTokens = 100_000) {
  return new Trial(transformers, conversation, contextTokens).run('beforeIteration', conversation);
}

function textIn({ messages }: Conversation): string {
  const block = messages.at(-1)?.content[0];
  const [text] = block?.type === 'toolResult' ? block.content : [];
  return text?.type === 'text' ? text.text : '';
}
