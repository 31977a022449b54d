import { describe, expect, test } from 'vitest';
import type { StopReason } from '../../src/contracts/model.ts';
import { reasonOf, type TurnFacts } from '../../src/machines/turn.ts';
import { interpreters, playTurn, startTurn, toolOf } from './turn-bench.ts';

const flags = [false, true];
const stops: readonly StopReason[] = [
  'endTurn',
  'toolUse',
  'maxTokens',
  'stopSequence',
  'refusal',
  'pause',
  'contextOverflow',
  'other',
];
const everyFact: readonly TurnFacts[] = (['answered', 'overflow', 'settled'] as const).flatMap((kind) =>
  stops.flatMap((stop) =>
    [0, 2].flatMap((calls) =>
      [0, 1].flatMap((pending) =>
        flags.flatMap((last) =>
          flags.flatMap((cutBefore) =>
            flags.map((reshaped) => ({ kind, stop, calls, pending, last, cutBefore, reshaped })),
          ),
        ),
      ),
    ),
  ),
);
const reasonsWhere = (condition: (facts: TurnFacts) => boolean) => [
  ...new Set(everyFact.filter(condition).map(reasonOf)),
];
const isPlain = ({ kind, stop }: TurnFacts) => kind !== 'overflow' && stop !== 'refusal' && stop !== 'maxTokens';

describe('reasonOf, over every combination of facts', () => {
  test('an overflow that was not re-shaped away ends as contextOverflow', () => {
    expect(reasonsWhere(({ kind }) => kind === 'overflow')).toEqual(['contextOverflow']);
  });

  test('a refusal ends as refused, with calls, steers and iterations left', () => {
    expect(reasonsWhere(({ kind, stop }) => kind !== 'overflow' && stop === 'refusal')).toEqual(['refused']);
  });

  const isCut = ({ kind, stop }: TurnFacts) => kind !== 'overflow' && stop === 'maxTokens';
  test('cut text ends as maxTokens', () => {
    expect(reasonsWhere((facts) => isCut(facts) && facts.calls === 0)).toEqual(['maxTokens']);
  });

  test('cut calls continue once, where an iteration is left', () => {
    const first = (facts: TurnFacts) => isCut(facts) && facts.calls > 0 && !facts.cutBefore;
    expect(reasonsWhere((facts) => first(facts) && !facts.last)).toEqual([undefined]);
    expect(reasonsWhere((facts) => first(facts) && facts.last)).toEqual(['maxIterations']);
  });

  test('calls cut a second time in a row end as maxTokens', () => {
    expect(reasonsWhere((facts) => isCut(facts) && facts.calls > 0 && facts.cutBefore)).toEqual(['maxTokens']);
  });

  test('calls and a pause continue until no iteration is left', () => {
    const wants = (facts: TurnFacts) => isPlain(facts) && (facts.calls > 0 || facts.stop === 'pause');
    expect(reasonsWhere((facts) => wants(facts) && !facts.last)).toEqual([undefined]);
    expect(reasonsWhere((facts) => wants(facts) && facts.last)).toEqual(['maxIterations']);
  });

  test('a final answer continues for a waiting steer where an iteration is left, and else completes', () => {
    const final = (facts: TurnFacts) => isPlain(facts) && facts.calls === 0 && facts.stop !== 'pause';
    expect(reasonsWhere((facts) => final(facts) && facts.pending > 0 && !facts.last)).toEqual([undefined]);
    expect(reasonsWhere((facts) => final(facts) && (facts.pending === 0 || facts.last))).toEqual(['completed']);
  });
});

const look = toolOf('look');
const callLook = { calls: [{ name: 'look' }] };

