// Whole turns over OpenAI models: the retry and the tools are the engine's, the server is on loopback.

import { expect, test } from 'vitest';
import { openai } from '../../../src/adapters/openai/index.ts';
import type { EngineEvent } from '../../../src/contracts/events.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { verifyEvents } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { startFaultServer, type FaultServer } from '../fault-server.ts';
import {
  callDelta,
  callItem,
  chunk,
  completed,
  created,
  doneMarker,
  finish,
  itemAdded,
  itemDone,
  messageItem,
  sse,
  textDelta,
  type Json,
} from './wire-events.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: (args) => String((args as { a: number; b: number }).a + (args as { a: number; b: number }).b),
});

async function eventsOf(run: AsyncIterable<EngineEvent>): Promise<readonly EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of run) events.push(event);
  verifyEvents(events);
  return events;
}

const modelAt = (server: FaultServer, api: 'responses' | 'chat') =>
  openai({ model: 'm', api, apiKey: 'sk-none', baseURL: `${server.url}/v1` });
const message: Json = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };

test('case 13, chat: text and arguments of a failed attempt are not in the answer, the second request is the same as the first', async () => {
  const piece = (args: string): Json => callDelta({ index: 0, id: 'c', function: { name: 'add', arguments: args } });
  await using server = await startFaultServer([
    {
      chunks: [
        sse(chunk({ content: 'Hel' })),
        sse(piece('{"a')),
        sse({ error: { code: 'server_error', message: 'oops' } }),
      ],
    },
    { chunks: [sse(chunk({ content: 'Hello' })), sse(piece('{"a":1,"b":2}')), sse(finish('tool_calls')), doneMarker] },
    { chunks: [sse(chunk({ content: 'It is 3.' })), sse(finish('stop')), doneMarker] },
  ]);
  const conversation = createConversation({ messages: [userMessage('1 + 2?')] });
  const run = createEngine({
    model: modelAt(server, 'chat'),
    tools: [add],
    transformers: [],
    retry: { baseDelayMs: 0 },
  }).run(conversation);
  const events = await eventsOf(run);
  expect(events.filter((event) => event.type === 'stream.reset')).toHaveLength(1);
  expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
  expect(conversation.messages.slice(1).map(({ content }) => content)).toEqual([
    [
      { type: 'text', text: 'Hello' },
      { type: 'toolCall', id: 'c', name: 'add', args: { a: 1, b: 2 } },
    ],
    [{ type: 'toolResult', callId: 'c', status: 'completed', content: [{ type: 'text', text: '3' }] }],
    [{ type: 'text', text: 'It is 3.' }],
  ]);
  expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  expect(server.requests).toHaveLength(3);
});

test('case 13, responses: the same, and the reasoning goes back with the call', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC' };
  const call = callItem('fc_1', 'c', 'add', '{"a":1,"b":2}');
  await using server = await startFaultServer([
    {
      chunks: [
        sse(created),
        sse(itemAdded(0, message)),
        sse(textDelta(0, 'Hel')),
        sse({ type: 'error', code: 'server_error', message: 'oops' }),
      ],
    },
    { chunks: [sse(created), sse(itemDone(0, reasoning)), sse(itemDone(1, call)), sse(completed())] },
    { chunks: [sse(created), sse(itemDone(0, messageItem('msg_1', 'It is 3.'))), sse(completed())] },
  ]);
  const conversation = createConversation({ messages: [userMessage('1 + 2?')] });
  const run = createEngine({
    model: modelAt(server, 'responses'),
    tools: [add],
    transformers: [],
    retry: { baseDelayMs: 0 },
  }).run(conversation);
  await eventsOf(run);
  expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
  expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  expect((server.requests[2]?.body as { input: unknown[] } | undefined)?.input.slice(1)).toEqual([
    reasoning,
    call,
    { type: 'function_call_output', call_id: 'c', output: '3' },
  ]);
});

test('a call cut by the limit is not run and is answered as truncated', async () => {
  const cutCall = callDelta({ index: 0, id: 'c', function: { name: 'add', arguments: '{"a":1,"b' } });
  await using server = await startFaultServer([
    { chunks: [sse(cutCall), sse(finish('length')), doneMarker] },
    { chunks: [sse(chunk({ content: 'Sorry.' })), sse(finish('stop')), doneMarker] },
  ]);
  const conversation = createConversation({ messages: [userMessage('1 + 2?')] });
  const run = createEngine({ model: modelAt(server, 'chat'), tools: [add], transformers: [] }).run(conversation);
  await eventsOf(run);
  expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
  expect(conversation.messages[2]?.content).toMatchObject([{ type: 'toolResult', callId: 'c', status: 'truncated' }]);
});

test('a wrong key ends the turn at once with a message a person can act on', async () => {
  await using server = await startFaultServer([
    {
      status: 401,
      chunks: [
        '{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}',
      ],
    },
  ]);
  const run = createEngine({ model: modelAt(server, 'chat'), transformers: [] }).run(
    createConversation({ messages: [userMessage('hi')] }),
  );
  await eventsOf(run);
  const { reason, error } = await run.result;
  expect({ reason, code: error?.code }).toEqual({ reason: 'failed', code: 'model.unauthorized' });
  expect(error?.message).toContain('Incorrect API key provided. Check the key given as `apiKey`');
});
