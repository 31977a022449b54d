import { describe, expect, test } from 'vitest';
import {
  chooseTransition,
  defaultEntry,
  tableOf,
  type ReadableChart,
  type TableNode,
} from '../../src/machines/chart-table.ts';
import { operativeChart } from '../../src/machines/operative.ts';
import { toolCallChart } from '../../src/machines/tool-call.ts';
import { turnChart } from '../../src/machines/turn.ts';

const nothing = () => undefined;
const chartOf = (config: object, more: Partial<ReadableChart> = {}): ReadableChart => ({
  id: 'chart',
  config: { id: 'chart', ...config },
  implementations: {
    guards: { yes: () => true, odd: ({ event }: { event: object }) => Reflect.get(event, 'n') },
    actions: { act: nothing },
  },
  ...more,
});
const names = (nodes: readonly TableNode[]) => nodes.map(({ name }) => name);
const leafOf = (chart: ReadableChart): TableNode => {
  const leaf = tableOf(chart).initial.at(-1);
  if (leaf === undefined) throw new Error('no initial state');
  return leaf;
};
const choose = (chart: ReadableChart, event: { readonly type: string }) =>
  chooseTransition(leafOf(chart), { context: undefined, event });

const nested = chartOf({
  initial: 'outer',
  on: { leave: '.other' },
  states: {
    outer: {
      initial: 'inner',
      entry: 'act',
      on: {
        same: { target: 'outer' },
        again: { target: 'outer', reenter: true },
        go: 'other',
        stay: { actions: 'act' },
      },
      states: {
        inner: { on: { go: [{ guard: 'odd', target: 'beside' }], up: '#chart.other', down: '#chart.outer.beside' } },
        beside: {},
      },
    },
    other: { initial: 'deep', states: { deep: { initial: 'deeper', states: { deeper: {} } } } },
  },
});

