import { describe, expect, test } from 'vitest';
import { backgroundTaskChart } from '../../src/machines/background-task.ts';
import { backgroundTasksChart } from '../../src/machines/background-tasks.ts';
import type { ReadableChart } from '../../src/machines/chart-table.ts';
import { checkChart } from '../../src/machines/check-chart.ts';
import { operativeChart } from '../../src/machines/operative.ts';
import { toolCallChart } from '../../src/machines/tool-call.ts';
import { turnChart } from '../../src/machines/turn.ts';

const nothing = () => undefined;
const chartOf = (config: object, more: Partial<ReadableChart> = {}): ReadableChart => ({
  id: 'chart',
  config: { id: 'chart', ...config },
  implementations: { guards: { yes: () => true }, actions: { act: nothing } },
  ...more,
});

describe('what the table does not know is refused', () => {
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
    'an entry action of the initial state': state({ entry: 'act' }),
    'an invoke of a state around the initial one': chartOf({
      initial: 'a',
      states: { a: { invoke: { id: 'w', src: 'x' }, initial: 'b', states: { b: {} } } },
    }),
    'an initial state that is none': chartOf({ initial: 'b', states: { a: {} } }),
  };

  test.each(Object.keys(refused))('%s', (name) => {
    const chart = refused[name];
    if (chart === undefined) throw new Error('unreachable');
    expect(() => checkChart(chart)).toThrow(
      /^The chart "chart" uses something the table interpreter does not support: at .*, the .*\.$/,
    );
  });
});

test.each([turnChart, toolCallChart, operativeChart, backgroundTaskChart, backgroundTasksChart])(
  'the chart $id can be read',
  (chart) => {
    expect(() => checkChart(chart)).not.toThrow();
  },
);
