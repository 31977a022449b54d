import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation, openCalls } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';

const call = (id: string): Block => ({ type: 'toolCall', id, name: 'look', args: {} });
const results = (...ids: readonly string[]): Message => ({
  id: `results of ${ids.join()}`,
  role: 'tool',
  content: ids.map((callId) => ({ type: 'toolResult', callId, status: 'completed', content: [] })),
});
const openIds = (...messages: readonly Message[]): readonly string[] =>
  openCalls(createConversation({ messages })).map(({ id }) => id);

describe('createConversation', () => {
  test('makes an empty one without arguments', () => {
    expect(createConversation()).toEqual({ system: [], messages: [] });
  });

  test('turns a string into one system block', () => {
    expect(createConversation({ system: 'be brief' }).system).toEqual([{ type: 'text', text: 'be brief' }]);
  });

  test('takes system blocks as they are', () => {
    const system: readonly Block[] = [{ type: 'text', text: 'be brief' }];
    expect(createConversation({ system }).system).toBe(system);
  });

  test('keeps the messages in an array of its own', () => {
    const messages = [userMessage('one')];
    const conversation = createConversation({ messages });
    conversation.messages.push(userMessage('two'));
    expect(messages).toHaveLength(1);
    expect(conversation.messages[0]).toBe(messages[0]);
  });

  test('makes holders that share nothing', () => {
    const first = createConversation();
    const second = createConversation();
    first.messages.push(userMessage('one'));
    expect(second.messages).toEqual([]);
  });
});

describe('openCalls finds', () => {
  test('nothing in an empty conversation', () => {
    expect(openIds()).toEqual([]);
  });

  test('nothing after a plain answer', () => {
    expect(openIds(userMessage('hi'), assistantMessage('hello'))).toEqual([]);
  });

  test('all calls of an assistant message at the end, in their order', () => {
    expect(openIds(userMessage('go'), assistantMessage([call('2'), call('1')]))).toEqual(['2', '1']);
  });

  test('the calls that the results leave open', () => {
    expect(openIds(assistantMessage([call('1'), call('2'), call('3')]), results('2'))).toEqual(['1', '3']);
  });

  test('nothing when each call has its result', () => {
    expect(openIds(assistantMessage([call('1'), call('2')]), results('2', '1'))).toEqual([]);
  });

  test('calls that a user message follows', () => {
    expect(openIds(assistantMessage([call('1'), call('2')]), results('1'), userMessage('go on'))).toEqual(['2']);
  });

  test('no calls of earlier assistant messages', () => {
    expect(openIds(assistantMessage([call('1')]), userMessage('go on'), assistantMessage('well'))).toEqual([]);
  });

  test('a call whose id was answered in an earlier message', () => {
    expect(openIds(assistantMessage([call('1')]), results('1'), assistantMessage([call('1')]))).toEqual(['1']);
  });
});
