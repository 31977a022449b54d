import { describe, expect, test } from 'vitest';
import type { EngineSteps } from '../../src/contracts/engine.ts';
import { interpreters, never, playTurn, startTurn, toolOf, type TurnSetup } from './turn-bench.ts';

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const done = { text: 'done' };

describe.each(interpreters)('replaced steps (%s)', (interpreter) => {
  const play = (steps: EngineSteps, more: Partial<TurnSetup> = {}) =>
    playTurn({ interpreter, steps, tools: [toolOf('a'), toolOf('b')], script: [calling('a', 'b'), done], ...more });

  test('planCalls says what runs together', async () => {
    const order: string[] = [];
    const slow = (name: string) =>
      toolOf(name, async () => {
        order.push(`+${name}`);
        await Promise.resolve();
        order.push(`-${name}`);
      });
    const tools = [slow('a'), slow('b')];
    await play({ planCalls: (calls) => [calls] }, { tools });
    expect(order).toEqual(['+a', '+b', '-a', '-b']);
    order.length = 0;
    await play({ planCalls: (calls) => calls.toReversed().map((call) => [call]) }, { tools });
    expect(order).toEqual(['+b', '-b', '+a', '-a']);
  });

  test('planCalls gets the tools by name', async () => {
    const found: unknown[] = [];
    await play({
      planCalls: (calls, tools) => {
        found.push(tools('a')?.name, tools('none'));
        return [calls];
      },
    });
    expect(found).toEqual(['a', undefined]);
  });

  test('results are in call order, whatever the plan', async () => {
    const turn = await play({ planCalls: (calls) => calls.toReversed().map((call) => [call]) });
    expect(turn.results().map(({ callId }) => callId)).toEqual(['call_1', 'call_2']);
  });

  test.each<[string, EngineSteps['planCalls']]>([
    [
      'throws',
      () => {
        throw new Error('no plan');
      },
    ],
    ['leaves a call out', (calls) => [calls.slice(1)]],
    ['names a call twice', (calls) => [calls, calls.slice(0, 1)]],
    ['returns nothing', () => undefined as never],
    ['returns a list of calls', (calls) => calls as never],
    ['invents a call', (calls) => [[...calls, { type: 'toolCall', id: 'x', name: 'a', args: {} }]]],
  ])('a planCalls that %s ends the turn as turn.broken with its calls not started', async (_how, planCalls) => {
    const turn = await play(planCalls === undefined ? {} : { planCalls }, { script: [calling('a', 'b')] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(turn.result.error?.message).toContain('"planCalls"');
    expect(turn.results().map(({ status }) => status)).toEqual(['notStarted', 'notStarted']);
  });

  test('executeTool runs the tools', async () => {
    const turn = await play({ executeTool: (tool, args) => `${tool.name} ${JSON.stringify(args)} elsewhere` });
    expect(turn.lines().slice(3, 5)).toEqual(['completed: a {} elsewhere', 'completed: b {} elsewhere']);
  });

  test('an executeTool that throws is a failed result', async () => {
    const executeTool = () => {
      throw new Error('no worker');
    };
    expect((await play({ executeTool })).lines()[3]).toBe('failed: no worker');
  });

  test('formatToolResult words what the model reads, in transcript and event', async () => {
    const turn = await play({
      formatToolResult: (call, result) => ({ ...result, content: [{ type: 'text', text: `<${call.name}>` }] }),
    });
    expect(turn.lines().slice(3, 5)).toEqual(['completed: <a>', 'completed: <b>']);
    expect(turn.all('toolCall.settled')[0]?.result.content).toEqual([{ type: 'text', text: '<a>' }]);
  });

  test('formatToolResult cannot answer another call or change what happened', async () => {
    const turn = await play({ formatToolResult: (_, result) => ({ ...result, callId: 'other', status: 'denied' }) });
    expect(turn.results().map(({ callId, status }) => [callId, status])).toEqual([
      ['call_1', 'completed'],
      ['call_2', 'completed'],
    ]);
  });

  test('blocks of formatToolResult that no result can carry become text', async () => {
    const content = [null, { type: 'hologram' }] as never;
    const turn = await play({ formatToolResult: (_, result) => ({ ...result, content }) });
    expect(turn.lines()[3]).toContain('invalid content block');
  });

  test.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('no words');
      },
    ],
    ['returns nothing', () => undefined as never],
    ['returns no blocks', () => ({ type: 'toolResult' }) as never],
  ])('a formatToolResult that %s costs no result, and onListenerError is informed', async (_how, formatToolResult) => {
    const errors: unknown[] = [];
    const turn = await play({ formatToolResult }, { onListenerError: (error) => errors.push(error) });
    expect(turn.lines()[3]).toBe('completed: a done');
    expect(errors).toHaveLength(2);
  });

  test('buildRequest makes the request', async () => {
    const turn = await play({ buildRequest: (request) => ({ ...request, maxOutputTokens: 7 }) });
    expect(turn.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([7, 7]);
  });

  test('a buildRequest that throws ends the turn as turn.broken', async () => {
    const buildRequest = () => {
      throw new Error('no request');
    };
    const turn = await play({ buildRequest }, { script: [] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(turn.result.error?.message).toContain('"buildRequest" failed: no request');
  });

  test('timeoutFor has the last word on how long a call may run', async () => {
    const limits: Record<string, number | undefined> = { a: 50, b: undefined };
    const turn = startTurn({
      interpreter,
      toolTimeoutMs: 10,
      steps: { timeoutFor: (call) => limits[call.name] },
      tools: [toolOf('a', () => never()), toolOf('b', () => never(), { timeoutMs: 5 })],
      script: [calling('a', 'b')],
    });
    await turn.host.advance(49);
    expect(turn.has('toolCall.settled')).toBe(false);
    await turn.host.advance(1);
    expect(turn.all('toolCall.settled').map(({ result }) => result.status)).toEqual(['timedOut']);
    await turn.host.advance(1_000_000);
    expect(turn.all('toolCall.settled')).toHaveLength(1);
    void turn.run.cancel({ graceMs: 0 });
    await turn.end();
  });

  test.each([Infinity, 2 ** 31, Number.NaN])('a limit of %d counts as none: no timer waits that long', async (ms) => {
    const turn = startTurn({
      interpreter,
      steps: { timeoutFor: () => ms },
      tools: [toolOf('a', () => never())],
      script: [calling('a')],
    });
    await turn.host.settle();
    expect(turn.host.pendingTimers()).toBe(0);
    void turn.run.cancel({ graceMs: 0 });
    await turn.end();
  });

  test('a timeoutFor that throws leaves the usual limit, and onListenerError is informed', async () => {
    const errors: unknown[] = [];
    const timeoutFor = () => {
      throw new Error('no limit');
    };
    const tools = [toolOf('a', () => never())];
    const more = {
      tools,
      toolTimeoutMs: 20,
      onListenerError: (error: unknown) => errors.push(error),
      script: [calling('a'), done],
    };
    const turn = startTurn({ interpreter, steps: { timeoutFor }, ...more });
    await turn.end(20);
    expect(turn.results().map(({ status }) => status)).toEqual(['timedOut']);
    expect(errors).toMatchObject([{ message: 'no limit' }]);
  });
});
