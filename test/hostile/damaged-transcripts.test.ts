// A host that changes or freezes the transcript while a turn runs: the turn ends, and the next one finds it valid.

import { expect, test } from 'vitest';
import { createConversation, createEngine, createOperative, defineTool, userMessage } from '../../src/index.ts';
import { scriptedModel, verifyTranscript } from '../../src/testing/index.ts';

const anything = { type: 'object', properties: {} } as const;

test.each([
  ['emptied', (messages: unknown[]) => void (messages.length = 0)],
  ['given a call nobody answers', (messages: unknown[]) => void messages.push(danglingCall())],
])('a transcript that a tool has %s is valid again from the next turn on', async (_what, damage) => {
  const conversation = createConversation();
  const clear = defineTool({
    name: 'clear',
    description: 'Damages the transcript.',
    parameters: anything,
    execute: () => damage(conversation.messages),
  });
  const model = scriptedModel([{ calls: [{ name: 'clear', args: {} }] }, { text: 'one' }, { text: 'two' }]);
  const operative = createOperative({ engine: createEngine({ model, tools: [clear] }), conversation });
  for (const text of ['first', 'second']) {
    for await (const _event of (await operative.submit(text)).events);
  }
  verifyTranscript(conversation);
  expect(conversation.messages.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'two' }] });
  await operative.close();
});

test('a transcript frozen while a tool runs ends the turn as failed', async () => {
  const conversation = createConversation({ messages: [userMessage('go')] });
  const freeze = defineTool({
    name: 'freeze',
    description: 'Freezes the transcript.',
    parameters: anything,
    execute: async () => {
      await Promise.resolve();
      Object.freeze(conversation.messages);
    },
  });
  const model = scriptedModel([{ calls: [{ name: 'freeze', args: {} }] }]);
  const result = await createEngine({ model, tools: [freeze] }).run(conversation).result;
  expect(result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
});

test('a host that gives no id for the results ends the turn as failed', async () => {
  let isBroken = false;
  const breakHost = defineTool({
    name: 'breakHost',
    description: 'Breaks the host.',
    parameters: anything,
    execute: async () => {
      await Promise.resolve();
      isBroken = true;
    },
  });
  const model = scriptedModel([{ calls: [{ name: 'breakHost', args: {} }] }]);
  const host = {
    createId: (kind: string) => {
      if (isBroken) throw new Error('no ids left');
      return `${kind}_${Math.random()}`;
    },
  };
  const conversation = createConversation({ messages: [userMessage('go')] });
  const result = await createEngine({ model, tools: [breakHost], host }).run(conversation).result;
  expect(result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
});

function danglingCall(): object {
  return { id: 'dangling', role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'clear', args: {} }] };
}
