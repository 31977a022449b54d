// Anthropic models over loopback HTTP against a server that misbehaves: one request per attempt, nothing doubled,
// bounded time.

import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { anthropic } from '../../../src/adapters/anthropic/index.ts';
import type { Model, ModelRequest } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import { startFaultServer, type FaultServer } from '../fault-server.ts';
import { messageEnd, messageStart, sse, text, toolUse } from './events.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = (signal = new AbortController().signal, activity?: () => void) => ({
  signal,
  ...(activity === undefined ? {} : { activity }),
});
const modelAt = (server: FaultServer): Model =>
  anthropic({ model: 'claude-test', apiKey: 'sk-ant-none', baseURL: server.url });
const whole = [messageStart, ...text(0, 'Hel', 'lo'), ...messageEnd('end_turn')];

test('case 12: a stream that falls silent can be aborted at once, and gave signs of life until then', async () => {
  await using server = await startFaultServer([
    { chunks: [messageStart, ...text(0, 'Hel').slice(0, 2), sse({ type: 'ping' })], ending: 'stall' },
  ]);
  const controller = new AbortController();
  let signs = 0;
  const events = modelAt(server)
    .stream(
      request,
      call(controller.signal, () => signs++),
    )
    [Symbol.asyncIterator]();
  const seen: string[] = [];
  while (seen.at(-1) !== 'text.delta') {
    const { value } = await events.next();
    seen.push((value as { type: string }).type);
  }
  const silent = events.next();
  const reason = new Error('idle');
  controller.abort(reason);
  await expect(silent).rejects.toBe(reason);
  await server.closed(0);
  expect(seen).toEqual(['message.start', 'usage', 'text.start', 'text.delta']);
  expect(signs).toBeGreaterThan(1);
  expect(server.requests).toHaveLength(1);
});

test('pings and comments yield no event but are signs of life', async () => {
  const noise = [sse({ type: 'ping' }), ': keep-alive\n\n', sse({ type: 'ping' })];
  await using server = await startFaultServer([{ chunks: [...noise, ...whole] }]);
  let signs = 0;
  const answer = await collect(
    modelAt(server).stream(
      request,
      call(undefined, () => signs++),
    ),
  );
  expect(answer.content).toEqual([{ type: 'text', text: 'Hello' }]);
  expect(answer.raw).toEqual([]);
  expect(signs).toBeGreaterThan(0);
});

test('an answer dropped after any event fails as retryable, with what came before it and one request', async () => {
  const cuts = whole.length; // 0 … all but message_stop
  await using server = await startFaultServer(
    Array.from({ length: cuts * 2 }, (_, n) => ({
      chunks: whole.slice(0, n >> 1),
      ending: n % 2 === 0 ? ('drop' as const) : ('end' as const),
    })),
  );
  for (let n = 0; n < cuts * 2; n++) {
    const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
    expect(thrown).toMatchObject({ code: n % 2 === 0 ? 'model.connection' : 'stream.incomplete', retryable: true });
    expect(events.some((event) => event.type === 'message.end')).toBe(false);
    const said = events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : [])).join('');
    expect(said).toBe(['', '', '', 'Hel', 'Hello', 'Hello', 'Hello'][n >> 1]);
  }
  expect(server.requests).toHaveLength(cuts * 2);
});

test('the whole answer counts though the server keeps the socket open after it', async () => {
  await using server = await startFaultServer([{ chunks: whole, ending: 'stall' }]);
  const answer = await collect(modelAt(server).stream(request, call()));
  expect(answer.content).toEqual([{ type: 'text', text: 'Hello' }]);
});

test('an overloaded_error inside the stream throws after the events before it', async () => {
  const error = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_9' });
  await using server = await startFaultServer([{ chunks: [messageStart + text(0, 'Hel').join('') + error] }]);
  const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
  expect(events.map((event) => event.type)).toEqual(['message.start', 'usage', 'text.start', 'text.delta']);
  expect(thrown).toMatchObject({
    code: 'model.overloaded',
    retryable: true,
    providerCode: 'overloaded_error',
    requestId: 'req_9',
  });
  expect(server.requests).toHaveLength(1);
});

test('an error event after message_stop changes nothing', async () => {
  const error = sse({ type: 'error', error: { type: 'api_error', message: 'late' } });
  await using server = await startFaultServer([{ chunks: [whole.join('') + error] }]);
  expect((await collect(modelAt(server).stream(request, call()))).stopReason).toBe('endTurn');
});

