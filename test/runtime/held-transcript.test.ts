import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { HeldTranscript } from '../../src/runtime/held-transcript.ts';
import { countedMessages } from './counted-messages.ts';

const held = (...messages: readonly Message[]) => new HeldTranscript(createConversation({ messages }));
const question = userMessage('q', { id: 'q' });
const answer = assistantMessage('a', { id: 'a' });
const cut = assistantMessage('hal', { id: 'c', meta: { cut: 'aborted' } });
const boundary = userMessage([{ type: 'boundary', summary: 's', keepFrom: 'q' } satisfies Block], { id: 'b' });

describe('a held transcript', () => {
  test.each<[string, readonly Message[], boolean, boolean]>([
    ['nothing', [], false, false],
    ['a question', [question], true, true],
    ['an answer', [question, answer], false, false],
    ['an answer and a compaction', [question, answer, boundary], false, false],
    ['a question and a compaction', [question, boundary], true, true],
    ['a cut answer that was found so', [question, cut], true, true],
    ['a cut answer and a compaction', [question, cut, boundary], true, true],
  ])('with %s: whether there is something to answer', (_what, messages, owing, owingNothing) => {
    const transcript = held(...messages);
    expect([transcript.isAnswerable(true), transcript.isAnswerable(false)]).toEqual([owing, owingNothing]);
    expect([transcript.whyNothing(true) === undefined, transcript.whyNothing(false) === undefined]).toEqual([
      owing,
      owingNothing,
    ]);
  });

  test('a cut answer of its own turns is answerable only while messages are owed', () => {
    const transcript = held(question);
    transcript.conversation.messages.push(cut);
    expect([transcript.isAnswerable(true), transcript.isAnswerable(false)]).toEqual([true, false]);
  });

  test('finds a message by its id as long as it is there', () => {
    const transcript = held(question);
    const { messages } = transcript.conversation;
    expect([transcript.find('q'), transcript.find('a')]).toEqual([question, undefined]);
    messages.push(answer);
    expect(transcript.find('a')).toBe(answer);
    messages.splice(0, 1);
    expect([transcript.find('q'), transcript.find('a')]).toEqual([undefined, answer]);
    messages.unshift(cut);
    messages[1] = question;
    expect([transcript.find('c'), transcript.find('q'), transcript.find('a')]).toEqual([cut, question, undefined]);
  });

  test('finds a message in the place of an older one with its id, while the last one stands', () => {
    const transcript = held(question, answer);
    const { messages } = transcript.conversation;
    expect(transcript.find('q')).toBe(question);
    const edited = { ...question };
    messages[0] = edited;
    expect([transcript.find('q'), transcript.find('a')]).toEqual([edited, answer]);
    expect(transcript.find('q')).toBe(edited);
    messages[0] = cut;
    expect([transcript.find('q'), transcript.find('c')]).toEqual([undefined, cut]);
  });

  test('finds messages beside something that is none, and takes that for something to answer', () => {
    const transcript = held(question);
    const messages: unknown[] = transcript.conversation.messages;
    messages.push(null);
    expect([transcript.find('q'), transcript.find('a')]).toEqual([question, undefined]);
    expect(transcript.isAnswerable(false)).toBe(true);
  });

  test('reads no old message again to find one', () => {
    const counted = countedMessages(100);
    const transcript = held(...counted.messages);
    transcript.find('a');
    transcript.conversation.messages.push(question, answer);
    counted.reads = 0;
    expect([transcript.find('q'), transcript.find('a'), transcript.find('c')]).toEqual([question, answer, undefined]);
    transcript.tidy();
    expect([transcript.find('a'), counted.reads]).toEqual([answer, 0]);
  });

  test('finds nothing once it is released', () => {
    const transcript = held(question);
    transcript.release();
    expect(transcript.find('q')).toBeUndefined();
  });

  test('takes over what a store gave: in place, repaired, with the ids it has then', () => {
    const transcript = held(question);
    const { messages } = transcript.conversation;
    const call: Block = { type: 'toolCall', id: 'x', name: 'look', args: {} };
    const ids = transcript.replace({ messages: [answer, assistantMessage([call], { id: 'asks' })] });
    expect(transcript.conversation.messages).toBe(messages);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'tool']);
    expect([...ids]).toEqual(messages.map(({ id }) => id));
    expect([transcript.find('q'), transcript.find('a')]).toEqual([undefined, answer]);
    expect(transcript.isAnswerable(false)).toBe(true);
  });

  test('a cut answer that a store gave is answerable; the same one again stays what it was', () => {
    const transcript = held(question);
    transcript.replace({ messages: [question, cut] });
    expect(transcript.isAnswerable(false)).toBe(true);
    transcript.replace({ messages: [question, answer] });
    transcript.conversation.messages.push(cut);
    transcript.replace({ messages: [question, answer, cut] });
    expect(transcript.isAnswerable(false)).toBe(false);
  });

  test.each([undefined, null, 'text', {}, { messages: 'none' }])('%j is not a conversation', (loaded) => {
    const transcript = held(question);
    expect(() => transcript.replace(loaded)).toThrow('it did not return a conversation');
    expect(transcript.conversation.messages).toEqual([question]);
  });
});
