import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isModelError } from '../../src/contracts/errors.ts';
import { openServerSentEvents, type ServerSentEvent } from '../../src/adapters/server-sent-events.ts';
import { readServerSentEvents } from './read-server-sent-events.ts';
import { seeded, streamOfChunks } from './recordings.ts';

const runs = 60 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const encoder = new TextEncoder();

async function read(
  chunks: readonly (string | Uint8Array)[],
  options: { onActivity?: () => void } = {},
): Promise<ServerSentEvent[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk));
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(streamOfChunks(bytes), {
    signal: new AbortController().signal,
    ...options,
  })) {
    events.push(event);
  }
  return events;
}

const dataOf = (events: readonly ServerSentEvent[]): readonly string[] => events.map((event) => event.data);

/** A body that yields the chunks, then never ends, and hears no cancel. */
function deafBody(chunks: readonly string[]): { body: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let next = 0;
  let wasCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk === undefined) return new Promise<void>(() => undefined);
        controller.enqueue(encoder.encode(chunk));
        return undefined;
      },
      cancel() {
        wasCancelled = true;
        return new Promise<void>(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, cancelled: () => wasCancelled };
}

describe('framing', () => {
  test('reads events with their names', async () => {
    expect(await read(['event: a\ndata: 1\n\nevent: b\ndata: 2\n\n'])).toMatchObject([
      { event: 'a', data: '1' },
      { event: 'b', data: '2' },
    ]);
  });

  test('joins several data lines with a line feed', async () => {
    expect(dataOf(await read(['data: one\ndata: two\n\n']))).toEqual(['one\ntwo']);
  });

  test('reads data without a space after the colon', async () => {
    expect(dataOf(await read(['data:{"a":1}\n\n']))).toEqual(['{"a":1}']);
  });

  test('takes exactly one space after the colon', async () => {
    expect(dataOf(await read(['data:  x\n\n']))).toEqual([' x']);
  });

  test('passes over comments', async () => {
    expect(dataOf(await read([': keep-alive\n\n', ':\n', 'data: 1\n: in between\n\n']))).toEqual(['1']);
  });

  test('passes over a byte order mark, whole or split', async () => {
    const bytes = encoder.encode('\uFEFFdata: 1\n\n');
    expect(dataOf(await read([bytes]))).toEqual(['1']);
    expect(dataOf(await read([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(['1']);
  });

  test('takes a second byte order mark for text', async () => {
    expect(await read(['\uFEFF\uFEFFdata: 1\n\n'])).toEqual([]);
  });

  test.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
    ['LF', '\n'],
  ])('reads lines that end with %s', async (_, end) => {
    expect(dataOf(await read([`data: 1${end}data: 2${end}${end}data: 3${end}${end}`]))).toEqual(['1\n2', '3']);
  });

  test('passes over fields it does not know', async () => {
    expect(dataOf(await read(['id: 7\nretry: 10\nfoo: bar\ndata: 1\n\n']))).toEqual(['1']);
  });

  test('gives nothing for events without data', async () => {
    expect(await read(['event: ping\n\n', '\n\n\n'])).toEqual([]);
  });
});

describe('the end of the body', () => {
  test('a last event without a blank line is given when its data is complete JSON', async () => {
    expect(dataOf(await read(['data: {"a":1}\n\ndata: {"b":2}']))).toEqual(['{"a":1}', '{"b":2}']);
    expect(dataOf(await read(['data: {"b":2}\n']))).toEqual(['{"b":2}']);
    expect(dataOf(await read(['data: {"b":2}\r']))).toEqual(['{"b":2}']);
  });

  test('a last event without a blank line is given when it is [DONE]', async () => {
    expect(dataOf(await read(['data: [DONE]']))).toEqual(['[DONE]']);
  });

  test('a last event that was cut off is dropped', async () => {
    expect(dataOf(await read(['data: {"a":1}\n\ndata: {"b":']))).toEqual(['{"a":1}']);
    expect(dataOf(await read(['event: error\ndat']))).toEqual([]);
  });

  test('a last event cut inside a character is dropped', async () => {
    const bytes = encoder.encode('data: {"a":"é"}');
    expect(await read([bytes.subarray(0, bytes.length - 3)])).toEqual([]);
  });

  test('an empty body has no events', async () => {
    expect(await read([])).toEqual([]);
  });
});

describe('network cuts', () => {
  test('case 17: text cut inside every character stays whole', async () => {
    const text = '北京 🌍 “q”';
    const bytes = encoder.encode(`data: ${text}\n\ndata: {"next":true}\n\n`);
    for (let at = 0; at <= bytes.length; at++) {
      expect(dataOf(await read([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual([text, '{"next":true}']);
    }
    expect(dataOf(await read([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual([text, '{"next":true}']);
  });

  test('case 18: a CRLF split between chunks is one line end', async () => {
    expect(dataOf(await read(['data: A\r', '\n', 'data: B\r\n', '\r\n']))).toEqual(['A\nB']);
    expect(dataOf(await read(['data: A\r', '\ndata: B\r', '\n\r', '\n']))).toEqual(['A\nB']);
  });

  test('any cut of any stream gives the same events', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'data: {"a":1}',
        'data:x',
        'data: ',
        ': ping',
        'event: e',
        'id: 1',
        'retry: 3',
        'data: 北🌍é',
        'data: two  ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    );
    const ending = fc.constantFrom('\n', '\r\n', '\r');
    const block = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), ending);
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 6 }), fc.integer(), async (blocks, seed) => {
        const bytes = encoder.encode(
          blocks.map(([lines, end]) => lines.map((text) => text + end).join('') + end).join(''),
        );
        const random = seeded(seed);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length;) {
          const size = 1 + Math.floor(random() * 5);
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(await read(chunks)).toEqual(await read([bytes]));
      }),
      { numRuns: runs },
    );
  });

  test('an event of ten megabytes in small chunks is read whole', async () => {
    const piece = encoder.encode('x'.repeat(64 * 1024));
    const events = await read(['data: "', ...Array.from({ length: 160 }, () => piece), '"\n\n']);
    expect(events.map((event) => event.data.length)).toEqual([160 * 64 * 1024 + 2]);
  });
});

describe('bounds', () => {
  test('an event that never ends fails instead of filling the memory', async () => {
    const events = readServerSentEvents(
      streamOfChunks(['data: 1\n\n', 'data: ', 'x'.repeat(600), 'x'.repeat(600)].map((chunk) => encoder.encode(chunk))),
      { signal: new AbortController().signal, maxEventCharacters: 1000 },
    );
    expect((await events.next()).value).toMatchObject({ data: '1' });
    await expect(events.next()).rejects.toMatchObject({ code: 'stream.protocol', retryable: false });
  });
});

describe('signs of life', () => {
  test('every chunk of bytes counts, comments and halves of lines too', async () => {
    let count = 0;
    await read([': ping\n\n', 'data: ', '1\n', '\n'], { onActivity: () => count++ });
    expect(count).toBe(5); // four chunks and the end
  });
});

describe('aborts and breaks', () => {
  test('an abort ends a silent read at once with its reason, though the body hears nothing', async () => {
    const controller = new AbortController();
    const { body, cancelled } = deafBody(['data: 1\n\n']);
    const events = readServerSentEvents(body, { signal: controller.signal });
    expect((await events.next()).value).toMatchObject({ data: '1' });
    const silent = events.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(silent).rejects.toBe(reason);
    expect(cancelled()).toBe(true);
    expect(await events.next()).toEqual({ value: undefined, done: true });
  });

  test('a signal aborted before the first read throws its reason', async () => {
    const reason = new Error('too late');
    const events = readServerSentEvents(deafBody([]).body, { signal: AbortSignal.abort(reason) });
    await expect(events.next()).rejects.toBe(reason);
  });

  test('leaving the loop cancels the body', async () => {
    const { body, cancelled } = deafBody(['data: 1\n\ndata: 2\n\n']);
    for await (const event of readServerSentEvents(body, { signal: new AbortController().signal })) {
      expect(event.data).toBe('1');
      break;
    }
    expect(cancelled()).toBe(true);
  });

  test('a body that breaks throws a retryable model.connection after the events before it', async () => {
    const cause = new TypeError('terminated');
    let sent = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent) controller.error(cause);
          else controller.enqueue(encoder.encode('data: 1\n\n'));
          sent = true;
        },
      },
      { highWaterMark: 0 },
    );
    const seen: string[] = [];
    const thrown = await (async () => {
      for await (const event of readServerSentEvents(body, { signal: new AbortController().signal }))
        seen.push(event.data);
    })().catch((error: unknown) => error);
    expect(seen).toEqual(['1']);
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true, cause });
    expect(isModelError(thrown)).toBe(true);
  });

  test.each([
    ['ended', ['data: 1\n\n'], false],
    ['left early', ['data: 1\n\n', 'data: 2\n\n'], true],
  ])('a body that was %s leaves no listener on the signal', async (_, chunks, leaves) => {
    const { signal } = new AbortController();
    const body = streamOfChunks(chunks.map((chunk) => encoder.encode(chunk)));
    for await (const event of readServerSentEvents(body, { signal })) {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      if (leaves && event.data === '1') break;
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('reads that overlap are answered in order', async () => {
    const events = readServerSentEvents(
      streamOfChunks([encoder.encode('data: 1\n\ndata: 2\n\n'), encoder.encode('data: 3\n\n')]),
      {
        signal: new AbortController().signal,
      },
    );
    const results = await Promise.all([events.next(), events.next(), events.next(), events.next()]);
    expect(results.map((result) => (result.done === true ? 'end' : result.value.data))).toEqual(['1', '2', '3', 'end']);
  });

  test('a body without any event is handed back as text, cut anywhere, without its byte order mark', async () => {
    const { signal } = new AbortController();
    const bytes = encoder.encode('\uFEFF{"a":"é🌍\uFEFFx"}');
    for (let at = 0; at <= bytes.length; at++) {
      const source = openServerSentEvents(streamOfChunks([bytes.subarray(0, at), bytes.subarray(at)]), { signal });
      while (source.accept(await source.read(), () => expect.unreachable())) continue;
      expect(source.textWithoutEvents()).toBe('{"a":"é🌍\uFEFFx"}');
    }
  });

  test('a body with an event, or one longer than is kept, leaves no text to hand back', async () => {
    const { signal } = new AbortController();
    for (const text of ['data: 1\n\n', 'x'.repeat(21)]) {
      const chunks = [encoder.encode(text), encoder.encode('x')];
      const source = openServerSentEvents(streamOfChunks(chunks), { signal, maxTextCharacters: 20 });
      while (source.accept(await source.read(), () => undefined)) continue;
      expect(source.textWithoutEvents()).toBeUndefined();
    }
  });
});
