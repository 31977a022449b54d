// What the models of all APIs have in common: the client they are given, bodies that are not streams, the kit's laws.

import { describe, expect, test } from 'vitest';
import { checkModel } from '../../src/testing/index.ts';
import { answering } from './answering.ts';
import { collect, collectUntilThrow } from './collect.ts';
import { startFaultServer } from './fault-server.ts';
import { streamOfChunks } from './recordings.ts';
import { call, request, wires } from './wires.ts';

const json = { headers: { 'content-type': 'application/json; charset=utf-8' } };

describe.each(wires)('$name', (wire) => {
  const { whole, begun, modelAt, modelOf } = wire;

  test('a passed client’s retries are off: the turn retries', async () => {
    const { fetch, requests } = answering(wire.refusal(wire.codes.broken, 'no'), { ...json, status: 500 });
    const { thrown } = await collectUntilThrow(modelOf({ client: wire.clientOf({ fetch }) }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.failed', retryable: true });
    expect(requests).toHaveLength(1);
  });

  test('a JSON body where a stream was asked for is a whole answer', async () => {
    const { fetch } = answering(JSON.stringify(wire.bodySaying('Hi')), json);
    expect(await collect(modelOf({ apiKey: 'k', fetch }).stream(request, call()))).toMatchObject({
      content: [{ type: 'text', text: 'Hi' }],
      stopReason: 'endTurn',
      providerId: 'whole_1',
    });
  });

  test('a JSON body longer than any event, printed over many lines, is a whole answer too', async () => {
    const text = 'x'.repeat(2 ** 24 + 1);
    const { fetch } = answering(JSON.stringify(wire.bodySaying(text), null, 2), json);
    const { content } = await collect(modelOf({ apiKey: 'k', fetch }).stream(request, call()));
    expect(content).toMatchObject([{ type: 'text', text }]);
  });

  test('an event stream without a content type is read as one', async () => {
    const { fetch } = answering(whole.join(''), { headers: {} });
    const { content } = await collect(modelOf({ apiKey: 'k', fetch }).stream(request, call()));
    expect(content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  });

  test('an error object with status 200 is a ModelError', async () => {
    const { fetch } = answering(wire.refusal(wire.codes.overloaded, 'not now'), json);
    const { thrown } = await collectUntilThrow(modelOf({ apiKey: 'k', fetch }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.overloaded', retryable: true });
  });

  test.each(['', '[]', '3', '{}', '{"detail":"x"}', 'Not Found'])(
    'a JSON body that is no answer is refused: %s',
    async (body) => {
      const { fetch } = answering(body, json);
      const { thrown } = await collectUntilThrow(modelOf({ apiKey: 'k', fetch }).stream(request, call()));
      expect(thrown).toMatchObject({ code: 'stream.protocol' });
    },
  );

  test('case 17: text arrives whole, cut at every byte', async () => {
    const text = '北京 🌍 “q”';
    const bytes = new TextEncoder().encode(wire.saying(text).join(''));
    for (let cut = 1; cut < bytes.length; cut++) {
      const body = streamOfChunks([bytes.subarray(0, cut), bytes.subarray(cut)]);
      const { fetch } = answering(body);
      const { content } = await collect(modelOf({ apiKey: 'k', fetch }).stream(request, call()));
      expect(content).toMatchObject([{ type: 'text', text }]);
    }
  });

  test('an abort before the headers throws its reason though fetch hears nothing, and drops what comes later', async () => {
    let heard: (answer: (response: Response) => void) => void = () => undefined;
    const asked = new Promise<(response: Response) => void>((resolve) => (heard = resolve));
    const deaf: typeof fetch = () => new Promise((resolve) => heard(resolve));
    const controller = new AbortController();
    const waiting = modelOf({ apiKey: 'k', fetch: deaf })
      .stream(request, call(controller.signal))
      [Symbol.asyncIterator]()
      .next();
    const answer = await asked;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await new Promise<void>((resolve) => answer(new Response(new ReadableStream({ cancel: () => resolve() }))));
  });

  test('keeps every law of the conformance kit', async () => {
    const many = <T>(plan: T): readonly T[] => Array.from({ length: 40 }, () => plan);
    await using good = await startFaultServer(many({ chunks: [whole.join('')] }));
    await using silent = await startFaultServer(many({ chunks: begun.slice(0, 1), ending: 'stall' as const }));
    await using dropping = await startFaultServer(many({ chunks: begun, ending: 'drop' as const }));
    await using refusing = await startFaultServer(
      many({ status: 400, chunks: [wire.refusal('invalid_request_error', 'no')] }),
    );
    const passed = await checkModel(() => modelAt(good.url), {
      stalled: () => modelAt(silent.url),
      cut: () => modelAt(dropping.url),
      refused: () => modelAt(refusing.url),
    });
    expect(passed.length).toBeGreaterThanOrEqual(9);
  });
});
