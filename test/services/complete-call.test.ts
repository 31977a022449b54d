import { describe, expect, test } from 'vitest';
import { nextMacrotask } from '../../src/testing/real-time.ts';
import { ModelError } from '../../src/contracts/errors.ts';
import type { Completion, ModelRequest } from '../../src/contracts/model.ts';
import type { Transformer, TransformerContext } from '../../src/contracts/transformer.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';
import { interpreters, never, playTurn, startTurn } from '../runtime/turn-bench.ts';

const request: ModelRequest = { system: [], messages: [userMessage('sum it up')], tools: [] };
const overloaded = new ModelError('model.overloaded', 'busy', { retryable: true });

/** Calls the model in beforeTurn and notes what comes of it. */
function asking(options?: Parameters<TransformerContext['complete']>[1]) {
  const outcomes: (Completion | Error)[] = [];
  const transformer: Transformer = {
    name: 'ask',
    beforeTurn: async (_, { complete }) => {
      try {
        outcomes.push(await complete(request, options));
      } catch (error) {
        outcomes.push(error as Error);
      }
    },
  };
  return { transformer, outcomes };
}

describe.each(interpreters)('context.complete (%s)', (interpreter) => {
  test('gives the whole answer of the turn’s model, and shows nothing of it to readers', async () => {
    const { transformer, outcomes } = asking();
    const usage = { inputTokens: 5, outputTokens: 1 };
    const turn = await playTurn({
      interpreter,
      transformers: [transformer],
      script: [
        { text: 'a summary', usage, rawStopReason: 'stop' },
        { text: 'Hi', usage },
      ],
    });
    expect(outcomes).toMatchObject([
      {
        message: { role: 'assistant', content: [{ text: 'a summary' }] },
        stopReason: 'endTurn',
        rawStopReason: 'stop',
        usage,
      },
    ]);
    expect(turn.all('text.delta').map(({ text }) => text)).toEqual(['Hi']);
    expect(turn.lines()).toEqual(['user: go', 'assistant: Hi']);
    expect(turn.result).toMatchObject({ iterations: 1, usage: { inputTokens: 10, outputTokens: 2 } });
  });

  test.each<['createId' | 'setTimeout' | 'random', string]>([
    ['createId', 'that gives no id for the next attempt'],
    ['setTimeout', 'without timers for the wait'],
    ['random', 'without chance for the wait'],
  ])('rejects on a host, by its %s, %s', async (name, when) => {
    const from = simulatedHost();
    let isBroken = false;
    const broken = (...args: unknown[]): unknown => {
      if (isBroken) throw new Error('the host broke');
      return Reflect.apply(from[name], from, args);
    };
    const host = { ...from, [name]: broken };
    const { transformer, outcomes } = asking();
    const first = { throw: overloaded, delayMs: 1 };
    const turn = startTurn({
      interpreter,
      host,
      transformers: [transformer, { name: 'mend', beforeTurn: () => void (isBroken = false) }],
      script: [first, { text: 'Hi' }],
    });
    await host.settle();
    if (when.endsWith('attempt')) await host.advance(1); // it has failed, and waits
    isBroken = true;
    await turn.end(60_000);
    expect(outcomes).toEqual([new Error('the host broke')]);
  });

  test('asks another model where one is given', async () => {
    const other = scriptedModel([{ text: 'other' }], { id: 'other' });
    const { transformer, outcomes } = asking({ model: other });
    await playTurn({ interpreter, transformers: [transformer], script: [{ text: 'Hi' }] });
    expect(outcomes).toMatchObject([{ message: { content: [{ text: 'other' }] } }]);
    other.verify();
  });

  test('is tried again like the turn’s own call, and counts what failed attempts reported', async () => {
    const { transformer, outcomes } = asking();
    const usage = { inputTokens: 5, outputTokens: 1 };
    const script = [{ usage, throw: overloaded, throwAfter: 2 }, { text: 'ok', usage }, { text: 'Hi' }];
    const turn = await playTurn({ interpreter, transformers: [transformer], script }, 10_000);
    expect(outcomes).toMatchObject([{ stopReason: 'endTurn' }]);
    expect(turn.has('stream.retrying')).toBe(false);
    expect(turn.result.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
  });

  test('rejects with the model’s error when no attempt is left', async () => {
    const { transformer, outcomes } = asking();
    const script = [{ throw: overloaded }, { throw: overloaded }, { text: 'Hi' }];
    await playTurn({ interpreter, transformers: [transformer], retry: { attempts: 1 }, script }, 10_000);
    expect(outcomes).toEqual([overloaded]);
  });

  test('rejects with a context overflow at once', async () => {
    const { transformer, outcomes } = asking();
    const tooLong = new ModelError('model.contextOverflow', 'too long', { retryable: false });
    const fallback = scriptedModel([], { id: 'fallback' });
    await playTurn({
      interpreter,
      transformers: [transformer],
      fallbackModels: [fallback],
      script: [{ throw: tooLong }, { text: 'Hi' }],
    });
    expect(outcomes).toEqual([tooLong]);
  });

  test('is under the idle watchdog', async () => {
    const { transformer, outcomes } = asking();
    const script = [{ stallAfter: 1 }, { text: 'Hi' }];
    await playTurn({ interpreter, transformers: [transformer], retry: { attempts: 0 }, idleTimeoutMs: 50, script }, 50);
    expect(outcomes).toMatchObject([{ code: 'stream.idle' }]);
  });

  test.each([{ stallAfter: 1 }, { text: 'x', deaf: true }, { throw: overloaded }])(
    'is ended by a cancel, whatever the model does: %j',
    async (step) => {
      const { transformer, outcomes } = asking();
      const turn = startTurn({ interpreter, transformers: [transformer], script: [step] });
      await turn.host.settle();
      void turn.run.cancel();
      expect((await turn.end()).reason).toBe('aborted');
      expect(outcomes).toMatchObject([{ name: 'AbortError' }]);
    },
  );

  test('two at once and a cancel are not unhandled rejections', async () => {
    const host = simulatedHost();
    const other = scriptedModel([{ stallAfter: 0 }, { stallAfter: 0 }], { host });
    const twice: Transformer['beforeTurn'] = async (_, { complete }) => {
      const [first, second] = [complete(request, { model: other }), complete(request, { model: other })];
      await first;
      await second;
    };
    const turn = startTurn({ interpreter, host, transformers: [{ name: 'twice', beforeTurn: twice }], script: [] });
    await host.settle();
    void turn.run.cancel();
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('one that nobody waits for ends with its stage', async () => {
    const host = simulatedHost();
    const other = scriptedModel([{ stallAfter: 0 }], { host });
    const forget: Transformer['beforeTurn'] = (_, { complete }) => void complete(request, { model: other });
    const turn = await playTurn({
      interpreter,
      host,
      transformers: [{ name: 'forget', beforeTurn: forget }],
      script: [{ text: 'x' }],
    });
    expect(turn.result.reason).toBe('completed');
  });

  test('is refused after its stage', async () => {
    let complete: TransformerContext['complete'] = () => never();
    await playTurn({
      interpreter,
      transformers: [{ name: 't', beforeTurn: (_, context) => void ({ complete } = context) }],
      script: [{ text: 'x' }],
    });
    await expect(complete(request)).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('is left waiting after its stage when it is asked for again and again, so that a loop cannot stop the process', async () => {
    let complete: TransformerContext['complete'] = () => never();
    await playTurn({
      interpreter,
      transformers: [{ name: 't', beforeTurn: (_, context) => void ({ complete } = context) }],
      script: [{ text: 'x' }],
    });
    let refused = 0;
    void (async () => {
      for (;;) await complete(request).catch(() => refused++);
    })();
    await nextMacrotask();
    expect(refused).toBe(100);
  });

  test('a model that fails within the call rejects', async () => {
    const broken = {
      id: 'broken',
      stream: () => {
        throw new Error('no stream');
      },
    };
    const { transformer, outcomes } = asking({ model: broken });
    await playTurn({ interpreter, transformers: [transformer], script: [{ text: 'x' }] });
    expect(outcomes).toMatchObject([{ code: 'model.failed' }]);
  });
});
