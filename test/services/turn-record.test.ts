import { describe, expect, test } from 'vitest';
import { TurnchartError } from '../../src/contracts/errors.ts';
import { recordOf } from '../../src/services/turn-record.ts';
import type { TurnScope } from '../../src/machines/turn.ts';
import { interpreters, playTurn, startTurn, toolOf } from '../runtime/turn-bench.ts';
import type { ScriptedStep } from '../../src/testing/index.ts';

describe.each(interpreters)('what is left of an answer that is cancelled (%s)', (interpreter) => {
  async function cancelled(step: ScriptedStep) {
    const turn = startTurn({ interpreter, script: [step] });
    await turn.host.settle();
    void turn.run.cancel();
    const result = await turn.end();
    expect(result.reason).toBe('aborted');
    return { ...turn, result };
  }

  test('said text stays, marked as cut', async () => {
    const { result, conversation } = await cancelled({ text: 'Hello', stallAfter: 3 });
    expect(conversation.messages[1]).toEqual({
      id: result.message?.id,
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello' }],
      meta: { cut: 'aborted' },
    });
    expect(result.message).toBe(conversation.messages[1]);
  });

  test('signed thinking before the text stays byte for byte', async () => {
    const thinking = { text: 'Hm', signature: 'sig', provider: 'p' };
    const { conversation } = await cancelled({ thinking, text: 'Hello', stallAfter: 6 });
    expect(conversation.messages[1]?.content).toEqual([
      { type: 'thinking', ...thinking },
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('encrypted thinking counts as signed', async () => {
    const { lines } = await cancelled({ thinking: { text: '', encrypted: 'x' }, text: 'Hello', stallAfter: 5 });
    expect(lines()).toEqual(['user: go', 'assistant thinking', 'assistant: Hello']);
  });

  test('unsigned thinking is dropped', async () => {
    const { lines } = await cancelled({ thinking: 'Hm', text: 'Hello', stallAfter: 6 });
    expect(lines()).toEqual(['user: go', 'assistant: Hello']);
  });

  test('whole and half calls are dropped', async () => {
    const calls = [{ name: 'a' }, { name: 'b' }];
    const { lines } = await cancelled({ text: 'Hello', calls, stallAfter: 9 });
    expect(lines()).toEqual(['user: go', 'assistant: Hello']);
  });

  test.each<[string, ScriptedStep]>([
    ['nothing came', { stallAfter: 0 }],
    ['only the message began', { text: 'x', stallAfter: 1 }],
    ['only an empty block began', { text: 'x', stallAfter: 2 }],
    ['only signed thinking came', { thinking: { text: 'Hm', signature: 's' }, text: 'x', stallAfter: 4 }],
    ['only calls came', { calls: [{ name: 'a' }], stallAfter: 4 }],
  ])('there is no message when %s', async (_when, step) => {
    const { lines, result } = await cancelled(step);
    expect(lines()).toEqual(['user: go']);
    expect(result.message).toBeUndefined();
  });

  test('answers of earlier iterations stay as they are', async () => {
    const turn = startTurn({
      interpreter,
      tools: [toolOf('look')],
      script: [{ text: 'first', calls: [{ name: 'look' }] }, { stallAfter: 0 }],
    });
    await turn.host.settle();
    void turn.run.cancel();
    const result = await turn.end();
    expect(result).toMatchObject({ reason: 'aborted', iterations: 2, message: { content: [{ text: 'first' }, {}] } });
    expect(turn.lines()).toEqual(['user: go', 'assistant: first', 'call look', 'completed: look done']);
  });
});

describe.each(interpreters)('the usage of a turn (%s)', (interpreter) => {
  const usage = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens });

  test('is the sum over its settled calls', async () => {
    const script = [
      { calls: [{ name: 'look' }], usage: usage(10, 1) },
      { text: 'x', usage: usage(20, 2) },
    ];
    const turn = await playTurn({ interpreter, tools: [toolOf('look')], script });
    expect(turn.result.usage).toEqual(usage(30, 3));
  });

  test('holds what failed attempts reported', async () => {
    const script = [
      { text: 'Hel', usage: usage(10, 1), cutAfter: 5 },
      { text: 'x', usage: usage(20, 2) },
    ];
    const turn = await playTurn({ interpreter, script }, 10_000);
    expect(turn.result.usage).toEqual(usage(30, 3));
  });

  test('holds what the last failed attempt reported', async () => {
    const script = [{ text: 'Hel', usage: usage(10, 1), cutAfter: 5 }];
    const turn = await playTurn({ interpreter, retry: { attempts: 0 }, script });
    expect(turn.result).toMatchObject({ reason: 'failed', usage: usage(10, 1) });
  });

  test('takes the last report of a message, which is a running total', async () => {
    const report = (outputTokens: number) => ({ type: 'usage', usage: usage(10, outputTokens) });
    const events = [{ type: 'message.start' }, report(1), report(5), { type: 'message.end', stopReason: 'endTurn' }];
    expect((await playTurn({ interpreter, script: [{ events }] })).result.usage).toEqual(usage(10, 5));
  });

  test('is zero where nothing was reported', async () => {
    expect((await playTurn({ interpreter, script: [{ text: 'x' }] })).result.usage).toEqual(usage(0, 0));
  });

  test('adds cache and reasoning tokens where they were reported, and drops provider details', async () => {
    const script = [
      { calls: [{ name: 'look' }], usage: { ...usage(10, 1), cacheReadTokens: 4, details: { raw: true } } },
      { text: 'x', usage: { ...usage(20, 2), cacheReadTokens: 6, reasoningTokens: 1 } },
    ];
    const turn = await playTurn({ interpreter, tools: [toolOf('look')], script });
    expect(turn.result.usage).toEqual({ ...usage(30, 3), cacheReadTokens: 10, reasoningTokens: 1 });
  });
});

test('a scope this runtime did not make is engine.foreign', () => {
  expect(() => recordOf({} as TurnScope)).toThrow(TurnchartError);
  expect(() => recordOf({} as TurnScope)).toThrow(/Start turns through an engine/);
});
