import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { appendMessage, putContents, replaceContents } from '../../src/services/transcript.ts';

const [a, b, c] = [userMessage('a'), userMessage('b'), userMessage('c')];
const sinkOf = () => {
  const events: EngineEvent[] = [];
  return { events, push: (event: EngineEvent) => void events.push(event) };
};

describe('the one place that changes a transcript', () => {
  test('appends at the end and says where', () => {
    const conversation = createConversation({ messages: [a] });
    const sink = sinkOf();
    appendMessage(conversation, b, sink);
    expect(conversation.messages).toEqual([a, b]);
    expect(sink.events).toEqual([{ type: 'message.appended', message: b, index: 1 }]);
  });

  test('replaces in place: whoever holds the messages sees the new ones', () => {
    const conversation = createConversation({ system: 'old', messages: [a, b] });
    const { messages } = conversation;
    const sink = sinkOf();
    replaceContents(conversation, { system: [{ type: 'text', text: 'new' }], messages: [c] }, 'me', sink);
    expect(conversation).toEqual({ system: [{ type: 'text', text: 'new' }], messages: [c] });
    expect(conversation.messages).toBe(messages);
    expect(sink.events).toEqual([{ type: 'transcript.replaced', by: 'me', messages: 1 }]);
  });

  test('takes its own array as contents', () => {
    const conversation = createConversation({ messages: [a, b] });
    putContents(conversation, { system: [], messages: conversation.messages });
    expect(conversation.messages).toEqual([a, b]);
  });

  test('does not take over the array it is given', () => {
    const conversation = createConversation();
    const given = [a];
    putContents(conversation, { system: [], messages: given });
    conversation.messages.push(b);
    expect(given).toEqual([a]);
  });

  test('takes more messages than a call can have arguments', () => {
    const conversation = createConversation();
    const many = Array.from({ length: 200_000 }, () => a);
    putContents(conversation, { system: [], messages: many });
    expect(conversation.messages).toHaveLength(200_000);
  });
});