describe('a chart as a table', () => {
  test('begins in the default leaf, whose value is as XState writes it', () => {
    const { initial } = tableOf(nested);
    expect(names(initial)).toEqual(['outer', 'inner']);
    expect(initial.at(-1)?.value).toEqual({ outer: 'inner' });
  });

  test('a leaf’s own transitions come before those of the states around it', () => {
    expect(choose(nested, { type: 'go', n: 1 } as { type: string })?.target.name).toBe('beside');
    expect(choose(nested, { type: 'go' })?.target.name).toBe('deeper');
  });

  test.each<[string, string[], string[], unknown]>([
    ['go', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['up', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['leave', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['down', ['inner'], ['beside'], { outer: 'beside' }],
    ['same', ['inner'], ['inner'], { outer: 'inner' }],
    ['again', ['inner', 'outer'], ['outer', 'inner'], { outer: 'inner' }],
    ['stay', [], [], { outer: 'inner' }],
  ])('%s leaves %j and enters %j', (type, exits, enters, value) => {
    const chosen = choose(nested, { type });
    expect([names(chosen?.exits ?? []), names(chosen?.enters ?? []), chosen?.target.value]).toEqual([
      exits,
      enters,
      value,
    ]);
  });

  test('an event that no state knows chooses nothing', () => {
    expect(choose(nested, { type: 'never' })).toBeUndefined();
    expect(choose(nested, { type: 'toString' })).toBeUndefined();
  });

  test('the default entry of a leaf is empty', () => {
    expect(defaultEntry(leafOf(nested))).toEqual([]);
  });

  test('a guard holds when what it returns is true to JavaScript, as in XState', () => {
    const chart = chartOf({ initial: 'a', states: { a: { on: { go: { guard: 'odd', target: 'b' } } }, b: {} } });
    const goes = (n: unknown) => choose(chart, { type: 'go', n } as { type: string }) !== undefined;
    expect([goes(1), goes('x'), goes(true), goes(0), goes(''), goes(undefined)]).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('actions get their params, invokes their input', () => {
    const seen: unknown[] = [];
    const chart = chartOf(
      {
        initial: 'a',
        states: {
          a: { on: { go: { target: 'b', actions: { type: 'note', params: { n: 1 } } } } },
          b: {
            invoke: [
              { id: 'one', src: 'x', input: { fixed: 1 } },
              { id: 'two', src: 'x', input: nothing },
              { id: 'three', src: 'x' },
            ],
          },
        },
      },
      { implementations: { actions: { note: (_: unknown, params: unknown) => void seen.push(params) } } },
    );
    const chosen = choose(chart, { type: 'go' });
    const args = { context: undefined, event: { type: 'go' } };
    for (const action of chosen?.actions ?? []) if ('run' in action) action.run(args);
    for (const { input } of chosen?.target.invokes ?? []) seen.push(input?.(args));
    expect(seen).toEqual([{ n: 1 }, { fixed: 1 }, undefined, undefined]);
  });

  test('an invoke’s done and error events are transitions of the state that invokes', () => {
    const chart = chartOf({
      initial: 'a',
      states: { a: { invoke: { id: 'w', src: 'x', onDone: 'b', onError: 'c' } }, b: {}, c: {} },
    });
    expect(choose(chart, { type: 'xstate.done.actor.w' })?.target.name).toBe('b');
    expect(choose(chart, { type: 'xstate.error.actor.w' })?.target.name).toBe('c');
    expect(choose(chart, { type: 'xstate.done.actor.other' })).toBeUndefined();
  });

  test('an action listed in "sends" sends to an invoked actor', () => {
    const send = { child: 'w', eventOf: () => ({ type: 'hello' }) };
    const chart = chartOf(
      { initial: 'a', states: { a: { on: { go: { actions: 'greet' } } } } },
      { sends: { greet: send } },
    );
    expect(choose(chart, { type: 'go' })?.actions).toEqual([send]);
  });
});

describe('what the table does not know is refused when the chart is read', () => {
  const state = (config: object) => chartOf({ initial: 'a', states: { a: config, b: {} } });
  const on = (transition: unknown) => state({ on: { go: transition } });
  const builtIn = Object.assign(() => undefined, { type: 'xstate.raise' });

  const refused: Record<string, ReadableChart> = {
    'parallel states': state({ type: 'parallel', states: { x: {}, y: {} } }),
    history: state({ type: 'history' }),
    delays: state({ after: { 100: 'b' } }),
    'eventless transitions': state({ always: 'b' }),
    'exit actions': state({ exit: 'act' }),
    'an onDone of a state': state({ onDone: 'b' }),
    tags: state({ tags: ['busy'] }),
    'a wildcard': state({ on: { '*': 'b' } }),
    'a partial wildcard': state({ on: { 'go.*': 'b' } }),
    'an event that XState raises when a state is done': state({ on: { 'xstate.done.state.chart.a': 'b' } }),
    'an unknown target': on('nowhere'),
    'a target that is too deep': on('b.c'),
    'several targets': on({ target: ['a', 'b'] }),
    'a target by the id of a state': chartOf({ initial: 'a', states: { a: { on: { go: '#b' } }, b: { id: 'b' } } }),
    'an unknown field of a transition': on({ target: 'b', in: 'a' }),
    'an inline guard': on({ target: 'b', guard: () => true }),
    'a guard with params': on({ target: 'b', guard: { type: 'yes', params: {} } }),
    'an unknown guard': on({ target: 'b', guard: 'maybe' }),
    'an inline action': on({ actions: nothing }),
    'an unknown action': on({ actions: 'whatever' }),
    'params that are a function': on({ actions: { type: 'act', params: nothing } }),
    'a built-in action': chartOf(
      { initial: 'a', states: { a: { entry: 'raise' } } },
      { implementations: { actions: { raise: builtIn } } },
    ),
    'an inline invoke': state({ invoke: { id: 'w', src: {} } }),
    'an invoke without an id': state({ invoke: { src: 'x' } }),
    'an invoke that is told of snapshots': state({ invoke: { id: 'w', src: 'x', onSnapshot: {} } }),
    'an invoke of the root': chartOf({ initial: 'a', states: { a: {} }, invoke: { id: 'w', src: 'x' } }),
    'an entry action of the root': chartOf({ initial: 'a', states: { a: {} }, entry: 'act' }),
    'no initial state': chartOf({ states: { a: {} } }),
    'an initial state that is none': chartOf({ initial: 'b', states: { a: {} } }),
  };

  test.each(Object.keys(refused))('%s', (name) => {
    const chart = refused[name];
    if (chart === undefined) throw new Error('unreachable');
    expect(() => tableOf(chart)).toThrow(/^The chart "chart" cannot be read into a table: .* has .*\.$/);
  });
});

test.each([turnChart, toolCallChart, operativeChart])('the chart $id can be read', (chart) => {
  expect(tableOf(chart).initial.length).toBeGreaterThan(0);
});
