import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor, setup, type AnyActor } from 'xstate';
import { chartLogic, chartRuns } from '../../src/machines/chart-logic.ts';
import { serviceLogic } from '../../src/machines/service.ts';
import { chartPlans, happenings, machineOf, World, type ChartPlan, type Happening } from './random-charts.ts';

const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);

/** Everything that can be seen of a run: after each happening the state, the children and what was done so far. */
function trace(begin: (plan: ChartPlan, world: World) => AnyActor, plan: ChartPlan, steps: readonly Happening[]) {
  const world = new World();
  const actor = begin(plan, world);
  const seen: { readonly status: string; readonly [more: string]: unknown }[] = [];
  const look = () => {
    const { value, status, children } = actor.getSnapshot() as { value: unknown; status: string; children: object };
    seen.push({
      value,
      status,
      children: status === 'active' ? Object.keys(children).toSorted() : [],
      log: [...world.log],
    });
  };
  actor.subscribe({ error: () => undefined });
  actor.start();
  look();
  for (const step of steps) {
    if ('event' in step) {
      if (actor.getSnapshot().status === 'active') actor.send(eventOf(step.event, step.bits));
    } else {
      world.settle(step.settles, step.bits);
    }
    look();
  }
  actor.stop();
  look();
  return seen;
}

// In a constant, for the types do not know what else an event carries.
function eventOf(type: string, bits: number): { readonly type: string } {
  const event = { type, bits };
  return event;
}

const byXState = (plan: ChartPlan, world: World): AnyActor => createActor(machineOf(plan, world), { input: undefined });
const byTable = (plan: ChartPlan, world: World): AnyActor =>
  createActor(chartLogic<{ type: string }, unknown, unknown>(machineOf(plan, world)), { input: undefined }) as AnyActor;

const byBareTable = (plan: ChartPlan, world: World): AnyActor =>
  createActor(chartLogic<{ type: string }, unknown, unknown>(machineOf(plan, world), {}, { services: 'bare' }), {
    input: undefined,
  }) as AnyActor;

describe('a chart run by its table', () => {
  test('has the states, actions and services of XState’s own interpreter, in the same order', () => {
    fc.assert(
      fc.property(chartPlans({ services: true }), happenings, (plan, steps) => {
        const expected = trace(byXState, plan, steps);
        // XState dies of the error of a service that it left in the same step; the table drops what comes too late.
        fc.pre(!expected.some(({ status }) => status === 'error'));
        expect(trace(byTable, plan, steps)).toEqual(expected);
      }),
      { numRuns: runs },
    );
  });

  test('has the same states, actions and services when the services run without actors', () => {
    const done = (seen: ReturnType<typeof trace>) => seen.map(({ value, status, log }) => ({ value, status, log }));
    fc.assert(
      fc.property(chartPlans({ services: true }), happenings, (plan, steps) => {
        expect(done(trace(byBareTable, plan, steps))).toEqual(done(trace(byTable, plan, steps)));
      }),
      { numRuns: runs },
    );
  });

  test('that has neither services nor actions goes through the same states without an actor', () => {
    fc.assert(
      fc.property(chartPlans({ services: false }), happenings, (plan, steps) => {
        const actor = byXState(plan, new World()).start();
        const run = chartRuns<{ readonly type: string }>(machineOf(plan, new World()))();
        for (const step of steps) {
          if (!('event' in step) || actor.getSnapshot().status !== 'active') continue;
          actor.send(eventOf(step.event, step.bits));
          run.send(eventOf(step.event, step.bits));
          const { value, status } = actor.getSnapshot() as { value: unknown; status: string };
          expect(run.getSnapshot()).toMatchObject({ value, status });
        }
        actor.stop();
      }),
      { numRuns: runs },
    );
  });
});

const wait = serviceLogic<unknown, unknown>(() => () => undefined);

describe('chartLogic', () => {
  test('gives the output of the chart at its end', () => {
    const machine = setup({ types: { output: {} as { readonly sum: number } } }).createMachine({
      id: 'chart',
      context: () => ({ sum: 3 }),
      initial: 'idle',
      output: ({ context }) => ({ sum: context['sum'] as number }),
      states: { idle: { on: { end: 'over' } }, over: { type: 'final' } },
    });
    const actor = createActor(chartLogic<{ type: string }, unknown, { sum: number }>(machine), { input: undefined });
    let completed = 0;
    actor.subscribe({ complete: () => completed++ });
    actor.start();
    actor.send({ type: 'end' });
    expect(actor.getSnapshot()).toMatchObject({ status: 'done', output: { sum: 3 } });
    expect(completed).toBe(1);
  });

  test('takes services by name in place of the chart’s own', () => {
    const started: unknown[] = [];
    const machine = setup({ actors: { work: wait } }).createMachine({
      id: 'chart',
      context: () => ({}),
      initial: 'idle',
      states: {
        idle: { on: { go: 'working' } },
        working: { invoke: { id: 'w', src: 'work', input: () => 'input', onDone: 'idle', onError: 'idle' } },
      },
    });
    const noted = serviceLogic<unknown, unknown>((input) => {
      started.push(input);
      return undefined;
    });
    const actor = createActor(chartLogic<{ type: string }, unknown, unknown>(machine, { work: noted }), {
      input: undefined,
    });
    actor.start();
    actor.send({ type: 'go' });
    expect(started).toEqual(['input']);
    actor.stop();
  });

  test('an unknown event changes nothing', () => {
    const machine = setup({}).createMachine({
      id: 'chart',
      context: () => ({}),
      initial: 'idle',
      states: { idle: {} },
    });
    const actor = createActor(chartLogic<{ type: string }, unknown, unknown>(machine), { input: undefined }).start();
    const before = actor.getSnapshot();
    actor.send({ type: 'whatever' });
    expect(actor.getSnapshot()).toBe(before);
    actor.stop();
  });
});
