// Models of all APIs over loopback HTTP against a server that misbehaves: one request per attempt, nothing doubled,
// bounded time.

import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/contracts/model.ts';
import { collect, collectUntilThrow } from './collect.ts';
import { startFaultServer } from './fault-server.ts';
import { call, request, wires } from './wires.ts';

const hello = [{ type: 'text', text: 'Hello' }];
const saidIn = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('');

describe.each(wires)('$name', (wire) => {
  const { modelAt, whole, begun } = wire;

  test('case 12: a stream that falls silent can be aborted at once, and gave signs of life until then', async () => {
    await using server = await startFaultServer([{ chunks: [...begun, ': ping\n\n'], ending: 'stall' }]);
    const controller = new AbortController();
    let signs = 0;
    const options = call(controller.signal, () => signs++);
    const events = modelAt(server.url).stream(request, options)[Symbol.asyncIterator]();
    const seen: string[] = [];
    while (seen.at(-1) !== 'text.delta') seen.push(((await events.next()).value as { type: string }).type);
    const silent = events.next();
    const reason = new Error('idle');
    controller.abort(reason);
    await expect(silent).rejects.toBe(reason);
    await server.closed(0);
    expect(seen.filter((type) => type !== 'usage')).toEqual(['message.start', 'text.start', 'text.delta']);
    expect(signs).toBeGreaterThan(1);
    expect(server.requests).toHaveLength(1);
  });

  test('comments and pings yield no event but are signs of life', async () => {
    await using server = await startFaultServer([{ chunks: [...wire.noise, ...whole] }]);
    let signs = 0;
    const answer = await collect(
      modelAt(server.url).stream(
        request,
        call(undefined, () => signs++),
      ),
    );
    expect(answer.content).toMatchObject(hello);
    expect(answer.raw).toEqual([]);
    expect(signs).toBeGreaterThan(0);
  });

  test('an answer dropped after any event but its last word fails as retryable, with what came before it and one request', async () => {
    const plans = Array.from({ length: (wire.unfinished + 1) * 2 }, (_, n) => ({
      chunks: whole.slice(0, n >> 1),
      ending: n % 2 === 0 ? ('drop' as const) : ('end' as const),
    }));
    await using server = await startFaultServer(plans);
    let said = '';
    for (const { chunks, ending } of plans) {
      const { events, thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
      const code = ending === 'drop' ? 'model.connection' : 'stream.incomplete';
      expect(thrown, `${chunks.length}, ${ending}`).toMatchObject({ code, retryable: true });
      expect(events.some((event) => event.type === 'message.end')).toBe(false);
      expect(saidIn(events).startsWith(said)).toBe(true);
      said = saidIn(events);
    }
    expect(said).toBe('Hello');
    expect(server.requests).toHaveLength(plans.length);
  });

  test.each(['drop', 'stall', 'end'] as const)(
    'behind the last word of an answer it counts, however the body ends: %s',
    async (ending) => {
      for (let count = wire.unfinished + 1; count <= whole.length; count++) {
        // A server that only falls silent may still have counts to send.
        if (ending === 'stall' && count < whole.length) continue;
        await using server = await startFaultServer([{ chunks: whole.slice(0, count), ending }]);
        const answer = await collect(modelAt(server.url).stream(request, call()));
        expect(answer).toMatchObject({ content: hello, stopReason: 'endTurn' });
        expect(server.requests).toHaveLength(1);
      }
    },
  );

  test('an error inside the stream throws after the events before it', async () => {
    await using server = await startFaultServer([{ chunks: [[...begun, wire.overloaded].join('')] }]);
    const { events, thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    const types = events.map((event) => event.type).filter((type) => type !== 'usage');
    expect(types).toEqual(['message.start', 'text.start', 'text.delta']);
    expect(thrown).toMatchObject({ ...wire.overloadedError, retryable: true });
    expect(server.requests).toHaveLength(1);
  });

  test('an error after the last word changes nothing', async () => {
    await using server = await startFaultServer([{ chunks: [whole.join('') + wire.error] }]);
    expect((await collect(modelAt(server.url).stream(request, call()))).stopReason).toBe('endTurn');
  });

  test.each([
    [429, 'limited', 'model.rateLimited', { 'retry-after': '3' }, 3000],
    [529, 'overloaded', 'model.overloaded', {}, undefined],
    [503, 'overloaded', 'model.overloaded', {}, undefined],
    [500, 'broken', 'model.failed', { 'retry-after-ms': '250' }, 250],
  ] as const)(
    'HTTP %i is one request, retryable, with the server’s wish',
    async (status, kind, code, headers, retryAfterMs) => {
      const providerCode = wire.codes[kind];
      const chunks = [wire.refusal(providerCode, 'not now')];
      const ids = { 'request-id': 'req_7', 'x-request-id': 'req_7' };
      await using server = await startFaultServer([{ status, headers: { ...headers, ...ids }, chunks }]);
      const { events, thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
      expect(events).toEqual([]);
      expect(thrown).toMatchObject({ code, retryable: true, status, providerCode, requestId: 'req_7' });
      expect((thrown as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
      expect(server.requests).toHaveLength(1);
    },
  );

  test('an error page of a proxy is quoted, not parsed', async () => {
    const headers = { 'content-type': 'text/html' };
    await using server = await startFaultServer([{ status: 502, headers, chunks: ['<html>Bad Gateway</html>'] }]);
    const { thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.failed', retryable: true, status: 502 });
    expect((thrown as Error).message).toContain('Bad Gateway');
  });

  test.each([301, 302, 303, 307, 308])('HTTP %i is not followed: the message says where it leads', async (status) => {
    await using target = await startFaultServer([{ chunks: whole }]);
    const headers = { location: `${target.url}/elsewhere?key=0123456789` };
    await using server = await startFaultServer([{ status, headers }]);
    const { thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.rejected', retryable: false, status });
    expect((thrown as Error).message).toMatch(
      new RegExp(`address ${server.url}(/v1)? redirects to ${target.url}/elsewhere \\(HTTP ${status}\\)`),
    );
    expect((thrown as Error).message).not.toContain('0123456789');
    expect([server.requests.length, target.requests.length]).toEqual([1, 0]);
  });

  test('headers that never come: an abort ends the wait at once and takes the request back', async () => {
    await using server = await startFaultServer([{ headersSent: 'never' }]);
    const controller = new AbortController();
    const waiting = modelAt(server.url).stream(request, call(controller.signal))[Symbol.asyncIterator]().next();
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await server.closed(0);
  });

  test('headers that never come: the client’s own timeout is a retryable model.connection', async () => {
    await using server = await startFaultServer([{ headersSent: 'never' }]);
    const client = wire.clientOf({ baseURL: server.url, timeout: 20 });
    const { thrown } = await collectUntilThrow(wire.modelOf({ client }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
    expect((thrown as Error).message).toContain('did not answer in time');
    expect(server.requests.length).toBeLessThan(2); // the client's own retries are off
  });

  test('nobody listens: model.connection names what happened', async () => {
    const server = await startFaultServer([]);
    await server[Symbol.asyncDispose]();
    const { thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
    expect((thrown as Error).message).toMatch(/ECONNREFUSED/);
  });

  test('an event of ten megabytes arrives whole', async () => {
    const huge = 'ab🏷'.repeat(2_500_000);
    await using server = await startFaultServer([{ chunks: [wire.saying(huge).join('')] }]);
    const { content } = await collect(modelAt(server.url).stream(request, call()));
    expect(content).toMatchObject([{ type: 'text', text: huge }]);
    expect(server.requests).toHaveLength(1);
  });

  test('an event that is not JSON is stream.protocol, and may be tried again', async () => {
    await using server = await startFaultServer([{ chunks: [...begun, 'data: {"type":"content_bl\n\n'] }]);
    const { thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: true });
  });

  test('events under the content type of JSON are read as they come', async () => {
    const headers = { 'content-type': 'application/json' };
    await using server = await startFaultServer([{ headers, chunks: begun, ending: 'stall' }]);
    for await (const event of modelAt(server.url).stream(request, call())) if (event.type === 'text.delta') break;
    await using ending = await startFaultServer([{ headers, chunks: whole }]);
    expect(await collect(modelAt(ending.url).stream(request, call()))).toMatchObject({ content: hello });
    expect(ending.requests).toHaveLength(1);
  });

  test('case 13: an attempt that fails leaves nothing behind for the next one', async () => {
    const failing = { chunks: [...begun, wire.callBegun, wire.error] };
    await using server = await startFaultServer([failing, { chunks: wire.withCall }]);
    const model = modelAt(server.url);
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
    for await (const event of modelAt(server.url).stream(request, call())) if (event.type === 'text.delta') break;
    await server.closed(0);
    expect(server.requests).toHaveLength(1);
  });

  test('a finished answer leaves its connection for a later call', async () => {
    await using server = await startFaultServer(Array.from({ length: 20 }, () => ({ chunks: whole })));
    const model = modelAt(server.url);
    const ports = new Set<unknown>();
    // The end of the body arrives a moment after the last event: the very next call may be too early for it.
    while (ports.size === server.requests.length && server.unused() > 0) {
      await collect(model.stream(request, call()));
      ports.add(server.requests.at(-1)?.remotePort);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ports.size).toBeLessThan(server.requests.length);
  });
});
