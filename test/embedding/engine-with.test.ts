import { log } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { EngineOptions } from '../../src/contracts/engine.ts';
import { ModelError } from '../../src/contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../../src/contracts/events.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage } from '../../src/conversation/message.ts';
import {
  engineWith,
  serviceLogic,
  toolCallMachine,
  turnMachine,
  turnOf,
  turnServices,
  type EngineCharts,
  type TurnFacts,
  type TurnScope,
} from '../../src/embedding/index.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import {
  scriptedModel,
  simulatedHost,
  verifyEvents,
  verifyTranscript,
  type ScriptedStepSource,
} from '../../src/testing/index.ts';
import { toolOf } from '../runtime/turn-bench.ts';
import { linesOf } from '../runtime/operative/operative-bench.ts';

const lost = new ModelError('model.connection', 'lost', { retryable: true });

/** Where a turn can run: bare or under an operative, watched or not. */
const places = [
  ['a bare run', false, false],
  ['a bare run with inspect', false, true],
  ['an operative', true, false],
  ['an operative with inspect', true, true],
] as const;

interface Played {
  readonly conversation: Conversation;
  readonly events: OperativeEvent[];
  readonly result: TurnResult | undefined;
  readonly lines: string[];
}

async function play(
  [, withOperative, isInspected]: (typeof places)[number],
  charts: EngineCharts,
  script: readonly ScriptedStepSource[],
  more: Partial<EngineOptions> = {},
): Promise<Played> {
  const host = simulatedHost();
  const model = scriptedModel(script, { host });
  const inspect = isInspected ? { inspect: () => undefined } : {};
  const engine = engineWith({ transformers: [], model, host, tools: [toolOf('look')], ...inspect, ...more }, charts);
  const conversation = createConversation();
  const events: OperativeEvent[] = [];
  if (withOperative) {
    const operative = createOperative({ engine, conversation });
    operative.subscribe((event) => events.push(event));
    await operative.submit('A');
    await host.settle();
    await operative.close();
  } else {
    conversation.messages.push(userMessage('A'));
    const run = engine.run(conversation);
    void (async () => {
      for await (const event of run) events.push(event);
    })();
    await host.settle();
  }
  verifyTranscript(conversation);
  model.verify();
  const end = events.find((event) => event.type === 'turn.completed');
  return { conversation, events, result: end, lines: linesOf(conversation.messages) };
}

