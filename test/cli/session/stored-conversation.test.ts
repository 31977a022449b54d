import { describe, expect, test } from 'vitest';
import { storedConversation } from '../../../src/cli/session/stored-conversation.ts';
import {
  assistantMessage,
  createConversation,
  repair,
  userMessage,
  type Message,
  type ToolResultBlock,
} from '../../../src/index.ts';
import { verifyTranscript } from '../../../src/testing/index.ts';

const call = (id: string) => ({ type: 'toolCall', id, name: 'read', args: {} }) as const;
const result = (callId: string): ToolResultBlock => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content: [{ type: 'text', text: callId }],
});
const asked = userMessage('go', { id: 'u1' });
const calling = assistantMessage([call('a'), call('b')], { id: 'a1' });
const late = userMessage('also this', { id: 'u2' });
const rolesOf = (messages: readonly Message[]) => messages.map(({ role, id }) => `${role} ${id}`);

describe('storedConversation', () => {
  test('is the conversation itself when nothing is unwritten', () => {
    const conversation = createConversation({ messages: [asked] });
    expect(storedConversation(conversation, { results: [], accepted: [asked] })).toBe(conversation);
  });

  test('holds the results of finished calls while a sibling runs, and accepted messages after them', () => {
    const conversation = createConversation({ messages: [asked, calling] });
    const stored = storedConversation(conversation, { results: [result('b')], accepted: [late] });
    expect(rolesOf(stored.messages)).toEqual(['user u1', 'assistant a1', 'tool a1_results', 'user u2']);
    const { conversation: whole } = repair(stored);
    verifyTranscript(whole);
    expect(whole.messages[2]?.content).toMatchObject([
      { callId: 'a', status: 'interrupted' },
      { callId: 'b', status: 'completed' },
    ]);
    expect(conversation.messages).toHaveLength(2);
  });

  test('leaves out results that the transcript has, or whose call it does not have', () => {
    const done: Message = { id: 't1', role: 'tool', content: [result('a'), result('b')] };
    const conversation = createConversation({ messages: [asked, calling, done] });
    expect(storedConversation(conversation, { results: [result('a'), result('x')], accepted: [] })).toBe(conversation);
  });
});
