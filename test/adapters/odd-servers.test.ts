// Servers that answer in a way nobody promised, over loopback HTTP: what is an answer anyway, what is an error and
// which one, and an abort at any moment.

import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { collect, collectUntilThrow } from './collect.ts';
import { startFaultServer, type FaultPlan } from './fault-server.ts';
import { call, request, wires } from './wires.ts';

describe.each(wires)('$name', ({ modelAt, whole, saying, bodySaying, name }) => {
  const text = whole.join('');
  const type = (contentType: string): Record<string, string> => ({ 'content-type': contentType });

  test.each<readonly [string, FaultPlan]>([
    ['compressed', { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync(text)] }],
    ['a mark in front, carriage returns only', { chunks: [`\uFEFF${text.replaceAll('\n', '\r')}`] }],
    ['both line ends', { chunks: [text.replaceAll('\n', '\r\n')] }],
    ['no space behind the colon', { chunks: [text.replaceAll('data: ', 'data:')] }],
    ['fields nobody needs', { chunks: [text.replaceAll('data: ', 'id: 7\nretry: 10\nfoo: bar\nbaz\ndata: ')] }],
    ['no blank line at the end', { chunks: [text.trimEnd()] }],
    ['called a text', { headers: type('text/plain'), chunks: whole }],
    ['called a page', { headers: type('text/html; charset=UTF-8'), chunks: whole }],
    ['called JSON', { headers: type('application/json'), chunks: whole }],
  ])('events are read: %s', async (_, plan) => {
    await using server = await startFaultServer([plan]);
    const answer = await collect(modelAt(server.url).stream(request, call()));
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hello' }], stopReason: 'endTurn' });
  });

  test('a whole answer is read whatever it is called', async () => {
    for (const contentType of ['application/octet-stream', 'text/event-stream', 'application/vnd.x+json']) {
      await using server = await startFaultServer([
        { headers: type(contentType), chunks: [JSON.stringify(bodySaying('Hi'))] },
      ]);
      const { content } = await collect(modelAt(server.url).stream(request, call()));
      expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
    }
  });

  test.each<readonly [string, FaultPlan, object, RegExp]>([
    ['nothing', { chunks: [] }, { code: 'stream.incomplete', retryable: true }, /ended without/],
    ['no content', { status: 204 }, { code: 'stream.protocol', retryable: true }, /a body without content/],
    ['only comments', { chunks: [': hi\n\n'] }, { code: 'stream.incomplete', retryable: true }, /ended without/],
    ['half an event', { chunks: ['data: {"ty'] }, { code: 'stream.incomplete', retryable: true }, /ended without/],
    [
      'words under status 200',
      { chunks: ['upstream timed out'] },
      { code: 'stream.protocol', retryable: true },
      /begins "upstream timed out"/,
    ],
    [
      'a page under status 200',
      { headers: type('text/html'), chunks: ['<html><body>Please log in</body></html>'] },
      { code: 'stream.protocol', retryable: false },
      /"Please log in"/,
    ],
    [
      'half of what it packed',
      { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync(text).subarray(0, 30)] },
      { retryable: true },
      /ended without|broke/,
    ],
    [
      'plain text it says it packed',
      { headers: { 'content-encoding': 'gzip' }, chunks: whole },
      { code: 'model.connection', retryable: true },
      /broke/,
    ],
    [
      'an empty refusal',
      { status: 400, chunks: ['{}'] },
      { code: 'model.rejected', retryable: false },
      /\(HTTP 400\)\.$/,
    ],
    [
      'a refusal in a list',
      { status: 422, chunks: ['{"detail":[{"loc":["body"],"msg":"field required"}]}'] },
      { code: 'model.rejected', retryable: false },
      /field required/,
    ],
  ])('a server that sends %s', async (_, plan, expected, message) => {
    await using server = await startFaultServer([plan]);
    const { events, thrown } = await collectUntilThrow(modelAt(server.url).stream(request, call()));
    expect(thrown).toMatchObject(expected);
    expect((thrown as Error).message).toMatch(message);
    expect(events.some((event) => event.type === 'message.end')).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  test('an abort after any byte ends the call with its reason, nothing is reported after it, nobody listens any more', async () => {
    const bytes = new TextEncoder().encode(saying('a🏷b').join(''));
    const step = name === 'chat' ? 3 : 11; // each byte would take seconds for the longer streams
    for (let count = 0; count < bytes.length - 20; count += step) {
      await using server = await startFaultServer([{ chunks: [bytes.subarray(0, count)], ending: 'stall' }]);
      const controller = new AbortController();
      const { signal } = controller;
      const reason = new Error(`behind byte ${count}`);
      let signs = 0;
      const options = call(signal, () => {
        signs++;
        // The first sign of life is the headers, the next one the bytes.
        if (signs === 2) queueMicrotask(() => controller.abort(reason));
      });
      if (count === 0) setImmediate(() => controller.abort(reason));
      const { events, thrown } = await collectUntilThrow(modelAt(server.url).stream(request, options));
      expect(thrown).toBe(reason);
      expect(events.some((event) => event.type === 'message.end')).toBe(false);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
  });
});
