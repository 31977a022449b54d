import { describe, expect, test } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { flatten, readChart } from '../../src/inspect/chart-config.ts';
import { inspectorMessage } from '../../src/inspect/inspector-message.ts';
import { mermaidOf } from '../../src/inspect/index.ts';
import { operativeMachine, toolCallMachine, turnMachine } from '../../src/embedding/index.ts';

const foreign = setup({
  guards: { mayOpen: () => true },
  actions: { creak: () => undefined },
  actors: { light: fromPromise(() => Promise.resolve()) },
}).createMachine({
  id: 'door',
  initial: 'shut',
  on: { RESET: '.shut' },
  states: {
    shut: { on: { OPEN: [{ guard: 'mayOpen', target: 'open.ajar' }, { actions: 'creak' }] }, after: { 500: 'open' } },
    open: {
      id: 'wide',
      type: 'parallel',
      invoke: { src: 'light' },
      onDone: 'shut',
      states: {
        ajar: { initial: 'a', states: { a: { always: '#door.shut' } } },
        lit: { on: { '*': { target: '#wide.ajar' } } },
      },
    },
  },
});

describe('readChart', () => {
  const chart = readChart(foreign.config);
  const transitions = [...chart.transitions, ...flatten(chart.states).flatMap((state) => state.transitions)];

  test('finds the states of any machine', () => {
    expect(flatten(chart.states).map(({ key }) => key)).toEqual([
      'shut',
      'open',
      'open.ajar',
      'open.ajar.a',
      'open.lit',
    ]);
    expect(chart.states[1]).toMatchObject({ isParallel: true, services: ['light'] });
  });

  test('finds what leads where: events, delays, ends and what needs no event', () => {
    expect(transitions.map(({ from, event, guard, target }) => [from, event, guard, target])).toEqual([
      ['', 'RESET', undefined, 'shut'],
      ['shut', 'OPEN', 'mayOpen', 'open.ajar'],
      ['shut', 'OPEN', undefined, undefined],
      ['shut', 'after 500', undefined, 'open'],
      ['open', 'done', undefined, 'shut'],
      ['open.ajar.a', 'always', undefined, 'shut'],
      ['open.lit', '*', undefined, 'open.ajar'],
    ]);
  });

  test.each([
    undefined,
    null,
    5,
    'x',
    [],
    {},
    { states: 7 },
    { states: { a: null, b: { on: 3, invoke: 'x', states: [] } } },
  ])('takes %j as a chart without what cannot be read', (config) => {
    expect(flatten(readChart(config).states).every(({ transitions: none }) => none.length === 0)).toBe(true);
  });

  test('stops in a chart that nobody could look at', () => {
    const states = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`s${n}`, {}]));
    let deep: object = {};
    for (let n = 0; n < 1_000; n++) deep = { states: { s: deep } };
    expect(flatten(readChart({ states }).states)).toHaveLength(400);
    expect(flatten(readChart(deep).states)).toHaveLength(12);
  });

  test.each([operativeMachine, turnMachine, toolCallMachine])('finds every target of $id', (machine) => {
    const states = flatten(readChart(machine.config).states);
    const keys = new Set(states.map(({ key }) => key));
    const targets = states.flatMap((state) => state.transitions).flatMap(({ target }) => target ?? []);
    expect(targets.filter((target) => !keys.has(target))).toEqual([]);
  });

  test('reads the same from the definition an inspector gets', () => {
    const message = inspectorMessage(
      { type: '@xstate.actor', rootId: 'x', actorRef: { id: 'turn', sessionId: 'x', logic: turnMachine } },
      0,
    );
    const definition: unknown = JSON.parse(message?.type === '@xstate.actor' ? message.definition : '');
    expect(readChart(definition)).toEqual(readChart(turnMachine.config));
  });
});

describe('mermaidOf', () => {
  test('draws a machine', () => {
    expect(mermaidOf(toolCallMachine).split('\n').slice(0, 2)).toEqual(['stateDiagram-v2', '  [*] --> validating']);
    expect(mermaidOf(toolCallMachine)).toContain('running --> completed : tool.settled');
  });
});
