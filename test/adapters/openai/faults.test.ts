// OpenAI models over loopback HTTP against a server that misbehaves: one request per attempt, nothing doubled,
// bounded time. Both APIs.

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { openai } from '../../../src/adapters/openai/index.ts';
import type { Model, ModelRequest } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import { startFaultServer, type FaultServer } from '../fault-server.ts';
import {
  callDelta,
  callItem,
  chunk,
  created,
  doneMarker,
  itemAdded,
  itemDone,
  messageItem,
  sse,
  textDelta,
  wholeChat,
  wholeResponse,
} from './wire-events.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = (signal = new AbortController().signal, activity?: () => void) => ({
  signal,
  ...(activity === undefined ? {} : { activity }),
});

const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] };
const apis = [
  {
    api: 'responses' as const,
    whole: wholeResponse,
    // Before any of these the answer is not whole.
    unfinished: wholeResponse.length - 1,
    begun: [sse(created), sse(itemAdded(0, message)), sse(textDelta(0, 'Hel'))],
    callBegun: sse(itemAdded(1, callItem('fc_1', 'a', 'run', ''))),
    withCall: [
      sse(created),
      sse(itemDone(0, messageItem('msg_1', 'Hello'))),
      sse(itemDone(1, callItem('fc_1', 'a', 'run', '{"code":1}'))),
      sse({ type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [] } }),
    ],
    error: sse({ type: 'error', code: 'server_error', message: 'oops' }),
    overloaded: sse({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
    }),
    huge: (text: string) => [
      sse(created),
      sse(textDelta(0, text)),
      sse({ type: 'response.completed', response: { status: 'completed', output: [] } }),
    ],
  },
  {
    api: 'chat' as const,
    whole: wholeChat,
    unfinished: wholeChat.length - 2,
    begun: [sse(chunk({ role: 'assistant' })), sse(chunk({ content: 'Hel' }))],
    callBegun: sse(callDelta({ index: 0, id: 'a', function: { name: 'run', arguments: '{"co' } })),
    withCall: [
      sse(chunk({ content: 'Hello' })),
      sse(callDelta({ index: 0, id: 'a', function: { name: 'run', arguments: '{"code":1}' } })),
      sse(chunk({}, { finish_reason: 'tool_calls' })),
      doneMarker,
    ],
    error: sse({ error: { type: 'server_error', message: 'oops' } }),
    overloaded: sse({ error: { code: 'rate_limit_exceeded', message: 'slow down' } }),
    huge: (text: string) => [sse(chunk({ content: text })), doneMarker],
  },
];

