// What throws when a call is under way already: nobody catches a throw in the callback of a promise or a timer, so it
// must end the call or the turn by itself.

import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/contracts/host.ts';
import type { Tool } from '../../src/contracts/tool.ts';
import { toolCallMachine } from '../../src/machines/tool-call.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost, verifyTranscript, type SimulatedHost } from '../../src/testing/index.ts';
import {
  deferred,
  interpreters,
  never,
  startTurn,
  toolOf,
  type Interpreter,
  type Turn,
} from '../runtime/turn-bench.ts';

const script = [{ calls: [{ name: 'first' }, { name: 'second' }] }, { text: 'ok' }];

/** A turn of two calls, of which the second begins when the promise of the first has settled. */
function twoCalls(
  interpreter: Interpreter,
  second: Partial<Omit<Tool, 'name' | 'execute'>>,
  more: Omit<Parameters<typeof startTurn>[0], 'tools' | 'script'> = {},
): Turn {
  const tools = [toolOf('first', async () => 'one'), toolOf('second', async () => 'two', second)];
  return startTurn({ script, interpreter, tools, ...more });
}

const statuses = (turn: Turn) => turn.results().map(({ status }) => status);

/** A host of which one function throws from when the test says so. */
function breakingHost(name: 'now' | 'setTimeout' | 'clearTimeout' | 'createId', from: SimulatedHost = simulatedHost()) {
  const state = { isBroken: false };
  const broken = (...args: unknown[]): unknown => {
    if (state.isBroken) throw new Error('the host broke');
    return Reflect.apply(from[name], from, args);
  };
  return { state, host: { ...from, [name]: broken } as SimulatedHost };
}

function throwing(message: string): never {
  throw new Error(message);
}

describe.each(interpreters)('in a later call of a message (%s)', (interpreter) => {
  test.each<[string, () => unknown]>([
    ['whose message is no string', () => ({ ok: false, message: Object.create(null) as unknown })],
    [
      'that throws when it is read',
      () => ({
        get ok() {
          return throwing('trap');
        },
      }),
    ],
    ['that is nothing', () => null],
  ])('an answer of parse %s makes the arguments invalid', async (_title, parse) => {
    const turn = twoCalls(interpreter, { parse: parse as Tool['parse'] });
    const { reason } = await turn.end();
    expect({ reason, statuses: statuses(turn) }).toEqual({
      reason: 'completed',
      statuses: ['completed', 'invalidArguments'],
    });
  });

  test.each([Symbol('odd'), null, '5', {}])(
    'a timeoutFor that gives %s is told and the usual limit holds',
    async (odd) => {
      const told: unknown[] = [];
      const turn = twoCalls(
        interpreter,
        {},
        {
          steps: { timeoutFor: ({ name }) => (name === 'second' ? (odd as never) : undefined) },
          onListenerError: (error) => told.push(String(error)),
        },
      );
      await turn.end();
      expect(statuses(turn)).toEqual(['completed', 'completed']);
      expect(told).toEqual([expect.stringContaining('The step "timeoutFor" must return a number of milliseconds')]);
    },
  );

  test('a time limit of a tool that is not a number counts as none', async () => {
    const turn = twoCalls(interpreter, { timeoutMs: Symbol('odd') as never });
    await turn.end();
    expect(statuses(turn)).toEqual(['completed', 'completed']);
  });

  test.each(['isInvalid', 'asks', 'isError', 'isBackgrounded'] as const)(
    'a replaced guard %s that throws fails the call',
    async (name) => {
      let asked = 0;
      const guard = () => (asked++ === 1 ? throwing('odd guard') : false);
      const toolCall = toolCallMachine.provide({ guards: { [name]: guard } });
      const turn = twoCalls(interpreter, {}, { charts: { toolCall } });
      expect(await turn.end()).toMatchObject({ reason: 'completed' });
      expect(turn.results()).toMatchObject([
        { status: 'completed' },
        { status: 'failed', content: [{ text: expect.stringContaining('odd guard') }] },
      ]);
    },
  );

  test('a field of a tool that throws when it is read ends the turn, and what ran keeps its result', async () => {
    const second = Object.defineProperty({}, 'needsApproval', { get: () => throwing('no field'), enumerable: true });
    const tool = toolOf('second');
    const trap = Object.create(tool, Object.getOwnPropertyDescriptors(second)) as Tool;
    const tools = [toolOf('first', async () => 'one'), trap];
    const turn = startTurn({ script: script.slice(0, 1), interpreter, tools, approve: () => ({ allow: true }) });
    expect(await turn.end()).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(statuses(turn)).toEqual(['completed', 'notStarted']);
  });
});

