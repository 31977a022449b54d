import { describe, expect, test } from 'vitest';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { scriptedModel, verifyTranscript } from '../../src/testing/index.ts';
import { toolOf } from './turn-bench.ts';

const twoTurns = [{ calls: [{ name: 'look' }] }, { text: 'one' }, { text: 'two' }, { text: 'three' }];

/** By hand, between two turns: after them stand user, assistant with a call, its result, assistant, user, assistant. */
const edits: Readonly<Record<string, (conversation: Conversation) => void>> = {
  'a result taken out': ({ messages }) => void messages.splice(2, 1),
  'a result taken out and a message put behind': ({ messages }) => {
    messages.splice(2, 1);
    messages.push(userMessage('note'));
  },
  'a result replaced by a note': ({ messages }) => void (messages[2] = userMessage('note')),
  'a note put between a call and its result': ({ messages }) => void messages.splice(2, 0, userMessage('note')),
  'a call taken out': ({ messages }) => void messages.splice(1, 1),
  'another array without the result': (conversation) => {
    conversation.messages = conversation.messages.filter(({ role }) => role !== 'tool');
  },
};

describe.each(['a bare run', 'an operative'])('a transcript edited by hand between turns of %s', (way) => {
  test.each(Object.entries(edits))('%s: the next request is valid', async (_what, edit) => {
    const model = scriptedModel(twoTurns);
    const engine = createEngine({ model, tools: [toolOf('look')] });
    const conversation = createConversation();
    const operative = way === 'an operative' ? createOperative({ engine, conversation }) : undefined;
    const play = async (text: string): Promise<void> => {
      if (operative === undefined) {
        conversation.messages.push(userMessage(text));
        await engine.run(conversation).result;
      } else {
        const { events } = await operative.submit(text);
        for await (const event of events) if (event.type === 'turn.completed') break;
      }
    };
    await play('first');
    await play('second');
    edit(conversation);
    await play('third');
    const messages: Message[] = [...(model.requests.at(-1)?.messages ?? [])];
    verifyTranscript({ system: [], messages });
    expect(messages.at(-1)?.content).toEqual([{ type: 'text', text: 'third' }]);
  });
});
