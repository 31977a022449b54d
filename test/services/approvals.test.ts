import { describe, expect, test } from 'vitest';
import type { Approval, Approve } from '../../src/contracts/engine.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import {
  deferred,
  interpreters,
  never,
  playTurn,
  startTurn,
  toolOf,
  type Turn,
  type TurnSetup,
  withoutThen,
} from '../runtime/turn-bench.ts';

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });
const done = { text: 'done' };
const yes = { allow: true } as const;

describe.each(interpreters)('approvals (%s)', (interpreter) => {
  const play = (approve: Approve, more: Omit<TurnSetup, 'script'> = {}, script = [calling('act'), done]) =>
    playTurn({ interpreter, approve, tools: [toolOf('act')], ...more, script });
  const result = (turn: Turn) => turn.lines().find((line) => /^[a-zA-Z]+: (?!go|done)/.test(line));

  test('an answer at once is not an event', async () => {
    const asked: unknown[] = [];
    const turn = await play(({ call, tool, args }) => {
      asked.push([call.name, tool.name, args]);
      return yes;
    });
    expect(asked).toEqual([['act', 'act', {}]]);
    expect(turn.has('toolCall.awaitingApproval')).toBe(false);
    expect(result(turn)).toBe('completed: act done');
  });

  test('an answer that is pending is one event, and the call waits for it', async () => {
    const gate = deferred<Approval>();
    const turn = startTurn({
      interpreter,
      approve: () => gate.promise,
      tools: [toolOf('act')],
      script: [calling('act'), done],
    });
    await turn.host.settle();
    expect(turn.all('toolCall.awaitingApproval')).toMatchObject([{ call: { name: 'act' } }]);
    expect(turn.has('toolCall.started')).toBe(false);
    gate.resolve(yes);
    await turn.end();
    expect(result(turn)).toBe('completed: act done');
  });

  test.each<[string, Approve]>([
    ['sync', () => ({ allow: false, message: 'not today' })],
    ['async', () => Promise.resolve({ allow: false, message: 'not today' })],
    [
      'throw',
      () => {
        throw new Error('not today');
      },
    ],
    ['rejection', () => Promise.reject(new Error('not today'))],
  ])('a no is a denied result with its reason (%s)', async (_how, approve) => {
    const turn = await play(approve);
    expect(result(turn)).toMatch(/^denied: .*not today/);
    expect(turn.result.reason).toBe('completed');
    expect(turn.has('toolCall.started')).toBe(false);
  });

  const hostile = () => ({
    get allow(): boolean {
      throw new Error('no answer');
    },
  });
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['true', true],
    ['a string', 'yes'],
    ['allow as a string', { allow: 'yes' }],
    ['a throwing getter', hostile()],
    ['a promise of a throwing getter', Promise.resolve(hostile())],
    ['a throwing then', withoutThen()],
  ])('what is not a yes is a denial: %s', async (_what, answer) => {
    const turn = await play(() => answer as Approval);
    expect(turn.results().map(({ status }) => status)).toEqual(['denied']);
  });

  const strict = (seen: unknown[]) =>
    defineTool({
      name: 'act',
      description: 'acts',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      execute: (args) => void seen.push(args),
    });
  const withArgs = [{ calls: [{ name: 'act', args: { n: 1 } }] }, done];

  test('changed arguments are what the tool gets', async () => {
    const seen: unknown[] = [];
    await playTurn({
      interpreter,
      approve: () => ({ allow: true, args: { n: 2 } }),
      tools: [strict(seen)],
      script: withArgs,
    });
    expect(seen).toEqual([{ n: 2 }]);
  });

  test.each(['sync', 'async'])('changed arguments are checked again (%s)', async (how) => {
    const seen: unknown[] = [];
    const answer = { allow: true, args: { n: 'two' } } as const;
    const turn = await playTurn({
      interpreter,
      approve: () => (how === 'sync' ? answer : Promise.resolve(answer)),
      tools: [strict(seen)],
      script: withArgs,
    });
    expect(turn.results().map(({ status }) => status)).toEqual(['invalidArguments']);
    expect(seen).toEqual([]);
  });

  test('invalid arguments, unknown tools and cut calls are not asked about', async () => {
    let asked = 0;
    const approve = () => {
      asked++;
      return yes;
    };
    const calls = [{ name: 'act', args: {} }, { name: 'nothing' }];
    const script = [{ calls }, { calls: [{ name: 'act', args: { n: 1 } }], stopReason: 'maxTokens' as const }, done];
    await playTurn({ interpreter, approve, tools: [strict([])], script });
    expect(asked).toBe(0);
  });

  test('a tool that says needsApproval: false is not asked about', async () => {
    const turn = await play(() => ({ allow: false, message: 'no' }), {
      tools: [toolOf('act', () => 'ran', { needsApproval: false })],
    });
    expect(result(turn)).toBe('completed: ran');
  });

  test('needsApproval may depend on the arguments', async () => {
    const tool = toolOf('act', () => 'ran', { needsApproval: (args) => (args as { risky?: boolean }).risky === true });
    const calls = [{ name: 'act' }, { name: 'act', args: { risky: true } }];
    const turn = await playTurn({
      interpreter,
      approve: () => ({ allow: false, message: 'no' }),
      tools: [tool],
      script: [{ calls }, done],
    });
    expect(turn.results().map(({ status }) => status)).toEqual(['completed', 'denied']);
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('unsure');
      },
    ],
    ['returns undefined', () => undefined],
    ['returns a promise of false', () => Promise.resolve(false)],
    ['returns 1', () => 1],
  ])('a needsApproval that %s asks', async (_what, needsApproval) => {
    let asked = 0;
    await play(
      () => {
        asked++;
        return yes;
      },
      { tools: [toolOf('act', () => 'ran', { needsApproval: needsApproval as () => boolean })] },
    );
    expect(asked).toBe(1);
  });

  test('without approve nothing is asked, whatever the tool says', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('act', () => 'ran', { needsApproval: true })],
      script: [calling('act'), done],
    });
    expect(result(turn)).toBe('completed: ran');
  });

  test.each(['sync', 'async'])('the preview is part of the question and of the event (%s)', async (how) => {
    const previews: unknown[] = [];
    const preview = () => (how === 'sync' ? { diff: '+1' } : Promise.resolve({ diff: '+1' }));
    const turn = await play(
      async (request) => {
        previews.push(request.preview);
        return yes;
      },
      { tools: [toolOf('act', () => 'ran', { preview })] },
    );
    expect(previews).toEqual([{ diff: '+1' }]);
    expect(turn.all('toolCall.awaitingApproval')).toMatchObject([{ preview: { diff: '+1' } }]);
  });

  test.each<[string, () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('no view');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no view'))],
  ])('a preview that %s denies the call', async (_how, preview) => {
    const turn = await play(() => yes, { tools: [toolOf('act', () => 'ran', { preview })] });
    expect(result(turn)).toMatch(/^denied: .*no view/);
  });

  test('questions of parallel calls are open together, and each answer starts its own call', async () => {
    const gates = new Map([
      ['a', deferred<Approval>()],
      ['b', deferred<Approval>()],
    ]);
    const turn = startTurn({
      interpreter,
      approve: ({ call }) => gates.get(call.name)?.promise ?? yes,
      tools: ['a', 'b'].map((name) => toolOf(name, undefined, { isConcurrencySafe: true })),
      script: [calling('a', 'b'), done],
    });
    await turn.host.settle();
    expect(turn.all('toolCall.awaitingApproval')).toHaveLength(2);
    gates.get('b')?.resolve(yes);
    await turn.host.settle();
    expect(turn.all('toolCall.settled').map(({ call }) => call.name)).toEqual(['b']);
    gates.get('a')?.resolve({ allow: false, message: 'no' });
    await turn.end();
    expect(turn.results().map(({ status }) => status)).toEqual(['denied', 'completed']);
  });

  test('it gets the signal, the turn context and the session', async () => {
    const seen: unknown[] = [];
    await play(
      (_, { signal, turnContext, session }) => {
        seen.push(signal.aborted, turnContext, typeof session.id);
        return yes;
      },
      { turnContext: 'me' },
    );
    expect(seen).toEqual([false, 'me', 'string']);
  });

  describe('a cancel while somebody is asked', () => {
    async function cancelled(approve: Approve) {
      const turn = startTurn({ interpreter, approve, tools: [toolOf('act')], script: [calling('act')] });
      await turn.host.settle();
      void turn.run.cancel();
      return turn;
    }

    test('ends the turn at once with a call that was not started, though the question never settles', async () => {
      const signals: AbortSignal[] = [];
      const turn = await cancelled((_, { signal }) => {
        signals.push(signal);
        return never();
      });
      expect((await turn.end()).reason).toBe('aborted');
      expect(turn.results().map(({ status }) => status)).toEqual(['notStarted']);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    });

    test('a yes that comes afterwards starts nothing', async () => {
      const gate = deferred<Approval>();
      const turn = await cancelled(() => gate.promise);
      gate.resolve(yes);
      await turn.end();
      expect(turn.has('toolCall.started')).toBe(false);
    });

    test('a rejection that comes afterwards is swallowed', async () => {
      const gate = deferred<Approval>();
      const turn = await cancelled(() => gate.promise);
      gate.reject(new Error('late'));
      await turn.end();
      expect(turn.results().map(({ status }) => status)).toEqual(['notStarted']);
    });

    test('a preview that never settles does not hold it up, and nobody is asked', async () => {
      let asked = 0;
      const preview = () => never();
      const turn = startTurn({
        interpreter,
        approve: () => {
          asked++;
          return yes;
        },
        tools: [toolOf('act', () => 'ran', { preview })],
        script: [calling('act')],
      });
      await turn.host.settle();
      void turn.run.cancel();
      await turn.end();
      expect(asked).toBe(0);
      expect(turn.results().map(({ status }) => status)).toEqual(['notStarted']);
    });

    test('running siblings still have their grace time', async () => {
      const gate = deferred<string>();
      const turn = startTurn({
        interpreter,
        approve: ({ call }) => (call.name === 'ask' ? never() : yes),
        tools: [
          toolOf('run', () => gate.promise, { isConcurrencySafe: true }),
          toolOf('ask', undefined, { isConcurrencySafe: true }),
        ],
        script: [calling('run', 'ask')],
      });
      await turn.host.settle();
      void turn.run.cancel();
      await turn.host.advance(100);
      gate.resolve('in time');
      await turn.end();
      expect(turn.results().map(({ status }) => status)).toEqual(['completed', 'notStarted']);
    });
  });
});
