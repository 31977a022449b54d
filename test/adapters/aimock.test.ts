// Models of all APIs over real HTTP against a provider server nobody here wrote (@copilotkit/aimock).

import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Model } from '../../src/contracts/model.ts';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { textOf, userMessage } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { collect, collectUntilThrow } from './collect.ts';
import { call, wires } from './wires.ts';

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
afterEach(() => {
  mock.clearChaos();
  mock.clearRequests();
  mock.clearFixtures();
});

const ask = (model: Model, text: string) =>
  model.stream({ system: [], messages: [userMessage(text)], tools: [] }, call());
const weather = defineTool({
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: (args) => `sunny in ${(args as { city: string }).city}`,
});

/** The server puts an encrypted reasoning item before every answer of the Responses API. */
const said = (content: readonly Block[] | undefined): readonly Block[] =>
  (content ?? []).filter((block) => block.type !== 'thinking');

describe.each(wires)('$name', ({ name, modelOf }) => {
  const modelAt = (headers: Record<string, string> = {}): Model =>
    modelOf({ apiKey: 'mock', baseURL: name === 'anthropic' ? mock.url : `${mock.url}/v1`, headers });

  test('a text answer', async () => {
    mock.onMessage('hello', { content: 'Hi there! 北京 🌍' });
    const answer = await collect(ask(modelAt(), 'hello'));
    expect(said(answer.content)).toMatchObject([{ type: 'text', text: 'Hi there! 北京 🌍' }]);
    expect(answer.stopReason).toBe('endTurn');
  });

  test('a tool round trip with thinking', async () => {
    mock.on(
      { userMessage: 'weather in Paris', hasToolResult: false },
      {
        reasoning: 'I should look.',
        reasoningSignature: 'SIG==',
        toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' }],
      },
    );
    mock.on({ userMessage: 'weather in Paris', hasToolResult: true }, { content: 'It is sunny.' });
    const conversation = createConversation({ messages: [userMessage('weather in Paris')] });
    const run = createEngine({ model: modelAt(), tools: [weather], transformers: [] }).run(conversation);
    expect(await run.result).toMatchObject({ reason: 'completed', iterations: 2 });
    const [, asked, answered] = conversation.messages;
    expect(asked?.content[0]).toMatchObject({ type: 'thinking', text: 'I should look.' });
    if (name === 'anthropic') {
      expect(asked?.content[0]).toMatchObject({ provider: 'anthropic', signature: expect.any(String) as string });
    }
    expect(said(asked?.content)).toMatchObject([
      { type: 'toolCall', id: 'call_1', name: 'get_weather', args: { city: 'Paris' } },
    ]);
    expect(answered?.content).toMatchObject([
      {
        type: 'toolResult',
        callId: 'call_1',
        status: 'completed',
        content: [{ type: 'text', text: 'sunny in Paris' }],
      },
    ]);
    expect(conversation.messages.map(textOf).at(-1)).toBe('It is sunny.');
    expect(mock.getRequests()).toHaveLength(2);
  });

  test('parallel calls', async () => {
    mock.onMessage('two', {
      toolCalls: [
        { name: 'get_weather', arguments: '{"city":"Rome"}' },
        { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      ],
    });
    const { content, stopReason } = await collect(ask(modelAt(), 'two'));
    expect(said(content)).toMatchObject([
      { type: 'toolCall', args: { city: 'Rome' } },
      { type: 'toolCall', args: { city: 'Oslo' } },
    ]);
    expect(stopReason).toBe('toolUse');
  });

  test.each([
    ['drop', { 'x-aimock-chaos-drop': '1' }, { code: 'model.failed', retryable: true, status: 500 }],
    ['malformed', { 'x-aimock-chaos-malformed': '1' }, { code: 'stream.protocol', retryable: true }],
    ['429', { 'x-aimock-chaos-ratelimit': '1' }, { code: 'model.rateLimited', retryable: true, status: 429 }],
    ['disconnect', { 'x-aimock-chaos-disconnect': '1' }, { code: 'model.connection', retryable: true }],
  ] as const)('chaos mode %s is one request and one retryable error', async (_, headers, expected) => {
    mock.onMessage('hello', { content: 'Hi there!' });
    const { events, thrown } = await collectUntilThrow(ask(modelAt(headers), 'hello'));
    expect(events).toEqual([]);
    expect(thrown).toMatchObject(expected);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('an answer cut off in the middle of the stream is retryable and never whole', async () => {
    mock.onMessage(
      'hello',
      { content: 'Hi there, this is a long answer in many pieces.' },
      { chunkSize: 4, truncateAfterChunks: 4 },
    );
    const { events, thrown } = await collectUntilThrow(ask(modelAt(), 'hello'));
    expect(events.some((event) => event.type === 'message.end')).toBe(false);
    expect(thrown).toMatchObject({ retryable: true });
    expect(['model.connection', 'stream.incomplete']).toContain((thrown as { code: string }).code);
  });

  test('a turn over a server that drops half of its answers completes', async () => {
    mock.onMessage('hello', { content: 'Hi there!' }, { chunkSize: 2 });
    let calls = 0;
    const flaky: Model = {
      ...modelAt(),
      stream: (request, options) =>
        modelAt(calls++ % 2 === 0 ? { 'x-aimock-chaos-drop': '1' } : {}).stream(request, options),
    };
    const conversation = createConversation({ messages: [userMessage('hello')] });
    const result = await createEngine({ model: flaky, transformers: [], retry: { baseDelayMs: 0 } }).run(conversation)
      .result;
    expect(result.reason).toBe('completed');
    expect(conversation.messages.map(textOf)).toEqual(['hello', 'Hi there!']);
  });

  test('an error in the API’s words', async () => {
    const overflow = name !== 'anthropic';
    mock.onMessage('hello', {
      error: overflow
        ? { message: 'This model’s maximum context length is 8 tokens', code: 'context_length_exceeded' }
        : { message: 'Overloaded', type: 'overloaded_error' },
      status: overflow ? 400 : 529,
    });
    const { thrown } = await collectUntilThrow(ask(modelAt(), 'hello'));
    expect(thrown).toMatchObject(
      overflow
        ? { code: 'model.contextOverflow', retryable: false, status: 400 }
        : { code: 'model.overloaded', retryable: true, status: 529 },
    );
  });
});