describe.each(interpreters)('the limits of a turn (%s)', (interpreter) => {
  test('tools of the last allowed iteration do run', async () => {
    const turn = await playTurn({ interpreter, maxIterations: 2, tools: [look], script: [callLook, callLook] });
    expect(turn.result).toMatchObject({ reason: 'maxIterations', iterations: 2 });
    expect(turn.results().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('an answer in the last allowed iteration completes the turn', async () => {
    const turn = await playTurn({ interpreter, maxIterations: 1, script: [{ text: 'Hi' }] });
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 1 });
  });

  test('the default is 100 iterations', async () => {
    const script = Array.from({ length: 100 }, () => callLook);
    const turn = await playTurn({ interpreter, tools: [look], script });
    expect(turn.result).toMatchObject({ reason: 'maxIterations', iterations: 100 });
  });

  test('a paused answer is continued with what was said', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'one', stopReason: 'pause' }, { text: 'two' }] });
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 2 });
    expect(turn.lines()).toEqual(['user: go', 'assistant: one', 'assistant: two']);
    expect(turn.requests[1]?.messages).toHaveLength(2);
  });

  test('a pause in the last allowed iteration ends as maxIterations', async () => {
    const turn = await playTurn({ interpreter, maxIterations: 1, script: [{ text: 'one', stopReason: 'pause' }] });
    expect(turn.result.reason).toBe('maxIterations');
  });

  test('cut text ends as maxTokens and is kept', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'half', stopReason: 'maxTokens' }] });
    expect(turn.result).toMatchObject({ reason: 'maxTokens', iterations: 1 });
    expect(turn.lines()).toEqual(['user: go', 'assistant: half']);
  });

  test('case 10: no call of a cut message runs; the model is informed and asked once more', async () => {
    let ran = 0;
    const write = toolOf('write', () => ++ran);
    const calls = [
      { name: 'write', args: { path: 'whole' } },
      { name: 'write', rawArgs: '{"path":"a","content":"xx' },
    ];
    const turn = await playTurn({
      interpreter,
      tools: [write],
      script: [{ calls, stopReason: 'maxTokens' }, { text: 'sorry' }],
    });
    expect(ran).toBe(0);
    expect(turn.results().map(({ status }) => status)).toEqual(['truncated', 'truncated']);
    expect(turn.lines()[3]).toContain('output token limit');
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 2 });
  });

  test('case 10: a second cut in a row ends as maxTokens with its calls answered', async () => {
    const cut = { calls: [{ name: 'look', rawArgs: '{' }], stopReason: 'maxTokens' as const };
    const turn = await playTurn({ interpreter, tools: [look], script: [cut, cut] });
    expect(turn.result).toMatchObject({ reason: 'maxTokens', iterations: 2 });
    expect(turn.results().map(({ status }) => status)).toEqual(['truncated', 'truncated']);
  });

  test('cuts with a whole message between them are not in a row', async () => {
    const cut = { calls: [{ name: 'look', rawArgs: '{' }], stopReason: 'maxTokens' as const };
    const turn = await playTurn({ interpreter, tools: [look], script: [cut, callLook, cut, { text: 'ok' }] });
    expect(turn.result).toMatchObject({ reason: 'completed', iterations: 4 });
  });

  test('a refusal without calls ends as refused and is kept', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'I will not.', stopReason: 'refusal' }] });
    expect(turn.result).toMatchObject({ reason: 'refused', message: { content: [{ text: 'I will not.' }] } });
  });

  test('calls of a refused message never run and are answered as not started', async () => {
    let ran = 0;
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('act', () => ++ran)],
      script: [{ calls: [{ name: 'act' }], stopReason: 'refusal' }],
    });
    expect(ran).toBe(0);
    expect(turn.results().map(({ status }) => status)).toEqual(['notStarted']);
    expect(turn.result.reason).toBe('refused');
  });

  test('toolChoice holds for the first iteration only', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [look],
      toolChoice: { tool: 'look' },
      script: [callLook, { text: 'x' }],
    });
    expect(turn.requests.map(({ toolChoice }) => toolChoice)).toEqual([{ tool: 'look' }, undefined]);
  });

  test('toolChoice holds for the retry of the first iteration', async () => {
    const turn = await playTurn(
      { interpreter, toolChoice: 'required', tools: [look], script: [{ cutAfter: 0 }, callLook, { text: 'x' }] },
      10_000,
    );
    expect(turn.requests.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'required', undefined]);
  });

  test('a steer at the limit is not drained and is handed back', async () => {
    const turn = startTurn({
      interpreter,
      maxIterations: 1,
      tools: [toolOf('look', () => turn.run.steer('late') satisfies string)],
      script: [callLook],
    });
    const result = await turn.end();
    expect(result).toMatchObject({ reason: 'maxIterations', undrained: [{ content: [{ text: 'late' }] }] });
    expect(turn.lines()).toEqual(['user: go', 'call look', 'completed: accepted']);
  });

  test('a steer during the last answer of the last iteration completes the turn and is handed back', async () => {
    const turn = startTurn({ interpreter, maxIterations: 1, script: [{ text: 'Hi' }] });
    turn.run.steer('late');
    expect(await turn.end()).toMatchObject({ reason: 'completed', undrained: [{ role: 'user' }] });
  });
});
