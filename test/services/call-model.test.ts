import { describe, expect, test } from 'vitest';
import type { Model } from '../../src/contracts/model.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { deferred, interpreters, modelOf, never, playTurn, startTurn } from '../runtime/turn-bench.ts';

const noRetry = { attempts: 0 };

describe.each(interpreters)('the idle watchdog (%s)', (interpreter) => {
  test('ends a stream that says nothing for idleTimeoutMs and has it tried again', async () => {
    const script = [{ text: 'Hel', stallAfter: 3 }, { text: 'Hello' }];
    const turn = startTurn({ interpreter, idleTimeoutMs: 100, script });
    await turn.host.advance(99);
    expect(turn.has('stream.retrying')).toBe(false);
    await turn.host.advance(1);
    expect(turn.all('stream.retrying')).toMatchObject([{ error: { code: 'stream.idle' } }]);
    expect((await turn.end(1000)).reason).toBe('completed');
    expect(turn.lines()).toEqual(['user: go', 'assistant: Hello']);
  });

  test('what ended a call is the reason of its signal', async () => {
    const reasons: unknown[] = [];
    const model: Model = {
      id: 'x',
      async *stream(_request, { signal }) {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        yield { type: 'message.start' };
        if (reasons.length > 0) yield { type: 'text.delta', index: 7, text: null as never };
        await never();
      },
    };
    const turn = startTurn({ interpreter, model, idleTimeoutMs: 100, retry: { attempts: 1 } });
    const { error } = await turn.end(10_000);
    expect(reasons).toMatchObject([{ code: 'stream.idle' }, { code: 'stream.protocol' }]);
    expect(reasons[1]).toBe(error);
  });

  test('the limit is 120 seconds by default', async () => {
    const turn = startTurn({ interpreter, retry: noRetry, script: [{ stallAfter: 0 }] });
    await turn.host.advance(119_999);
    expect(turn.has('turn.completed')).toBe(false);
    expect((await turn.end(1)).error?.code).toBe('stream.idle');
  });

  test('a clock that throws when it looks ends the call', async () => {
    const from = simulatedHost();
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('no clock');
      return from.now();
    };
    const turn = startTurn({ interpreter, host: { ...from, now }, idleTimeoutMs: 100, script: [{ stallAfter: 0 }] });
    await turn.host.settle();
    isBroken = true;
    expect(await turn.end(100)).toMatchObject({ reason: 'failed', error: { code: 'model.failed' } });
  });

  test('every event restarts the time', async () => {
    const turn = await playTurn({ interpreter, idleTimeoutMs: 100, script: [{ text: 'x', paceMs: 99 }] }, 1000);
    expect(turn.result.reason).toBe('completed');
    expect(turn.has('stream.retrying')).toBe(false);
  });

  test('activity without events counts as life', async () => {
    const script = [{ text: 'x', delayMs: 1000, pingEveryMs: 90 }];
    const turn = await playTurn({ interpreter, idleTimeoutMs: 100, script }, 1000);
    expect(turn.result.reason).toBe('completed');
    expect(turn.has('stream.retrying')).toBe(false);
  });

  test('a silence after the last activity is still ended', async () => {
    const host = simulatedHost();
    const turn = startTurn({
      interpreter,
      host,
      retry: noRetry,
      idleTimeoutMs: 100,
      model: {
        id: 'pings once',
        async *stream(_request, { activity }) {
          await new Promise<void>((resolve) => host.setTimeout(resolve, 60));
          activity?.();
          await never();
          yield { type: 'raw', provider: 'x', event: null };
        },
      },
    });
    await turn.host.advance(159);
    expect(turn.has('turn.completed')).toBe(false);
    expect((await turn.end(1)).error?.code).toBe('stream.idle');
  });

  test('case 12: cancel works during the silence', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'Hel', stallAfter: 3 }] });
    await turn.host.advance(50);
    void turn.run.cancel();
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('a stream that stays open after message.end is left after a second, and its answer is kept', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'all', stallAfter: 5 }] });
    await turn.host.advance(999);
    expect(turn.has('assistant.settled')).toBe(false);
    const result = await turn.end(1);
    expect(result.reason).toBe('completed');
    expect(turn.lines()).toEqual(['user: go', 'assistant: all']);
  });

  test('a shorter idle limit holds after message.end as well', async () => {
    const turn = await playTurn({ interpreter, idleTimeoutMs: 10, script: [{ text: 'all', stallAfter: 5 }] }, 10);
    expect(turn.result.reason).toBe('completed');
  });
});

