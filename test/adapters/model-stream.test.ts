import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, test, vi } from 'vitest';
import { streamCall, type StreamDecoder } from '../../src/adapters/model-stream.ts';
import { incomplete, parseEvent } from '../../src/adapters/parse-answer.ts';
import type { StreamEvent } from '../../src/contracts/model.ts';
import { collectUntilThrow } from './collect.ts';
import { streamOfChunks } from './recordings.ts';

const facts = { provider: 'Someone', model: 'm' };
const encoder = new TextEncoder();

/** Every event becomes `raw`; the data `"stop"` is the terminal event. */
function echo(): StreamDecoder {
  let done = false;
  return {
    get done() {
      return done;
    },
    decode(event, out) {
      const payload = parseEvent(event, facts) as string;
      if (payload === 'stop') done = true;
      out.push({ type: 'raw', provider: 'someone', event: payload });
    },
    decodeWhole: (body, out) => void out.push({ type: 'raw', provider: 'someone', event: body as string }),
    end() {
      throw incomplete(facts, 'its stop');
    },
  };
}

function streamOf(body: BodyInit | null, type = 'text/event-stream'): AsyncIterable<StreamEvent> {
  const response = new Response(body, { headers: { 'content-type': type } });
  const call = { open: () => Promise.resolve(response), decoder: echo(), facts };
  return streamCall(call, { signal: new AbortController().signal });
}

const saidBy = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.map((event) => (event.type === 'raw' ? event.event : event));

/** A body that yields one chunk; what it does after that is decided by the test. */
function bodyWith(chunk: string): {
  body: ReadableStream<Uint8Array>;
  readonly pulls: () => number;
  readonly cancelled: () => boolean;
  end: () => void;
} {
  let pulls = 0;
  let wasCancelled = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(own) {
        controller = own;
        if (pulls++ === 0) own.enqueue(encoder.encode(chunk));
        else return new Promise<void>(() => undefined);
        return undefined;
      },
      cancel: () => void (wasCancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { body, pulls: () => pulls, cancelled: () => wasCancelled, end: () => controller?.close() };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('after the terminal event', () => {
  const answer = 'data: "a"\n\ndata: "stop"\n\ndata: "after"\n\n';

  test('nothing more is reported and the rest is read off, so that the connection can be used again', async () => {
    const { body, pulls, cancelled, end } = bodyWith(answer);
    const { events, thrown } = await collectUntilThrow(streamOf(body));
    expect(saidBy(events)).toEqual(['a', 'stop']);
    expect(thrown).toBeUndefined();
    expect(pulls()).toBe(2);
    end();
    expect(cancelled()).toBe(false);
  });

  test('a body that does not end is cancelled after a second', async () => {
    vi.useFakeTimers();
    const { body, cancelled } = bodyWith(answer);
    await collectUntilThrow(streamOf(body));
    await vi.advanceTimersByTimeAsync(999);
    expect(cancelled()).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(cancelled()).toBe(true);
  });
});

describe('errors', () => {
  test('what came before the error in one chunk is reported first', async () => {
    const { events, thrown } = await collectUntilThrow(
      streamOf('data: "a"\n\ndata: "b"\n\ndata: {no\n\ndata: "c"\n\n'),
    );
    expect(saidBy(events)).toEqual(['a', 'b']);
    expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: true });
  });

  test('a body that ends without the terminal event is judged by the decoder', async () => {
    const { events, thrown } = await collectUntilThrow(streamOf('data: "a"\n\n'));
    expect(saidBy(events)).toEqual(['a']);
    expect(thrown).toMatchObject({ code: 'stream.incomplete', retryable: true });
  });

  test('an error of the decoder’s own is not taken for a broken connection', async () => {
    const decoder = {
      ...echo(),
      decode: () => {
        throw new RangeError('oops');
      },
    };
    const body = streamOfChunks([encoder.encode('data: 1\n\n')]);
    const call = { open: () => Promise.resolve(new Response(body)), decoder, facts };
    const { thrown } = await collectUntilThrow(streamCall(call, { signal: new AbortController().signal }));
    expect(thrown).toMatchObject({ code: 'model.failed', retryable: false });
  });

  test('a body that is not JSON is reported as such', async () => {
    const { thrown } = await collectUntilThrow(streamOf('{half', 'application/json'));
    expect(thrown).toMatchObject({ code: 'stream.protocol' });
    expect((thrown as Error).message).toContain('{half');
  });

  test('no body at all is not an answer', async () => {
    const { thrown } = await collectUntilThrow(streamOf(null));
    expect(thrown).toMatchObject({ code: 'stream.protocol' });
  });
});