describe.each(interpreters)('a host that breaks while tools run (%s)', (interpreter) => {
  test.each(['now', 'setTimeout'] as const)('in %s ends the turn and says what may have run', async (name) => {
    const gate = deferred<string>();
    const { state, host } = breakingHost(name);
    const tools = [toolOf('first', () => gate.promise), toolOf('second')];
    const turn = startTurn({ script: script.slice(0, 1), interpreter, tools, host, toolTimeoutMs: 1_000 });
    await host.settle();
    state.isBroken = true;
    gate.resolve('one');
    expect(await turn.end()).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(statuses(turn)).toEqual(name === 'now' ? ['interrupted', 'notStarted'] : ['completed', 'interrupted']);
  });

  test('in clearTimeout costs nothing', async () => {
    const { state, host } = breakingHost('clearTimeout');
    const turn = twoCalls(interpreter, {}, { host, toolTimeoutMs: 1_000 });
    state.isBroken = true;
    expect(await turn.end(200_000)).toMatchObject({ reason: 'completed' }); // with the timers that could not be cleared
    expect(statuses(turn)).toEqual(['completed', 'completed']);
  });

  test('when a time limit fires ends the turn', async () => {
    const { state, host } = breakingHost('now');
    const turn = startTurn({
      script: script.slice(0, 1),
      interpreter,
      tools: [toolOf('first', () => never()), toolOf('second')],
      host,
      toolTimeoutMs: 1_000,
    });
    await host.settle();
    state.isBroken = true;
    expect(await turn.end(1_000)).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(statuses(turn)).toEqual(['interrupted', 'notStarted']);
  });

  test.each(['at the cancel', 'when the grace time ends'])('in its clock %s ends the turn', async (when) => {
    const { state, host } = breakingHost('now');
    const turn = startTurn({
      script: script.slice(0, 1),
      interpreter,
      tools: [toolOf('first', () => never()), toolOf('second')],
      host,
    });
    await host.settle();
    if (when === 'at the cancel') state.isBroken = true;
    void turn.run.cancel({ graceMs: 100 });
    state.isBroken = true;
    expect(await turn.end(100)).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(statuses(turn)).toEqual(['interrupted', 'notStarted']);
  });

  test('in createId leaves no call without a result', async () => {
    const { state, host } = breakingHost('createId');
    const tools = [
      toolOf('first', async () => {
        state.isBroken = true;
        return 'one';
      }),
      toolOf('second'),
    ];
    const turn = startTurn({ script: script.slice(0, 1), interpreter, tools, host });
    expect(await turn.end()).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(statuses(turn)).toEqual(['completed', 'completed']);
  });

  test.each([undefined, '', 7])('of which createId gives %s is like one that throws', async (odd) => {
    const from = simulatedHost();
    let isBroken = false;
    const host = {
      ...from,
      createId: (kind: Parameters<Host['createId']>[0]) => (isBroken ? odd : from.createId(kind)),
    };
    const tools = [
      toolOf('first', async () => {
        isBroken = true;
        return 'one';
      }),
      toolOf('second'),
    ];
    const turn = startTurn({ script: script.slice(0, 1), interpreter, tools, host: host as SimulatedHost });
    expect(await turn.end()).toMatchObject({ reason: 'failed', error: { code: 'options.invalid' } });
    expect(statuses(turn)).toEqual(['completed', 'completed']);
  });

  test('whose clock goes back while it is read gives tools no longer than their grace time', async () => {
    const from = simulatedHost({ startAt: 1e9 });
    let back = 0;
    const host = { ...from, now: () => from.now() - (back === 0 ? 0 : (back += 3_600_000)) };
    const turn = startTurn({
      script: script.slice(0, 1),
      interpreter,
      tools: [toolOf('first', () => never()), toolOf('second')],
      host,
    });
    await host.settle();
    back = 1;
    void turn.run.cancel({ graceMs: 100 });
    expect(await turn.end(100)).toMatchObject({ reason: 'aborted' });
  });

  test('whose clock is set back makes no negative duration', async () => {
    const from = simulatedHost({ startAt: 10_000 });
    let back = 0;
    const host = { ...from, now: () => from.now() - back };
    const tools = [
      toolOf('first', async () => {
        back = 5_000;
        return 'one';
      }),
      toolOf('second'),
    ];
    const turn = startTurn({ script, interpreter, tools, host });
    await turn.end();
    expect(turn.all('toolCall.settled').map(({ durationMs }) => durationMs)).toEqual([0, 0]);
  });
});

test('an operative whose turn broke in a later call can be cancelled and closed', async () => {
  const { state, host } = breakingHost('now');
  const first = toolOf('first', async () => {
    state.isBroken = true;
    return 'one';
  });
  const engine = createEngine({ model: scriptedModel(script), tools: [first, toolOf('second')], host: host as Host });
  const operative = createOperative({ engine });
  await operative.submit('go');
  await host.settle();
  state.isBroken = false;
  expect(await operative.cancel({ graceMs: 0 })).toBeUndefined();
  await operative.close();
  verifyTranscript(operative.conversation);
});
