import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { startOperative } from '../runtime/operative/operative-bench.ts';
import { deferred, interpreters, playTurn, startTurn, toolOf, type Turn } from '../runtime/turn-bench.ts';

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const done = { text: 'done' };
const parallel = { isConcurrencySafe: true };

/** A tool that ends when told to. */
function gated(name: string, safe = true) {
  const gate = deferred<string>();
  return {
    tool: toolOf(name, () => gate.promise, { isConcurrencySafe: safe }),
    end: () => gate.resolve(`${name} done`),
  };
}

const callLog = (turn: Turn) =>
  turn.events.flatMap((event: EngineEvent) =>
    event.type === 'toolCall.started' || event.type === 'toolCall.settled'
      ? [`${event.type === 'toolCall.started' ? '+' : '-'}${event.call.name}`]
      : [],
  );

describe.each(interpreters)('the calls of a message (%s)', (interpreter) => {
  test('that are concurrency-safe and adjacent run in parallel; results are in call order, events as they happen', async () => {
    const [a, b, c] = [gated('a'), gated('b'), gated('c')];
    const turn = startTurn({ interpreter, tools: [a.tool, b.tool, c.tool], script: [calling('a', 'b', 'c'), done] });
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a', '+b', '+c']);
    for (const { end } of [c, a, b]) {
      end();
      await turn.host.settle();
    }
    await turn.end();
    expect(callLog(turn)).toEqual(['+a', '+b', '+c', '-c', '-a', '-b']);
    expect(turn.lines().slice(4, 7)).toEqual(['completed: a done', 'completed: b done', 'completed: c done']);
  });

  test('that are not run alone, in call order', async () => {
    const [a, b] = [gated('a', false), gated('b', false)];
    const turn = startTurn({ interpreter, tools: [a.tool, b.tool], script: [calling('a', 'b'), done] });
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a']);
    a.end();
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a', '-a', '+b']);
    b.end();
    await turn.end();
  });

  test('form groups in call order: safe ones wait for the one before that is not', async () => {
    const [a, b, c, d] = [gated('a'), gated('b', false), gated('c'), gated('d')];
    const tools = [a.tool, b.tool, c.tool, d.tool];
    const turn = startTurn({ interpreter, tools, script: [calling('a', 'b', 'c', 'd'), done] });
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a']);
    a.end();
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a', '-a', '+b']);
    b.end();
    await turn.host.settle();
    expect(callLog(turn)).toEqual(['+a', '-a', '+b', '-b', '+c', '+d']);
    c.end();
    d.end();
    await turn.end();
  });

  test('run at most maxParallelTools at once', async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    };
    const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const tools = names.map((name) => toolOf(name, work, parallel));
    await playTurn({ interpreter, maxParallelTools: 3, tools, script: [calling(...names), done] });
    expect(most).toBe(3);
  });

  test('run at most 8 at once by default', async () => {
    const gates = Array.from({ length: 9 }, (_, index) => gated(`t${index}`));
    const turn = startTurn({
      interpreter,
      tools: gates.map(({ tool }) => tool),
      script: [calling(...gates.map(({ tool }) => tool.name)), done],
    });
    await turn.host.settle();
    expect(turn.all('toolCall.started')).toHaveLength(8);
    for (const { end } of gates) end();
    await turn.end();
    expect(turn.all('toolCall.started')).toHaveLength(9);
  });

  test('with one id twice get ids of their own before anything runs', async () => {
    const ids: string[] = [];
    const tool = toolOf('look', (_, { callId }) => void ids.push(callId), parallel);
    const calls = ['x', 'x', '', 'x', 'x_2'].map((id) => ({ name: 'look', id }));
    const turn = await playTurn({ interpreter, tools: [tool], script: [{ calls }, done] });
    expect(new Set(ids).size).toBe(5);
    expect(ids[0]).toBe('x');
    expect(turn.results().map(({ callId }) => callId)).toEqual(ids);
  });

  test('case 11: three calls side by side, each ended by its whole call, are three calls', async () => {
    const names = ['a', 'b', 'c'];
    const ran: unknown[] = [];
    const tools = names.map((name) => toolOf(name, (args, { callId }) => void ran.push([callId, args])));
    const events = [
      { type: 'message.start' },
      ...names.map((name, index) => ({ type: 'toolInput.start', index, id: `id_${name}`, name })),
      ...['{"n"', ':1}'].flatMap((json) => names.map((_, index) => ({ type: 'toolInput.delta', index, json }))),
      ...names.map((name, index) => {
        const call = { type: 'toolCall', id: `id_${name}`, name, args: { n: 1 } };
        return { type: 'toolInput.end', index, call };
      }),
      { type: 'message.end', stopReason: 'toolUse' },
    ];
    const turn = await playTurn({ interpreter, tools, script: [{ events }, done] });
    expect(ran).toEqual(names.map((name) => [`id_${name}`, { n: 1 }]));
    const content = turn.all('assistant.settled')[0]?.message.content;
    expect(content).toEqual(names.map((name) => ({ type: 'toolCall', id: `id_${name}`, name, args: { n: 1 } })));
    expect(turn.results().map(({ callId }) => callId)).toEqual(['id_a', 'id_b', 'id_c']);
  });

  test('case 11: no id is twice in the next request, even from an adapter that made six calls of three', async () => {
    const tool = toolOf('look', () => 'seen', parallel);
    const calls = ['a', 'a', 'b', 'a', 'b', 'c'].map((id) => ({ name: 'look', id }));
    const turn = await playTurn({ interpreter, tools: [tool], script: [{ calls }, done] });
    const blocks = turn.requests[1]?.messages.flatMap(({ content }) => content) ?? [];
    const called = blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
    expect(new Set(called).size).toBe(6);
    expect(blocks.flatMap((block) => (block.type === 'toolResult' ? [block.callId] : []))).toEqual(called);
  });

  test('whose id is that of a service or of a prototype’s member are calls like any other', async () => {
    const ids = ['dispatchTools', 'toolCall:0', 'streamModel', '__proto__', 'constructor'];
    const calls = ids.map((id) => ({ name: 'look', id }));
    const turn = await playTurn({ interpreter, tools: [toolOf('look')], script: [{ calls }, done] });
    expect(turn.results().map(({ callId, status }) => `${callId} ${status}`)).toEqual(
      ids.map((id) => `${id} completed`),
    );
  });

  test('case 15: a call with an empty argument text has {}', async () => {
    const seen: unknown[] = [];
    const calls = [
      { name: 'look', rawArgs: '' },
      { name: 'look', rawArgs: '  ' },
    ];
    await playTurn({ interpreter, tools: [toolOf('look', (args) => void seen.push(args))], script: [{ calls }, done] });
    expect(seen).toEqual([{}, {}]);
  });

  test('to an unknown tool are answered with the names that are known', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('look'), toolOf('find')],
      script: [calling('lok', 'look'), done],
    });
    expect(turn.results().map(({ status }) => status)).toEqual(['unknownTool', 'completed']);
    expect(turn.lines()[3]).toBe('unknownTool: There is no tool named "lok". Known tools: look, find.');
  });

  test('to names of a prototype’s members are unknown', async () => {
    const turn = await playTurn({ interpreter, script: [calling('toString', '__proto__', 'constructor'), done] });
    expect(turn.results().map(({ status }) => status)).toEqual(['unknownTool', 'unknownTool', 'unknownTool']);
    expect(turn.lines()[4]).toContain('There are no tools.');
  });

  test('may be thousands: those that return at once do not grow the stack', async () => {
    const calls = Array.from({ length: 3000 }, (_, index) => ({ name: 'look', id: `c${index}` }));
    const turn = await playTurn({ interpreter: 'table', tools: [toolOf('look')], script: [{ calls }, done] });
    expect(turn.results()).toHaveLength(3000);
  });

  test('count as parallel or not by their own arguments', async () => {
    const tool = toolOf('go', () => 'ok', { isConcurrencySafe: (args) => (args as { safe?: boolean }).safe === true });
    const calls = [true, true, false, true].map((safe) => ({ name: 'go', args: { safe } }));
    const turn = await playTurn({ interpreter, tools: [tool], script: [{ calls }, done] });
    expect(turn.results()).toHaveLength(4);
  });
});

