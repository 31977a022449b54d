import { describe, expect, test } from 'vitest';
import { chooseTransition, tableOf, type ReadableChart, type TableTransition } from '../../src/machines/chart-table.ts';

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
const choose = (chart: ReadableChart, event: { readonly type: string }) =>
  chooseTransition(tableOf(chart), { context: undefined, event });
const goesTo = (chart: ReadableChart, event: { readonly type: string }) => choose(chart, event)?.target.value;

/** A state that tells in a table when it is left and entered: it invokes what has its name. */
const told = (name: string, more: object = {}) => ({ invoke: { id: name, src: 'x' }, ...more });
const entersOf = ({ steps }: TableTransition) => steps.flatMap((step) => (step.type === 'invoke' ? [step.id] : []));

const nested = chartOf({
  initial: 'outer',
  on: { leave: '.other' },
  states: {
    outer: told('outer', {
      initial: 'inner',
      on: {
        same: { target: 'outer' },
        again: { target: 'outer', reenter: true },
        go: 'other',
        stay: { actions: 'act' },
      },
      states: {
        inner: told('inner', {
          on: { go: [{ guard: 'odd', target: 'beside' }], up: '#chart.other', down: '#chart.outer.beside' },
        }),
        beside: told('beside'),
      },
    }),
    other: told('other', {
      initial: 'deep',
      states: { deep: told('deep', { initial: 'deeper', states: { deeper: told('deeper') } }) },
    }),
  },
});

describe('a chart as a table', () => {
  test('begins in the default leaf, whose value is as XState writes it', () => {
    expect(tableOf(nested).value).toEqual({ outer: 'inner' });
  });

  test('a leaf’s own transitions come before those of the states around it', () => {
    expect(goesTo(nested, { type: 'go', n: 1 } as { type: string })).toEqual({ outer: 'beside' });
    expect(goesTo(nested, { type: 'go' })).toEqual({ other: { deep: 'deeper' } });
  });

  test.each<[string, string[], string[], unknown]>([
    ['go', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['up', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['leave', ['inner', 'outer'], ['other', 'deep', 'deeper'], { other: { deep: 'deeper' } }],
    ['down', ['inner'], ['beside'], { outer: 'beside' }],
    ['same', ['inner'], ['inner'], { outer: 'inner' }],
    ['again', ['inner', 'outer'], ['outer', 'inner'], { outer: 'inner' }],
    ['stay', [], [], { outer: 'inner' }],
  ])('%s leaves %j and enters %j', (type, leaves, enters, value) => {
    const chosen = choose(nested, { type });
    if (chosen === undefined) throw new Error(`no transition on ${type}`);
    expect([chosen.stops, entersOf(chosen), chosen.target.value]).toEqual([leaves, enters, value]);
  });

  test('an event that no state knows chooses nothing', () => {
    expect(choose(nested, { type: 'never' })).toBeUndefined();
    expect(choose(nested, { type: 'toString' })).toBeUndefined();
  });

  test('the chart ends in a final state of its own, not in one that lies deeper', () => {
    const chart = chartOf({
      initial: 'a',
      states: {
        a: { on: { end: 'b', sink: 'c' } },
        b: { type: 'final' },
        c: { initial: 'd', states: { d: { type: 'final' } } },
      },
    });
    expect(choose(chart, { type: 'end' })?.target.isFinal).toBe(true);
    expect(choose(chart, { type: 'sink' })?.target.isFinal).toBe(false);
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
    const args = { context: undefined, event: { type: 'go' } };
    for (const step of choose(chart, args.event)?.steps ?? []) {
      if (step.type === 'action') step.run(args, step.params);
      else if (step.type === 'invoke') seen.push(step.inputOf(args));
    }
    expect(seen).toEqual([{ n: 1 }, { fixed: 1 }, undefined, undefined]);
  });

  test('an invoke’s done and error events are transitions of the state that invokes', () => {
    const chart = chartOf({
      initial: 'a',
      states: { a: { invoke: { id: 'w', src: 'x', onDone: 'b', onError: 'c' } }, b: {}, c: {} },
    });
    expect(goesTo(chart, { type: 'xstate.done.actor.w' })).toBe('b');
    expect(goesTo(chart, { type: 'xstate.error.actor.w' })).toBe('c');
    expect(choose(chart, { type: 'xstate.done.actor.other' })).toBeUndefined();
  });

  test('an action listed in "sends" sends to an invoked actor', () => {
    const send = { child: 'w', eventOf: () => ({ type: 'hello' }) };
    const chart = chartOf(
      { initial: 'a', states: { a: { on: { go: { actions: 'greet' } } } } },
      { sends: { greet: send } },
    );
    expect(choose(chart, { type: 'go' })?.steps).toEqual([{ type: 'send', ...send }]);
  });
});