describe.each(interpreters)('P5: a stream that merely ends (%s)', (interpreter) => {
  test('is not an answer: it is tried again', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'Hel', cutAfter: 3 }, { text: 'Hello' }] }, 10_000);
    expect(turn.all('stream.retrying')).toMatchObject([{ error: { code: 'stream.incomplete' } }]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: Hello']);
  });

  test.each([0, 1, 2, 3, 4])('after %i events it fails the turn when no retry is left', async (cutAfter) => {
    const turn = await playTurn({ interpreter, retry: noRetry, script: [{ text: 'Hel', cutAfter }] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'stream.incomplete' } });
    expect(turn.all('stream.reset')).toHaveLength(cutAfter > 0 ? 1 : 0);
    expect(turn.lines()).toEqual(['user: go']);
  });
});

const start = { type: 'message.start' };
const end = { type: 'message.end', stopReason: 'endTurn' };

describe.each(interpreters)('models that break the protocol (%s)', (interpreter) => {
  const protocolBreaks: Record<string, readonly unknown[]> = {
    'yields null': [start, null],
    'yields undefined': [start, undefined],
    'yields a string': [start, 'text'],
    'begins with a delta': [{ type: 'text.delta', index: 0, text: 'x' }],
    'begins with the end': [end],
    'starts its message twice': [start, start],
    'starts a block twice': [start, { type: 'text.start', index: 0 }, { type: 'text.start', index: 0 }],
    'grows a block it never started': [start, { type: 'text.delta', index: 0, text: 'x' }],
    'grows a block that has ended': [
      start,
      { type: 'text.start', index: 0 },
      { type: 'text.end', index: 0 },
      { type: 'text.delta', index: 0, text: 'x' },
    ],
    'grows a block of another kind': [
      start,
      { type: 'text.start', index: 0 },
      { type: 'thinking.delta', index: 0, text: 'x' },
    ],
    'ends a block twice': [
      start,
      { type: 'text.start', index: 0 },
      { type: 'text.end', index: 0 },
      { type: 'text.end', index: 0 },
    ],
    'has a delta without text': [start, { type: 'text.start', index: 0 }, { type: 'text.delta', index: 0 }],
    'has a negative index': [start, { type: 'text.start', index: -1 }],
    'has a huge index': [start, { type: 'text.start', index: 2 ** 31 }],
    'has a call without a name': [start, { type: 'toolInput.start', index: 0, id: 'a' }],
    'has usage without numbers': [start, { type: 'usage', usage: { inputTokens: 'many' } }],
    'has no usage in its usage': [start, { type: 'usage' }],
    'has a block that is none': [start, { type: 'block', index: 0, block: null }],
    'ends text with a call': [
      start,
      { type: 'text.start', index: 0 },
      { type: 'text.end', index: 0, block: { type: 'toolCall' } },
    ],
    'answers its own call': [
      start,
      { type: 'block', index: 0, block: { type: 'toolResult', callId: 'c', status: 'completed', content: [] } },
    ],
    'holds a boundary': [start, { type: 'block', index: 0, block: { type: 'boundary', summary: 's', keepFrom: 'u1' } }],
    'holds a block of an unknown type': [start, { type: 'block', index: 0, block: { type: 'hologram' } }],
    'holds a text block without text': [start, { type: 'block', index: 0, block: { type: 'text' } }],
    'ends a call with one that has no id': [
      start,
      { type: 'toolInput.start', index: 0, id: 'c', name: 'look' },
      { type: 'toolInput.end', index: 0, call: { type: 'toolCall', name: 'look', args: {} } },
    ],
    'ends a call with one that has no arguments': [
      start,
      { type: 'toolInput.start', index: 0, id: 'c', name: 'look' },
      { type: 'toolInput.end', index: 0, call: { type: 'toolCall', id: 'c', name: 'look' } },
    ],
  };

  test.each(Object.keys(protocolBreaks))(
    'a model that %s ends the attempt with stream.protocol, not tried again',
    async (name) => {
      const turn = await playTurn({ interpreter, model: modelOf(...(protocolBreaks[name] ?? []), end) });
      expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'stream.protocol' } });
      expect(turn.result.error?.message).toContain('"odd"');
      expect(turn.lines()).toEqual(['user: go']);
      expect(turn.has('stream.retrying')).toBe(false);
    },
  );

  test('an unknown tag becomes a raw event and the answer is kept', async () => {
    const turn = await playTurn({ interpreter, model: modelOf(start, { type: 'weather', mood: 'fine' }, end) });
    expect(turn.all('raw')).toEqual([{ type: 'raw', provider: 'odd', event: { type: 'weather', mood: 'fine' } }]);
    expect(turn.result.reason).toBe('completed');
  });

  test('an unknown tag that is not JSON becomes a raw event of null', async () => {
    const cyclic: Record<string, unknown> = { type: 'ring' };
    cyclic['self'] = cyclic;
    const turn = await playTurn({ interpreter, model: modelOf(start, cyclic, end) });
    expect(turn.all('raw')).toEqual([{ type: 'raw', provider: 'odd', event: null }]);
  });

  test('what comes after message.end is ignored with one raw event', async () => {
    const late = { type: 'text.delta', index: 0, text: 'late' };
    const text = [
      { type: 'text.start', index: 0 },
      { type: 'text.delta', index: 0, text: 'Hi' },
      { type: 'text.end', index: 0 },
    ];
    const turn = await playTurn({ interpreter, model: modelOf(start, ...text, end, late, late, null) });
    expect(turn.all('raw')).toEqual([{ type: 'raw', provider: 'odd', event: late }]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: Hi']);
    expect(turn.result.reason).toBe('completed');
  });

  test('a throw after message.end does not cost the answer', async () => {
    const script = [{ text: 'Hi', throw: new Error('late'), throwAfter: 5 }];
    expect((await playTurn({ interpreter, script })).result.reason).toBe('completed');
  });

  test('blocks left open are ended before the message ends', async () => {
    const open = [
      { type: 'text.start', index: 0 },
      { type: 'text.delta', index: 0, text: 'Hi' },
    ];
    const turn = await playTurn({ interpreter, model: modelOf(start, ...open, end) });
    expect(turn.all('text.end')).toEqual([{ type: 'text.end', index: 0 }]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: Hi']);
  });

  test('an unknown stop reason is other, and the word is kept', async () => {
    const turn = await playTurn({ interpreter, model: modelOf(start, { type: 'message.end', stopReason: 'tired' }) });
    expect(turn.all('assistant.settled')).toMatchObject([{ stopReason: 'other' }]);
    expect(turn.result.reason).toBe('completed');
  });
});