describe.each(apis)('$api', ({ api, whole, unfinished, begun, callBegun, withCall, error, overloaded, huge }) => {
  const modelAt = (server: FaultServer): Model =>
    openai({ model: 'm', api, apiKey: 'sk-none', baseURL: `${server.url}/v1` });

  test('case 12: a stream that falls silent can be aborted at once, and gave signs of life until then', async () => {
    await using server = await startFaultServer([{ chunks: [...begun, ': ping\n\n'], ending: 'stall' }]);
    const controller = new AbortController();
    let signs = 0;
    const events = modelAt(server)
      .stream(
        request,
        call(controller.signal, () => signs++),
      )
      [Symbol.asyncIterator]();
    const seen: string[] = [];
    while (seen.at(-1) !== 'text.delta') seen.push(((await events.next()).value as { type: string }).type);
    const silent = events.next();
    const reason = new Error('idle');
    controller.abort(reason);
    await expect(silent).rejects.toBe(reason);
    await server.closed(0);
    expect(signs).toBeGreaterThan(1);
    expect(server.requests).toHaveLength(1);
  });

  test('an answer dropped after any event fails as retryable, with one request', async () => {
    const plans = Array.from({ length: (unfinished + 1) * 2 }, (_, n) => ({
      chunks: whole.slice(0, n >> 1),
      ending: n % 2 === 0 ? ('drop' as const) : ('end' as const),
    }));
    await using server = await startFaultServer(plans);
    for (const { ending } of plans) {
      const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
      expect(thrown).toMatchObject({
        code: ending === 'drop' ? 'model.connection' : 'stream.incomplete',
        retryable: true,
      });
      expect(events.some((event) => event.type === 'message.end')).toBe(false);
      const said = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');
      expect('Hello'.startsWith(said)).toBe(true);
    }
    expect(server.requests).toHaveLength(plans.length);
  });

  test('the whole answer counts though the server keeps the socket open after it', async () => {
    await using server = await startFaultServer([{ chunks: whole, ending: 'stall' }]);
    expect((await collect(modelAt(server).stream(request, call()))).content).toMatchObject([
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('an error inside the stream throws after the events before it', async () => {
    await using server = await startFaultServer([{ chunks: [[...begun, overloaded].join('')] }]);
    const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
    expect(events.map((event) => event.type)).toEqual(['message.start', 'text.start', 'text.delta']);
    expect(thrown).toMatchObject({ code: 'model.rateLimited', retryable: true, providerCode: 'rate_limit_exceeded' });
    expect(server.requests).toHaveLength(1);
  });

  test('an error after the last word changes nothing', async () => {
    await using server = await startFaultServer([{ chunks: [whole.join('') + error] }]);
    expect((await collect(modelAt(server).stream(request, call()))).stopReason).toBe('endTurn');
  });

  test.each([
    [429, 'rate_limit_exceeded', 'model.rateLimited', { 'retry-after': '3' }, 3000],
    [503, 'overloaded', 'model.overloaded', {}, undefined],
    [500, 'server_error', 'model.failed', { 'retry-after-ms': '250' }, 250],
  ] as const)(
    'HTTP %i is one request, retryable, with the server’s wish',
    async (status, code, expected, headers, retryAfterMs) => {
      const body = JSON.stringify({ error: { type: 'x', code, message: 'not now' } });
      await using server = await startFaultServer([
        { status, headers: { ...headers, 'x-request-id': 'req_7' }, chunks: [body] },
      ]);
      const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
      expect(events).toEqual([]);
      expect(thrown).toMatchObject({ code: expected, retryable: true, status, providerCode: code, requestId: 'req_7' });
      expect((thrown as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
      expect(server.requests).toHaveLength(1);
    },
  );

  test('headers that never come: an abort ends the wait at once', async () => {
    await using server = await startFaultServer([{ headersSent: 'never' }]);
    const controller = new AbortController();
    const waiting = modelAt(server).stream(request, call(controller.signal))[Symbol.asyncIterator]().next();
    const reason = new Error('enough');
    setImmediate(() => controller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
  });

  test('headers that never come: the client’s own timeout is a retryable model.connection', async () => {
    await using server = await startFaultServer([{ headersSent: 'never' }]);
    const client = new OpenAI({ apiKey: 'sk-none', baseURL: `${server.url}/v1`, timeout: 20, maxRetries: 5 });
    const { thrown } = await collectUntilThrow(openai({ model: 'm', api, client }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
    expect((thrown as Error).message).toContain('did not answer in time');
    expect(server.requests.length).toBeLessThan(2); // the client's own retries are off
  });

  test('an event of ten megabytes arrives whole', async () => {
    const text = 'ab🏷'.repeat(2_500_000);
    await using server = await startFaultServer([{ chunks: [huge(text).join('')] }]);
    const { content } = await collect(modelAt(server).stream(request, call()));
    expect(content).toMatchObject([{ type: 'text', text }]);
    expect(server.requests).toHaveLength(1);
  });

  test('an event that is no JSON is stream.protocol, and may be tried again', async () => {
    await using server = await startFaultServer([{ chunks: [...begun, 'data: {"type":"resp\n\n'] }]);
    const { thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: true });
  });

  test('case 13: an attempt that fails leaves nothing behind for the next one', async () => {
    await using server = await startFaultServer([{ chunks: [...begun, callBegun, error] }, { chunks: withCall }]);
    const model = modelAt(server);
    const first = await collectUntilThrow(model.stream(request, call()));
    expect(first.thrown).toMatchObject({ code: 'model.failed', retryable: true });
    const second = await collect(model.stream(request, call()));
    expect(second.content).toMatchObject([
      { type: 'text', text: 'Hello' },
      { type: 'toolCall', id: 'a', name: 'run', args: { code: 1 } },
    ]);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });

  test('leaving the loop closes the connection', async () => {
    await using server = await startFaultServer([{ chunks: begun, ending: 'stall' }]);
    for await (const event of modelAt(server).stream(request, call())) if (event.type === 'text.delta') break;
    await server.closed(0);
    expect(server.requests).toHaveLength(1);
  });
});
