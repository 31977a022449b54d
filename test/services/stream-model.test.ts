import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';
import { interpreters, playTurn, startTurn, toolOf } from '../runtime/turn-bench.ts';

const overloaded = (more: { retryAfterMs?: number } = {}) =>
  new ModelError('model.overloaded', 'busy', { retryable: true, ...more });
const rejected = new ModelError('model.rejected', 'no', { retryable: false });

describe.each(interpreters)('retries of a model call (%s)', (interpreter) => {
  test('a retryable failure waits and is tried again', async () => {
    const turn = startTurn({ interpreter, script: [{ throw: overloaded() }, { text: 'Hi' }] });
    await turn.host.settle();
    const [retrying] = turn.all('stream.retrying');
    expect(retrying).toMatchObject({ attempt: 1, error: { code: 'model.overloaded' } });
    const delayMs = retrying?.delayMs ?? 0;
    await turn.host.advance(delayMs - 1);
    expect(turn.requests).toHaveLength(1);
    const result = await turn.end(1);
    expect(result).toMatchObject({ reason: 'completed', iterations: 1 });
    expect(turn.requests).toHaveLength(2);
    expect(turn.requests[1]).toEqual(turn.requests[0]);
  });

  test('the retries end after retry.attempts and the turn fails with the last error', async () => {
    const turn = await playTurn(
      { interpreter, script: Array.from({ length: 4 }, () => ({ throw: overloaded() })) },
      60_000,
    );
    expect(turn.all('stream.retrying').map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(turn.result).toMatchObject({ reason: 'failed', iterations: 1, error: { code: 'model.overloaded' } });
    expect(turn.lines()).toEqual(['user: go']);
  });

  test('with retry.attempts 0 nothing is tried again', async () => {
    const turn = await playTurn({ interpreter, retry: { attempts: 0 }, script: [{ throw: overloaded() }] });
    expect(turn.has('stream.retrying')).toBe(false);
    expect(turn.result.reason).toBe('failed');
  });

  test('what is not retryable ends the turn at once', async () => {
    const turn = await playTurn({ interpreter, script: [{ throw: rejected }] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'model.rejected' } });
  });

  test('anything that is not a ModelError is model.failed and not tried again', async () => {
    const turn = await playTurn({ interpreter, script: [{ throw: 'a string' }] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'model.failed', cause: 'a string' } });
    expect(turn.result.error?.message).toContain('a string');
  });

  test('every iteration has retries of its own', async () => {
    const script = [{ throw: overloaded() }, { calls: [{ name: 'look' }] }, { throw: overloaded() }, { text: 'done' }];
    const turn = await playTurn({ interpreter, script, tools: [toolOf('look')], retry: { attempts: 1 } }, 60_000);
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 2 });
  });

  test('cancel during the wait ends the turn at once without another call', async () => {
    const turn = startTurn({ interpreter, script: [{ throw: overloaded() }] });
    await turn.host.settle();
    void turn.run.cancel();
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('steers that come during the wait are drained at the next iteration, not into the retry', async () => {
    const turn = startTurn({ interpreter, script: [{ throw: overloaded() }, { text: 'one' }, { text: 'two' }] });
    await turn.host.settle();
    expect(turn.run.steer('more')).toBe('accepted');
    await turn.end(60_000);
    expect(turn.lines()).toEqual(['user: go', 'assistant: one', 'user: more', 'assistant: two']);
  });
});