test.each(['application/json', 'application/json; charset=utf-8', 'application/problem+json'])(
  'a %s body is decoded as a whole',
  async (type) => {
    const { events } = await collectUntilThrow(streamOf('"whole"', type));
    expect(saidBy(events)).toEqual(['whole']);
  },
);

test('nothing is sent before the first pull, nor after an abort', async () => {
  let opened = 0;
  const open = (): Promise<Response> => {
    opened++;
    return Promise.resolve(new Response('data: "stop"\n\n'));
  };
  const reason = new Error('too late');
  const stream = streamCall({ open, decoder: echo(), facts }, { signal: AbortSignal.abort(reason) });
  expect(opened).toBe(0);
  const { thrown } = await collectUntilThrow(stream);
  expect(thrown).toBe(reason);
  expect(opened).toBe(0);
});

test('an abort between two events of one piece throws its reason', async () => {
  const controller = new AbortController();
  const open = (): Promise<Response> => Promise.resolve(new Response('data: "a"\n\ndata: "b"\n\ndata: "stop"\n\n'));
  const events = streamCall({ open, decoder: echo(), facts }, { signal: controller.signal })[Symbol.asyncIterator]();
  await expect(events.next()).resolves.toMatchObject({ value: { event: 'a' } });
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(events.next()).rejects.toBe(reason);
  await expect(events.next()).resolves.toMatchObject({ done: true });
});

test('an abort after the last event changes nothing, and nobody listens for one any more', async () => {
  const controller = new AbortController();
  const open = (): Promise<Response> => Promise.resolve(new Response('data: "stop"\n\n'));
  const events = streamCall({ open, decoder: echo(), facts }, { signal: controller.signal })[Symbol.asyncIterator]();
  await expect(events.next()).resolves.toMatchObject({ value: { event: 'stop' } });
  controller.abort();
  await expect(events.next()).resolves.toMatchObject({ done: true });
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

test.each([
  ['text/plain', '{"said":"whole"}'],
  ['text/event-stream', '\uFEFF {\n  "said": "whole"\n}\n'],
])('a JSON object that comes as %s is decoded as a whole', async (type, body) => {
  const { events, thrown } = await collectUntilThrow(streamOf(body, type));
  expect(thrown).toBeUndefined();
  expect(saidBy(events)).toEqual([{ said: 'whole' }]);
});

describe('a body that breaks', () => {
  const breaking = (chunk: string): ReadableStream<Uint8Array> => {
    let pulls = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (pulls++ === 0) controller.enqueue(encoder.encode(chunk));
          else controller.error(new Error('socket closed'));
        },
      },
      { highWaterMark: 0 },
    );
  };
  const callOf = (end: StreamDecoder['end'], type = 'text/event-stream'): AsyncIterable<StreamEvent> => {
    const response = new Response(breaking('data: "one"\n\ndata: "tw'), { headers: { 'content-type': type } });
    const call = { open: () => Promise.resolve(response), decoder: { ...echo(), done: false, end }, facts };
    return streamCall(call, { signal: new AbortController().signal });
  };

  test('is the end of an answer that was whole', async () => {
    const { events, thrown } = await collectUntilThrow(
      callOf((out) => void out.push({ type: 'raw', provider: 'someone', event: 'the end' })),
    );
    expect(thrown).toBeUndefined();
    expect(saidBy(events)).toEqual(['one', 'the end']);
  });

  test('is the end also where nothing was left to say', async () => {
    const { events, thrown } = await collectUntilThrow(callOf(() => undefined));
    expect(thrown).toBeUndefined();
    expect(saidBy(events)).toEqual(['one']);
  });

  test('is model.connection where the answer was not whole', async () => {
    const { events, thrown } = await collectUntilThrow(
      callOf(() => {
        throw incomplete(facts, 'its stop');
      }),
    );
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
    expect(saidBy(events)).toEqual(['one']);
  });
});