const iteratorOf = (next: () => unknown, more: object = {}): Model => ({
  id: 'odd',
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next, ...more }) }) as unknown as ReturnType<Model['stream']>,
});

describe.each(interpreters)('models that fail outside their stream (%s)', (interpreter) => {
  const odd: Record<string, Model> = {
    'throws in stream()': {
      id: 'odd',
      stream: () => {
        throw new Error('no stream');
      },
    },
    'returns undefined': { id: 'odd', stream: () => undefined as never },
    'returns a number': { id: 'odd', stream: () => 7 as never },
    'returns a promise': { id: 'odd', stream: () => Promise.resolve([]) as never },
    'returns a sync iterable': { id: 'odd', stream: () => [start, end] as never },
    'has an iterator whose next throws': iteratorOf(() => {
      throw new Error('no next');
    }),
    'has an iterator that gives no results': iteratorOf(() => undefined),
  };

  test.each(Object.keys(odd))('a model that %s fails the turn as model.failed', async (name) => {
    const turn = await playTurn({ interpreter, model: odd[name] ?? modelOf() });
    expect(turn.result).toMatchObject({ reason: 'failed', iterations: 1, error: { code: 'model.failed' } });
    expect(turn.has('stream.reset')).toBe(false);
    expect(turn.lines()).toEqual(['user: go']);
  });

  const returns: Record<string, () => unknown> = {
    throws: () => {
      throw new Error('no return');
    },
    rejects: () => Promise.reject(new Error('no return')),
    'never settles': () => never(),
    'gives nothing': () => undefined,
  };

  test.each(Object.keys(returns))('an iterator whose return %s is left anyway', async (name) => {
    const turn = startTurn({ interpreter, model: iteratorOf(() => never(), { return: returns[name] }) });
    await turn.host.settle();
    void turn.run.cancel();
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('events that come after a cancel change nothing', async () => {
    const gate = deferred<IteratorResult<unknown>>();
    const turn = startTurn({ interpreter, model: iteratorOf(() => gate.promise) });
    await turn.host.settle();
    void turn.run.cancel();
    gate.resolve({ done: false, value: start });
    expect((await turn.end()).reason).toBe('aborted');
    expect(turn.has('message.start')).toBe(false);
  });

  test('a rejection that comes after a cancel is swallowed', async () => {
    const gate = deferred<never>();
    const turn = startTurn({ interpreter, model: iteratorOf(() => gate.promise) });
    await turn.host.settle();
    void turn.run.cancel();
    gate.reject(new Error('late'));
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('the signal of a cancelled call is aborted, that of one that ended is not', async () => {
    const signals: AbortSignal[] = [];
    const model: Model = {
      id: 'x',
      async *stream(_request, { signal }) {
        signals.push(signal);
        yield { type: 'message.start' };
        if (signals.length === 2) await never();
        yield { type: 'message.end', stopReason: 'pause' };
      },
    };
    const turn = startTurn({ interpreter, model });
    await turn.host.settle();
    void turn.run.cancel();
    await turn.end();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });
});