test.each(interpreters)(
  'a call keeps its result when a listener to it cancels and the host has no timer (%s)',
  async (interpreter) => {
    const host = simulatedHost();
    let hasTimer = true;
    const setTimeout: typeof host.setTimeout = (work, ms) => {
      if (hasTimer) return host.setTimeout(work, ms);
      hasTimer = true;
      throw new Error('no timer');
    };
    const bench = startOperative({
      interpreter,
      host: { ...host, setTimeout },
      tools: [toolOf('pay', async () => 'paid')],
      script: [calling('pay')],
    });
    let settled = 0;
    bench.operative.subscribe(({ type }) => {
      if (type !== 'toolCall.settled' || settled++ > 0) return;
      hasTimer = false;
      void bench.operative.cancel();
    });
    void bench.submit('A');
    await bench.rest();
    expect([settled, bench.lines().at(-1)]).toEqual([1, 'completed paid']);
    expect(bench.results()).toMatchObject([{ reason: 'failed', error: { code: 'turn.broken' } }]);
  },
);

describe.each(interpreters)('what a tool gets (%s)', (interpreter) => {
  test('its call, an idempotency key, the conversation, the turn context and one session for the run', async () => {
    const seen: unknown[] = [];
    const sessions = new Set<unknown>();
    const key = Symbol('count');
    const tool = toolOf('look', (_, context) => {
      sessions.add(context.session);
      const state = context.session.get(key, () => ({ calls: 0 }));
      seen.push([
        context.callId,
        context.idempotencyKey,
        context.turnContext,
        context.conversation === turn.conversation,
        ++state.calls,
      ]);
    });
    const turn: Turn = startTurn({
      interpreter,
      turnContext: 'me',
      tools: [tool],
      script: [{ calls: [{ name: 'look', id: 'c1' }] }, { calls: [{ name: 'look', id: 'c1' }] }, done],
    });
    await turn.end();
    const answers = turn.all('assistant.settled').map(({ message }) => message.id);
    expect(seen).toEqual([
      ['c1', `${answers[0]}/c1`, 'me', true, 1],
      ['c1', `${answers[1]}/c1`, 'me', true, 2],
    ]);
    expect(sessions.size).toBe(1);
  });

  test('progress is an event while the call runs, and nothing afterwards', async () => {
    let report: (update: string) => void = () => undefined;
    const tool = toolOf('look', (_, { progress }) => {
      progress('half');
      report = progress;
    });
    const turn = startTurn({ interpreter, tools: [tool], script: [calling('look'), { text: 'x', delayMs: 5 }] });
    await turn.host.settle();
    report('late');
    await turn.end(5);
    expect(turn.all('toolCall.progress')).toEqual([{ type: 'toolCall.progress', callId: 'call_1', update: 'half' }]);
  });

  test('the time it took is in the event that settles it', async () => {
    const tool = toolOf('slow', () => new Promise((resolve) => turn.host.setTimeout(() => resolve('ok'), 40)));
    const turn: Turn = startTurn({ interpreter, tools: [tool], script: [calling('slow'), done] });
    await turn.end(40);
    expect(turn.all('toolCall.settled')).toMatchObject([{ durationMs: 40 }]);
  });

  test('a context copied with a spread keeps its signal', async () => {
    let copy: { signal: AbortSignal } | undefined;
    const tool = toolOf('look', (_, context) => void (copy = { ...context }));
    await playTurn({ interpreter, tools: [tool], script: [calling('look'), done] });
    expect(copy?.signal).toBeInstanceOf(AbortSignal);
  });

  test('the signal it was given keeps its state when it is read after the call', async () => {
    let context: { signal: AbortSignal } | undefined;
    let given: AbortSignal | undefined;
    const tool = toolOf('look', (_, its) => void ((context = its), (given = its.signal)));
    await playTurn({ interpreter, tools: [tool], script: [calling('look'), done] });
    expect([context?.signal === given, given?.aborted]).toEqual([true, false]);
  });

  test('a signal that is first asked for after the call is aborted', async () => {
    let context: { signal: AbortSignal } | undefined;
    const tool = toolOf('look', (_, its) => void (context = its));
    await playTurn({ interpreter, tools: [tool], script: [calling('look'), done] });
    expect(context?.signal.aborted).toBe(true);
  });
});
