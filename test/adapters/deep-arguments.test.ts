// A model that nests arguments without end costs one call, not the conversation: every adapter can send what is stored.

import { expect, test } from 'vitest';
import { anthropic } from '../../src/adapters/anthropic/index.ts';
import { openai } from '../../src/adapters/openai/index.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { toolOf } from '../runtime/turn-bench.ts';

const deep = `{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}`;
const common = { model: 'm', apiKey: 'k' };

test.each([
  ['anthropic', (send: typeof fetch) => anthropic({ ...common, fetch: send })],
  ['openai, responses', (send: typeof fetch) => openai({ ...common, api: 'responses', fetch: send })],
  ['openai, chat', (send: typeof fetch) => openai({ ...common, api: 'chat', fetch: send })],
] as const)('%s sends a conversation with arguments that were nested without end', async (_name, make) => {
  const conversation = createConversation({ messages: [userMessage('hi')] });
  const tools = [toolOf('t')];
  const first = scriptedModel([{ calls: [{ name: 't', rawArgs: deep }] }, { text: 'ok' }]);
  await createEngine({ model: first, tools }).run(conversation).result;
  conversation.messages.push(userMessage('again'));
  const bodies: string[] = [];
  const send = (async (_url: unknown, init?: { readonly body?: unknown }) => {
    bodies.push(String(init?.body));
    return new Response('{}', { status: 400 });
  }) as typeof fetch;
  await createEngine({ model: make(send), tools, retry: { attempts: 0 } }).run(conversation).result;
  expect(bodies).toEqual([expect.stringContaining('nested deeper than 100 levels')]);
});
