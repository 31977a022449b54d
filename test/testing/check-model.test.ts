import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Model, ModelRequest, StreamEvent } from '../../src/contracts/model.ts';
import type { Message } from '../../src/conversation/message.ts';
import { checkModel, scriptedModel, type ScriptedStep } from '../../src/testing/index.ts';

/** A model that answers every call with the same step. */
const always = (step: ScriptedStep): Model => scriptedModel(() => step);
const good = () => always({ text: 'Hello there', chunks: 2, usage: { inputTokens: 1, outputTokens: 2 } });
/** Real milliseconds, for models that never end: only what fails waits for them. */
const soon = { promptMs: 30, answerMs: 30 };

const modelOf = (stream: Model['stream']): Model => ({ id: 'own', stream });
async function* saying(request: ModelRequest, events: readonly StreamEvent[]): AsyncGenerator<StreamEvent> {
  void request;
  yield* events;
}
const hello: readonly StreamEvent[] = [
  { type: 'message.start' },
  { type: 'text.start', index: 0 },
  { type: 'text.delta', index: 0, text: 'Hello' },
  { type: 'text.end', index: 0 },
  { type: 'message.end', stopReason: 'endTurn' },
];

test('a good model passes every check', async () => {
  const lost = new ModelError('model.connection', 'lost', { retryable: true });
  const passed = await checkModel(good, {
    stalled: () => always({ text: 'Hello', stallAfter: 2 }),
    cut: () => always({ text: 'Hello', throw: lost, throwAfter: 3 }),
    refused: () => always({ throw: lost }),
    promptMs: 50,
  });
  expect(passed).toHaveLength(10);
});

test('the checks of silence, cuts and refusals run only where there is a model for them', async () => {
  expect(await checkModel(good)).toHaveLength(7);
});

test('all failures are listed together', async () => {
  const failing = checkModel(() => ({ ...good(), id: '', stream: () => saying({} as ModelRequest, []) }));
  await expect(failing).rejects.toThrow(/4 of 7 checks failed:\n- has an id.*\n- yields events/);
});

describe('a model fails that', () => {
  test.each<[string, () => Model, RegExp]>([
    [
      'ends without message.end',
      () => always({ text: 'Hello', cutAfter: 3 }),
      /yields events.*: expected message\.end/,
    ],
    ['yields blocks out of order', () => always({ events: hello.toReversed() }), /event 0.*expected message\.start/],
    [
      'goes on after message.end',
      () => always({ events: [...hello, { type: 'raw', provider: 'p', event: 1 }] }),
      /nothing after/,
    ],
    [
      'yields unknown events',
      () => always({ events: [{ type: 'surprise' }, ...hello] }),
      /one of the known stream events/,
    ],
    ['yields null', () => always({ events: [null, ...hello] }), /one of the known stream events/],
    ['throws', () => always({ throw: new Error('no key') }), /yields events.*: no key/],
    ['never answers', () => always({ stallAfter: 0 }), /yields events.*: expected the answer within 30 ms/],
    [
      'changes the request',
      () =>
        modelOf((request) => {
          (request.messages as Message[]).push({ id: 'x', role: 'user', content: [] });
          return saying(request, hello);
        }),
      /does not change the request: .*not extensible/,
    ],
    [
      'answers although it was aborted before the call',
      () => modelOf((request) => saying(request, hello)),
      /aborted before the call: expected no whole answer/,
    ],
    ['serves one call only', () => scriptedModel([{ text: 'Hello' }]), /serves two calls at once: .*has no step/],
    [
      'does not end when it is aborted',
      () => always({ text: 'Hello', deaf: true }),
      /after the first event: expected the end of a stream whose signal was aborted within 30 ms/,
    ],
    [
      'does not end when its reader leaves',
      () =>
        modelOf((request) => ({
          [Symbol.asyncIterator]: () =>
            Object.assign(saying(request, hello), { return: () => new Promise<never>(() => undefined) }),
        })),
      /reader leaves: expected the end/,
    ],
  ])('%s', async (_title, makeModel, expected) => {
    await expect(checkModel(makeModel, soon)).rejects.toThrow(expected);
  });

  test('stays in a silent stream after an abort', async () => {
    const stalled = () => always({ text: 'Hello', stallAfter: 1, deaf: true });
    await expect(checkModel(good, { ...soon, stalled })).rejects.toThrow(/silent: expected the end of a silent stream/);
  });

  test('takes a lost connection for an answer', async () => {
    await expect(checkModel(good, { cut: good })).rejects.toThrow(/lost connection.*: expected no message\.end/);
  });

  test('throws another error than a ModelError', async () => {
    const refused = () => always({ throw: new TypeError('fetch failed') });
    await expect(checkModel(good, { refused })).rejects.toThrow(/refuses: expected a ModelError.*fetch failed/);
  });
});

test('a stream that does not stall is not a test of silence', async () => {
  await expect(checkModel(good, { stalled: good })).rejects.toThrow(
    'expected options.stalled to give a stream that stalls',
  );
});
