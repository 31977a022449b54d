import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { tallyOf } from '../../src/conversation/tally.ts';
import { claimConversation, makeValid, releaseConversation } from '../../src/runtime/claim.ts';
import { verifyTranscript } from '../../src/testing/index.ts';
import { countedMessages } from './counted-messages.ts';

const bareCall = (id: string) => assistantMessage([{ type: 'toolCall', id, name: 'look', args: {} }]);
const conversationOf = (...messages: readonly Message[]) => createConversation({ messages });

describe('the claim', () => {
  test('can be held by one at a time', () => {
    const conversation = createConversation();
    claimConversation(conversation);
    expect(() => claimConversation(conversation)).toThrow(
      expect.objectContaining({ code: 'conversation.busy' }) as Error,
    );
    releaseConversation(conversation);
    expect(() => claimConversation(conversation)).not.toThrow();
  });

  test('repairs the transcript and says what it did', () => {
    const conversation = conversationOf(userMessage('go'), bareCall('c'));
    expect(claimConversation(conversation)).toHaveLength(1);
    verifyTranscript(conversation);
  });

  test('of one conversation says nothing about another with the same messages', () => {
    const messages = [userMessage('go')];
    claimConversation(conversationOf(...messages));
    expect(() => claimConversation(conversationOf(...messages))).not.toThrow();
  });
});

describe('makeValid', () => {
  test('says nothing about a valid transcript and leaves it alone', () => {
    const conversation = conversationOf(userMessage('go'), assistantMessage('Hi'));
    const { messages } = conversation;
    expect(makeValid(conversation)).toEqual([]);
    expect(conversation.messages).toBe(messages);
  });

  test('repairs in place and says what it did', () => {
    const conversation = conversationOf(userMessage('go'), bareCall('c'));
    const { messages } = conversation;
    expect(makeValid(conversation)).toHaveLength(1);
    expect(conversation.messages).toBe(messages);
    verifyTranscript(conversation);
  });

  test('checks what came after the messages it has checked', () => {
    const conversation = conversationOf(userMessage('go'));
    makeValid(conversation);
    conversation.messages.push(bareCall('c'), userMessage('on'));
    expect(makeValid(conversation)).toHaveLength(1);
    verifyTranscript(conversation);
  });

  test('checks a result that came after a call it has checked', () => {
    const conversation = conversationOf(userMessage('go'));
    makeValid(conversation);
    conversation.messages.push(bareCall('c'));
    makeValid(conversation);
    const again = { type: 'toolResult', callId: 'c', status: 'completed', content: [] } as const;
    conversation.messages.push({ id: 'again', role: 'tool', content: [again] });
    makeValid(conversation);
    verifyTranscript(conversation);
  });

  test('reads no old message again', () => {
    const counted = countedMessages(100);
    const conversation = conversationOf(...counted.messages);
    makeValid(conversation);
    conversation.messages.push(assistantMessage('Hi'), userMessage('on'));
    counted.reads = 0;
    claimConversation(conversation);
    releaseConversation(conversation);
    makeValid(conversation);
    expect(counted.reads).toBeLessThan(10);
  });

  test.each<[string, (messages: Message[]) => void]>([
    ['taken out', (messages) => messages.splice(2, 1)],
    ['replaced', (messages) => (messages[2] = userMessage('note'))],
    ['put between', (messages) => messages.splice(2, 0, userMessage('note'))],
  ])('reads all of it again where a message was %s', (_what, edit) => {
    const result = { type: 'toolResult', callId: 'c', status: 'completed', content: [] } as const;
    const answer: Message = { id: 't', role: 'tool', content: [result] };
    const conversation = conversationOf(userMessage('go'), bareCall('c'), answer, userMessage('on'));
    makeValid(conversation);
    edit(conversation.messages);
    conversation.messages.push(userMessage('and'), userMessage('on'));
    expect(makeValid(conversation)).not.toEqual([]);
    verifyTranscript(conversation);
  });

  test.each<[string, (messages: Message[]) => void]>([
    ['nothing', () => undefined],
    ['new objects', (messages) => messages.splice(0, 3, ...messages.map((message) => ({ ...message })))],
  ])('keeps an empty answer that a turn has put there, with %s in the place of the old messages', (_what, edit) => {
    const conversation = conversationOf(userMessage('go'), assistantMessage('Hi'));
    claimConversation(conversation);
    conversation.messages.push(assistantMessage([], { id: 'empty' }));
    edit(conversation.messages);
    releaseConversation(conversation);
    expect(claimConversation(conversation)).toEqual([]);
    expect(conversation.messages.at(-1)?.id).toBe('empty');
  });

  test('forgets what was counted where a message was replaced', () => {
    const conversation = conversationOf(userMessage('x'.repeat(4_000)), userMessage('on'));
    makeValid(conversation);
    const before = tallyOf(conversation.messages)?.tokens ?? 0;
    conversation.messages[0] = userMessage('x');
    makeValid(conversation);
    expect(tallyOf(conversation.messages)?.tokens).toBeLessThan(before / 2);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a message without content', { id: 'x', role: 'user' }],
    ['a message of a strange role', { id: 'x', role: 'system', content: [] }],
  ])('refuses a transcript with %s, and refuses it again', (_what, message) => {
    const conversation = conversationOf(userMessage('go'), message as Message, userMessage('on'));
    for (let time = 0; time < 3; time++) {
      expect(() => claimConversation(conversation)).toThrow(
        expect.objectContaining({ code: 'conversation.invalid' }) as Error,
      );
    }
  });
});