describe.each(places.map((place) => [place[0], place] as const))('engineWith in %s', (_name, place) => {
  test('replaces delay: retries without waiting', async () => {
    const delay = serviceLogic<TurnScope, TurnFacts>((scope, service) => {
      service.settle(turnOf(scope).facts('settled'));
      return undefined;
    });
    const { result, events } = await play(place, { turn: turnMachine.provide({ actors: { delay } }) }, [
      { throw: lost },
      { throw: lost },
      { text: 'Hi' },
    ]);
    expect(result?.reason).toBe('completed');
    expect(events.filter(({ type }) => type === 'stream.retrying')).toHaveLength(2);
    verifyEvents(events);
  });

  test('adds to dispatchTools and hands on to ours', async () => {
    const batches: number[] = [];
    const dispatchTools = serviceLogic<TurnScope, TurnFacts>((scope, service) => {
      batches.push(turnOf(scope).calls.length);
      return turnServices.dispatchTools.begin(scope, service);
    });
    const { events, lines } = await play(place, { turn: turnMachine.provide({ actors: { dispatchTools } }) }, [
      { calls: [{ name: 'look' }, { name: 'look' }] },
      { text: 'Hi' },
    ]);
    expect(batches).toEqual([2]);
    expect(lines.slice(1)).toEqual([
      'call look',
      'call look',
      'completed look done',
      'completed look done',
      'assistant Hi',
    ]);
    verifyEvents(events);
  });

  test('replaces dispatchTools: every call is answered without running it', async () => {
    const dispatchTools = serviceLogic<TurnScope, TurnFacts>((scope, service) => {
      const turn = turnOf(scope);
      const results = turn.calls.map(
        ({ id }) => ({ type: 'toolResult', callId: id, status: 'denied', content: [] }) as const,
      );
      for (const [index, call] of turn.calls.entries()) {
        const result = results[index];
        if (result !== undefined) turn.events.push({ type: 'toolCall.settled', call, result, durationMs: 0 });
      }
      turn.settleResults(results);
      service.settle(turn.facts('settled'));
      return undefined;
    });
    const { events, lines } = await play(place, { turn: turnMachine.provide({ actors: { dispatchTools } }) }, [
      { calls: [{ name: 'look' }] },
      { text: 'Hi' },
    ]);
    expect(lines.slice(1)).toEqual(['call look', 'denied', 'assistant Hi']);
    verifyEvents(events);
  });

  test('replaces streamModel: a canned answer without a model', async () => {
    const streamModel = serviceLogic<TurnScope, TurnFacts>((scope, service) => {
      const turn = turnOf(scope);
      turn.settleAnswer(assistantMessage(`canned ${turn.iteration}`), 'endTurn');
      service.settle(turn.facts('answered'));
      return undefined;
    });
    const { result, lines } = await play(place, { turn: turnMachine.provide({ actors: { streamModel } }) }, []);
    expect(lines).toEqual(['user A', 'assistant canned 1']);
    expect(result).toMatchObject({ reason: 'completed', iterations: 1 });
  });

  test('a service that throws ends the turn as failed', async () => {
    const streamModel = serviceLogic<TurnScope, TurnFacts>(() => {
      throw new Error('bad service');
    });
    const { result } = await play(place, { turn: turnMachine.provide({ actors: { streamModel } }) }, []);
    expect(result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
  });

  test('an action that throws ends the turn as failed, with a valid transcript', async () => {
    const fail = () => {
      throw new Error('bad action');
    };
    const turn = turnMachine.provide({ actions: { seal: fail } });
    const { result, lines, events } = await play(place, { turn }, [{ text: 'Hi' }]);
    expect(result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
    expect(lines).toEqual(['user A', 'assistant Hi']);
    expect(events.at(-1)?.type).toBe(place[1] ? 'operative.closed' : 'turn.completed');
  });

  test('replaces a guard of the turn: nothing is ever retried', async () => {
    const turn = turnMachine.provide({ guards: { retries: () => false, gaveUp: () => true } });
    const { result } = await play(place, { turn }, [{ throw: lost }]);
    expect(result?.reason).toBe('failed');
  });

  test('replaces an action of the turn', async () => {
    const iterations: number[] = [];
    const turn = turnMachine.provide({
      actions: {
        beginIteration: ({ context }) => {
          context.scope.beginIteration();
          iterations.push(turnOf(context.scope).iteration);
        },
      },
    });
    await play(place, { turn }, [{ calls: [{ name: 'look' }] }, { text: 'Hi' }]);
    expect(iterations).toEqual([1, 2]);
  });

  test('replaces a guard of a tool call: nobody is asked', async () => {
    const toolCall = toolCallMachine.provide({ guards: { asks: () => false } });
    const { lines } = await play(place, { toolCall }, [{ calls: [{ name: 'look' }] }, { text: 'Hi' }], {
      approve: () => ({ allow: false, message: 'no' }),
    });
    expect(lines[2]).toBe('completed look done');
  });

  test('without charts is createEngine', async () => {
    const { lines } = await play(place, {}, [{ calls: [{ name: 'look' }] }, { text: 'Hi' }]);
    expect(lines).toEqual(['user A', 'call look', 'completed look done', 'assistant Hi']);
  });
});

test('an operative that is given a function runs each turn on the charts of the engine it gets', async () => {
  const host = simulatedHost();
  const iterations: number[] = [];
  const turn = turnMachine.provide({
    actions: {
      beginIteration: ({ context }) => {
        context.scope.beginIteration();
        iterations.push(turnOf(context.scope).iteration);
      },
    },
  });
  const options = { transformers: [], model: scriptedModel(() => ({ text: 'Hi' }), { host }), host };
  for (const inspect of [undefined, () => undefined]) {
    const operative = createOperative({
      engine: () => engineWith(options, { turn }),
      ...(inspect === undefined ? {} : { inspect }),
    });
    await operative.submit('A');
    await host.settle();
    await operative.close();
  }
  expect(iterations).toEqual([1, 1]);
});

test.each([false, true])(
  'a turn that dies of a preempt leaves the preempt as a late message (inspected: %s)',
  async (isInspected) => {
    const host = simulatedHost();
    const turn = turnMachine.provide({
      actions: {
        interruptTools: () => {
          throw new Error('bad action');
        },
      },
    });
    const tools = [toolOf('deaf', () => new Promise(() => undefined))];
    const model = scriptedModel([{ calls: [{ name: 'deaf' }] }, { text: 'Hi' }], { host });
    const operative = createOperative({
      engine: engineWith({ transformers: [], model, host, tools }, { turn }),
      ...(isInspected ? { inspect: () => undefined } : {}),
    });
    await operative.submit('A');
    await host.settle();
    const preempt = await operative.submit('P', { policy: 'preempt' });
    await host.settle();
    expect([preempt.outcome, await preempt.delivery]).toEqual(['queued', { status: 'queued' }]);
    verifyTranscript(operative.conversation);
    expect((await operative.resume()).outcome).toBe('startedTurn');
    await host.settle();
    expect(linesOf(operative.conversation.messages).slice(-2)).toEqual(['user P', 'assistant Hi']);
    await operative.close();
  },
);

test('an action of XState’s own is refused when the engine is made', () => {
  const turn = turnMachine.provide({ actions: { land: log('landed') } });
  expect(() => engineWith({ model: scriptedModel([]) }, { turn })).toThrow(/land/);
});

test('turnOf throws engine.foreign on a scope of somebody else', () => {
  expect(() => turnOf({} as TurnScope)).toThrow(expect.objectContaining({ code: 'engine.foreign' }));
});

test('one engine’s charts leave another’s alone', async () => {
  const turn = turnMachine.provide({ guards: { gaveUp: () => true, retries: () => false } });
  engineWith({ model: scriptedModel([]) }, { turn });
  const { result } = await play(places[0], {}, [{ text: 'Hi' }]);
  expect(result?.reason).toBe('completed');
});
