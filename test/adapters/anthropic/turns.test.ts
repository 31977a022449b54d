// Whole turns over Anthropic models: the retry, the watchdog and the tools are the engine's, the server is on loopback.

import { expect, test } from 'vitest';
import { anthropic } from '../../../src/adapters/anthropic/index.ts';
import type { EngineEvent } from '../../../src/contracts/events.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { textOf, userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { simulatedHost, verifyEvents } from '../../../src/testing/index.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { startFaultServer, type FaultServer } from '../fault-server.ts';
import { block, messageEnd, messageStart, sse, text, toolUse } from './events.ts';

const modelAt = (server: FaultServer) =>
  anthropic({ model: 'claude-test', apiKey: 'sk-ant-none', baseURL: server.url });
const add = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: (args) => String((args as { a: number; b: number }).a + (args as { a: number; b: number }).b),
});

async function eventsOf(
  run: AsyncIterable<EngineEvent>,
  each?: (event: EngineEvent) => void,
): Promise<readonly EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const event of run) {
    events.push(event);
    each?.(event);
  }
  verifyEvents(events);
  return events;
}

test('case 13: text and arguments of a failed attempt are not in the answer, the second request is the same as the first', async () => {
  const error = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  await using server = await startFaultServer([
    { chunks: [messageStart, ...text(0, 'Hel'), ...toolUse(1, 'c', 'add', '{"a').slice(0, 2), error] },
    {
      chunks: [
        messageStart,
        ...text(0, 'Hello'),
        ...toolUse(1, 'c', 'add', '{"a":1,"b":2}'),
        ...messageEnd('tool_use'),
      ],
    },
    { chunks: [messageStart, ...text(0, 'It is 3.'), ...messageEnd('end_turn')] },
  ]);
  const conversation = createConversation({ messages: [userMessage('1 + 2?')] });
  const run = createEngine({ model: modelAt(server), tools: [add], transformers: [], retry: { baseDelayMs: 0 } }).run(
    conversation,
  );
  const events = await eventsOf(run);
  expect(events.filter((event) => event.type === 'stream.reset')).toHaveLength(1);
  expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
  expect(conversation.messages.map(({ role, content }) => ({ role, content }))).toEqual([
    { role: 'user', content: [{ type: 'text', text: '1 + 2?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'toolCall', id: 'c', name: 'add', args: { a: 1, b: 2 } },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'toolResult', callId: 'c', status: 'completed', content: [{ type: 'text', text: '3' }] }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'It is 3.' }] },
  ]);
  expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  expect(server.requests).toHaveLength(3);
});

test('case 12: a silent stream is ended by the watchdog and tried again', async () => {
  await using server = await startFaultServer([
    { chunks: [messageStart, ...text(0, 'Hel').slice(0, 2)], ending: 'stall' },
    { chunks: [messageStart, ...text(0, 'Hello'), ...messageEnd('end_turn')] },
  ]);
  const host = simulatedHost();
  const conversation = createConversation({ messages: [userMessage('hi')] });
  const run = createEngine({
    model: modelAt(server),
    transformers: [],
    host,
    idleTimeoutMs: 5000,
    retry: { baseDelayMs: 10 },
  }).run(conversation);
  const events = await eventsOf(run, (event) => {
    if (event.type === 'text.delta' && event.text === 'Hel') void host.advance(5000);
    if (event.type === 'stream.retrying') void host.advance(event.delayMs);
  });
  expect(events.find((event) => event.type === 'stream.retrying')).toMatchObject({ error: { code: 'stream.idle' } });
  expect(await run.result).toMatchObject({ reason: 'completed' });
  expect(conversation.messages.map(textOf)).toEqual(['hi', 'Hello']);
  await server.closed(0);
});

test('a server that asks for a pause gets it', async () => {
  const body = '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}';
  await using server = await startFaultServer([
    { status: 429, headers: { 'retry-after': '7' }, chunks: [body] },
    { chunks: [messageStart, ...text(0, 'Hello'), ...messageEnd('end_turn')] },
  ]);
  const host = simulatedHost();
  const run = createEngine({ model: modelAt(server), transformers: [], host }).run(
    createConversation({ messages: [userMessage('hi')] }),
  );
  const events = await eventsOf(run, (event) => {
    if (event.type === 'stream.retrying') void host.advance(event.delayMs);
  });
  const retrying = events.find((event) => event.type === 'stream.retrying');
  expect(retrying).toMatchObject({ delayMs: expect.closeTo(7000, -4) as number, error: { code: 'model.rateLimited' } });
  expect(retrying?.delayMs).toBeGreaterThanOrEqual(7000);
  expect((await run.result).reason).toBe('completed');
});

test('a paused answer continues: what was said is sent back as it came', async () => {
  const search = block(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } });
  await using server = await startFaultServer([
    { chunks: [messageStart, ...search, ...messageEnd('pause_turn')] },
    { chunks: [messageStart, ...text(0, 'found'), ...messageEnd('end_turn')] },
  ]);
  const run = createEngine({ model: modelAt(server), transformers: [] }).run(
    createConversation({ messages: [userMessage('hi')] }),
  );
  await eventsOf(run);
  expect((server.requests[1]?.body as { messages: unknown[] } | undefined)?.messages.at(-1)).toEqual({
    role: 'assistant',
    content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }],
  });
  expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
});

test('a wrong key ends the turn at once with a message a person can act on', async () => {
  await using server = await startFaultServer([
    { status: 401, chunks: ['{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}'] },
  ]);
  const run = createEngine({ model: modelAt(server), transformers: [] }).run(
    createConversation({ messages: [userMessage('hi')] }),
  );
  await eventsOf(run);
  const { reason, error } = await run.result;
  expect({ reason, code: error?.code }).toEqual({ reason: 'failed', code: 'model.unauthorized' });
  expect(error?.message).toBe(
    'Anthropic rejected the key or its permissions (HTTP 401): invalid x-api-key. Check the key given as `apiKey` or ANTHROPIC_API_KEY, and that it belongs to this server.',
  );
});