test.each([
  [429, 'rate_limit_error', 'model.rateLimited', { 'retry-after': '3' }, 3000],
  [529, 'overloaded_error', 'model.overloaded', {}, undefined],
  [500, 'api_error', 'model.failed', { 'retry-after-ms': '250' }, 250],
] as const)(
  'HTTP %i is one request, retryable, with the server’s wish',
  async (status, type, code, headers, retryAfterMs) => {
    const body = JSON.stringify({ type: 'error', error: { type, message: 'not now' }, request_id: 'req_7' });
    await using server = await startFaultServer([{ status, headers, chunks: [body] }]);
    const { events, thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
    expect(events).toEqual([]);
    expect(thrown).toMatchObject({ code, retryable: true, status, requestId: 'req_7' });
    expect((thrown as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
    expect(server.requests).toHaveLength(1);
  },
);

test('an error page of a proxy is quoted, not parsed', async () => {
  await using server = await startFaultServer([
    { status: 502, headers: { 'content-type': 'text/html' }, chunks: ['<html>Bad Gateway</html>'] },
  ]);
  const { thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
  expect(thrown).toMatchObject({ code: 'model.failed', retryable: true, status: 502 });
  expect((thrown as Error).message).toContain('Bad Gateway');
});

test('headers that never come: an abort ends the wait at once and takes the request back', async () => {
  await using server = await startFaultServer([{ headersSent: 'never' }]);
  const controller = new AbortController();
  const waiting = modelAt(server).stream(request, call(controller.signal))[Symbol.asyncIterator]().next();
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await server.closed(0);
});

test('headers that never come: the client’s own timeout is a retryable model.connection', async () => {
  await using server = await startFaultServer([{ headersSent: 'never' }]);
  const client = new Anthropic({ apiKey: 'sk-ant-none', baseURL: server.url, timeout: 20, maxRetries: 5 });
  const { thrown } = await collectUntilThrow(anthropic({ model: 'claude-test', client }).stream(request, call()));
  expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
  expect((thrown as Error).message).toContain('did not answer in time');
  expect(server.requests.length).toBeLessThan(2); // the client's own retries are off
});

test('nobody listens: model.connection names the address', async () => {
  const server = await startFaultServer([]);
  const model = modelAt(server);
  await server[Symbol.asyncDispose]();
  const { thrown } = await collectUntilThrow(model.stream(request, call()));
  expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
  expect((thrown as Error).message).toMatch(/ECONNREFUSED/);
});

test('an event of ten megabytes arrives whole', async () => {
  const huge = 'ab🏷'.repeat(2_500_000);
  const events = [messageStart, ...text(0, huge), ...messageEnd('end_turn')].join('');
  await using server = await startFaultServer([{ chunks: [events] }]);
  const answer = await collect(modelAt(server).stream(request, call()));
  expect(answer.content[0]).toMatchObject({ type: 'text', text: huge });
  expect(server.requests).toHaveLength(1);
});

test('an event that is no JSON is stream.protocol, and may be tried again', async () => {
  await using server = await startFaultServer([
    { chunks: [messageStart, 'event: content_block_start\ndata: {"type":"content_bl\n\n'] },
  ]);
  const { thrown } = await collectUntilThrow(modelAt(server).stream(request, call()));
  expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: true });
});

test('case 13: an attempt that fails leaves nothing behind for the next one', async () => {
  const error = sse({ type: 'error', error: { type: 'api_error', message: 'oops' } });
  await using server = await startFaultServer([
    { chunks: [messageStart, ...text(0, 'Hel'), ...toolUse(1, 'a', 'run', '{"co').slice(0, 2), error] },
    { chunks: [messageStart, ...text(0, 'Hello'), ...toolUse(1, 'a', 'run', '{"code":1}'), ...messageEnd('tool_use')] },
  ]);
  const model = modelAt(server);
  const first = await collectUntilThrow(model.stream(request, call()));
  expect(first.thrown).toMatchObject({ code: 'model.failed', retryable: true });
  const second = await collect(model.stream(request, call()));
  expect(second.content).toEqual([
    { type: 'text', text: 'Hello' },
    { type: 'toolCall', id: 'a', name: 'run', args: { code: 1 } },
  ]);
  expect(server.requests).toHaveLength(2);
});

test('leaving the loop closes the connection', async () => {
  await using server = await startFaultServer([{ chunks: [messageStart, ...text(0, 'Hel')], ending: 'stall' }]);
  for await (const event of modelAt(server).stream(request, call())) if (event.type === 'text.delta') break;
  await server.closed(0);
  expect(server.requests).toHaveLength(1);
});

test('a finished answer leaves its connection for a later call', async () => {
  await using server = await startFaultServer(Array.from({ length: 20 }, () => ({ chunks: whole })));
  const model = modelAt(server);
  const ports = new Set<unknown>();
  // The end of the body arrives a moment after message_stop: the very next call may be too early for it.
  while (ports.size === server.requests.length && server.unused() > 0) {
    await collect(model.stream(request, call()));
    ports.add(server.requests.at(-1)?.remotePort);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(ports.size).toBeLessThan(server.requests.length);
});
