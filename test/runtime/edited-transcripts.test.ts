import { describe, expect, test } from 'vitest';
import type { TurnResult } from '../../src/contracts/events.ts';
import { defaultHost, type Host } from '../../src/contracts/host.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
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

async function playWith(transformers: readonly Transformer[], edit: (messages: unknown[]) => void, host?: Host) {
  const messages = ['msg_1', 'msg_2', 'msg_x', 'msg_y'].map((id) => userMessage(id, { id }));
  const conversation = createConversation({ messages });
  const model = scriptedModel(() => ({ text: 'Hi' }));
  const engine = createEngine({ model, transformers, ...(host === undefined ? {} : { host }) });
  const operative = createOperative({ engine, conversation });
  const play = async (message: string | Message): Promise<TurnResult | undefined> => {
    const { events } = await operative.submit(message);
    for await (const event of events) if (event.type === 'turn.completed') return event;
    return undefined;
  };
  await play(userMessage('new', { id: 'new' }));
  edit(conversation.messages);
  return { conversation, play };
}

const copyOlder: Transformer = {
  name: 'copyOlder',
  beforeTurn: ({ system, messages }) => ({
    conversation: { system, messages: messages.map((message, index) => (index < 2 ? { ...message } : message)) },
  }),
};

test.each<[string, readonly Transformer[], (messages: unknown[]) => void]>([
  ['a transformer', [copyOlder], () => undefined],
  ['the host', [], (messages) => messages.splice(0, 1, { ...(messages[0] as Message) })],
])('a stored message that %s replaced by a copy is not appended when it is submitted again', async (_who, ts, edit) => {
  const { conversation, play } = await playWith(ts, edit);
  await play(userMessage('msg_1', { id: 'msg_1' }));
  expect(conversation.messages.filter(({ id }) => id === 'msg_1')).toHaveLength(1);
  verifyTranscript(conversation);
});

test('ids of a host that counts are not those of messages that a transformer replaced by copies', async () => {
  let count = 0;
  const createId: Host['createId'] = (kind) => (kind === 'message' ? `msg_${++count}` : `${kind}_${++count}`);
  const host = { ...defaultHost, createId };
  const { conversation, play } = await playWith([copyOlder], () => void (count = 0), host);
  await play('on');
  verifyTranscript(conversation);
});

test('a turn fails of a null in the transcript, also when a whole message starts it', async () => {
  const { play } = await playWith([], (messages) => messages.push(null));
  const result = await play(userMessage('on', { id: 'on' }));
  expect(result).toMatchObject({ reason: 'failed', error: { code: 'conversation.invalid' } });
});

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