describe.each(interpreters)('the delay of a retry (%s)', (interpreter) => {
  const delays = async (setup: Parameters<typeof playTurn>[0], ms = 600_000) =>
    (await playTurn({ interpreter, ...setup }, ms)).all('stream.retrying').map(({ delayMs }) => delayMs);
  const hostWithChance = (chance: number) => ({ ...simulatedHost(), random: () => chance });
  const failing = (count: number) => Array.from({ length: count }, () => ({ throw: overloaded() }));

  test('doubles up to the maximum, without chance at its full length', async () => {
    const retry = { attempts: 6, baseDelayMs: 100, maxDelayMs: 1000 };
    const script = [...failing(6), { text: 'x' }];
    const nearlyOne = 1 - Number.EPSILON;
    expect(await delays({ retry, script, host: hostWithChance(nearlyOne) })).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test('is at least half of that, as Host.random has it', async () => {
    const retry = { attempts: 3, baseDelayMs: 100 };
    expect(await delays({ retry, script: failing(4), host: hostWithChance(0) })).toEqual([50, 100, 200]);
  });

  test.each([20_000, 7])(
    'is the %d ms the server asks for, longer or shorter than the backoff',
    async (retryAfterMs) => {
      const script = [{ throw: overloaded({ retryAfterMs }) }, { text: 'x' }];
      expect(await delays({ script })).toEqual([retryAfterMs]);
    },
  );

  test('may be up to maxRetryAfterMs at the wish of a server; a longer wish fails', async () => {
    const retry = { maxRetryAfterMs: 5000 };
    expect(await delays({ retry, script: [{ throw: overloaded({ retryAfterMs: 5000 }) }, { text: 'x' }] })).toEqual([
      5000,
    ]);
    expect(await delays({ retry, script: [{ throw: overloaded({ retryAfterMs: 5001 }) }] })).toEqual([]);
  });
});

describe.each(interpreters)('stream.reset (%s)', (interpreter) => {
  test('case 13: what a failed attempt showed is not in the answer, and watchers are told to discard it', async () => {
    const turn = await playTurn(
      {
        interpreter,
        tools: [toolOf('run')],
        script: [
          { text: 'Hel', calls: [{ name: 'run', rawArgs: '{"co' }], throw: overloaded(), throwAfter: 6 },
          { text: 'Hello', calls: [{ name: 'run', args: { code: 1 } }] },
          { text: 'done' },
        ],
      },
      60_000,
    );
    const types = turn.events.map(({ type }) => type);
    expect(types.filter((type) => type === 'stream.reset')).toHaveLength(1);
    expect(types[types.indexOf('stream.reset') - 1]).toBe('stream.retrying');
    expect(turn.conversation.messages[1]?.content).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'toolCall', id: 'call_2', name: 'run', args: { code: 1 } },
    ]);
  });

  test('does not come when nothing was shown', async () => {
    const turn = await playTurn({ interpreter, script: [{ throw: overloaded() }, { text: 'x' }] }, 60_000);
    expect(turn.has('stream.reset')).toBe(false);
  });

  test('does not come when only usage was reported', async () => {
    const events = [{ type: 'usage', usage: { inputTokens: 1, outputTokens: 0 } }];
    const turn = await playTurn(
      { interpreter, script: [{ events, throw: overloaded(), throwAfter: 1 }, { text: 'x' }] },
      60_000,
    );
    expect(turn.has('usage')).toBe(true);
    expect(turn.has('stream.reset')).toBe(false);
  });

  test('comes when the last attempt failed after it had shown something, and nothing of it is kept', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'Hel', throw: rejected, throwAfter: 3 }] });
    expect(turn.all('stream.reset')).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: go']);
    expect(turn.result.message).toBeUndefined();
  });
});

describe.each(interpreters)('fallback models (%s)', (interpreter) => {
  test('are asked in order when the model before gave up, each with retries of its own', async () => {
    const host = simulatedHost();
    const second = scriptedModel([{ throw: overloaded() }, { throw: overloaded() }], { id: 'second' });
    const third = scriptedModel([{ text: 'from the third' }], { id: 'third' });
    const turn = await playTurn(
      {
        interpreter,
        host,
        retry: { attempts: 1 },
        script: [{ throw: overloaded() }, { throw: overloaded() }],
        fallbackModels: [second, third],
      },
      60_000,
    );
    expect(turn.all('stream.retrying').map(({ attempt, delayMs }) => [attempt, delayMs > 0])).toEqual([
      [1, true],
      [0, false],
      [1, true],
      [0, false],
    ]);
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 1 });
    second.verify();
    third.verify();
  });

  test('take over at once from a model whose error is not retryable', async () => {
    const fallback = scriptedModel([{ text: 'ok' }], { id: 'fallback' });
    const turn = await playTurn({ interpreter, script: [{ throw: rejected }], fallbackModels: [fallback] });
    expect(turn.result.reason).toBe('completed');
  });

  test('stay for the rest of the turn', async () => {
    const fallback = scriptedModel([{ calls: [{ name: 'look' }] }, { text: 'ok' }], { id: 'fallback' });
    const tools = [toolOf('look')];
    const turn = await playTurn({ interpreter, tools, script: [{ throw: rejected }], fallbackModels: [fallback] });
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 2 });
    fallback.verify();
  });

  test('the turn fails with the error of the last one', async () => {
    const last = scriptedModel([{ throw: new ModelError('model.notFound', 'gone', { retryable: false }) }]);
    const turn = await playTurn({ interpreter, script: [{ throw: rejected }], fallbackModels: [last] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'model.notFound' } });
  });
});
