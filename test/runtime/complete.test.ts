import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Model, ModelRequest } from '../../src/contracts/model.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { complete } from '../../src/runtime/complete.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { modelOf, never } from './turn-bench.ts';

const request: ModelRequest = { system: [], messages: [userMessage('go')], tools: [] };

describe('complete', () => {
  test('folds the stream of one call', async () => {
    const usage = { inputTokens: 3, outputTokens: 1 };
    const model = scriptedModel([{ text: 'Hi', calls: [{ name: 'a' }], usage, rawStopReason: 'tool_use' }]);
    expect(await complete(model, request)).toEqual({
      message: {
        id: expect.stringMatching(/^msg_/) as string,
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'toolCall', id: 'call_1', name: 'a', args: {} },
        ],
      },
      stopReason: 'toolUse',
      rawStopReason: 'tool_use',
      usage,
    });
    expect(model.requests[0]).toEqual(request);
  });

  test('is not tried again: it rejects with the model’s error', async () => {
    const busy = new ModelError('model.overloaded', 'busy', { retryable: true });
    const model = scriptedModel([{ throw: busy }]);
    await expect(complete(model, request)).rejects.toBe(busy);
    expect(model.calls).toBe(1);
  });

  test.each<[string, Model, string]>([
    ['ends without message.end', scriptedModel([{ text: 'x', cutAfter: 2 }]), 'stream.incomplete'],
    ['breaks the protocol', modelOf(null), 'stream.protocol'],
    ['throws something', scriptedModel([{ throw: 'no' }]), 'model.failed'],
    [
      'throws within stream()',
      {
        id: 'x',
        stream: () => {
          throw new Error('no');
        },
      },
      'model.failed',
    ],
  ])('rejects when the model %s', async (_how, model, code) => {
    await expect(complete(model, request)).rejects.toMatchObject({ code });
  });

  test('rejects with the signal’s reason when it is aborted, whatever the model does', async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const model: Model = {
      id: 'deaf',
      async *stream(_, { signal }) {
        signals.push(signal);
        await never();
        yield { type: 'message.start' };
      },
    };
    const completion = complete(model, request, { signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(completion).rejects.toBe(reason);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('does not call the model when the signal was aborted before', async () => {
    const model = scriptedModel([]);
    const reason = new Error('enough');
    await expect(complete(model, request, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(model.calls).toBe(0);
  });

  test.each<[string, Model]>([
    ['answers', scriptedModel([{ text: 'x' }])],
    ['fails', scriptedModel([{ throw: 'no' }])],
    [
      'fails within stream()',
      {
        id: 'x',
        stream: () => {
          throw new Error('no');
        },
      },
    ],
  ])('leaves no listener on the signal when the model %s', async (_how, model) => {
    const { signal } = new AbortController();
    await complete(model, request, { signal }).catch(() => undefined);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('an abort from within stream() leaves the call', async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const model: Model = {
      id: 'x',
      async *stream(_, { signal }) {
        signals.push(signal);
        controller.abort();
        await never();
        yield { type: 'message.start' };
      },
    };
    await expect(complete(model, request, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(signals[0]?.aborted).toBe(true);
  });
});
