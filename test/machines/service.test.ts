import { describe, expect, test } from 'vitest';
import { createActor, setup, type AnyActor } from 'xstate';
import { chartLogic } from '../../src/machines/chart-logic.ts';
import { serviceLogic, serviceStub, type BeginWork, type ServiceActor } from '../../src/machines/service.ts';

type Facts = { readonly kind: string };

/** A chart that invokes the service, run in each of the three ways a turn may run. */
function charts(begin: BeginWork<unknown, Facts>): readonly (readonly [string, () => AnyActor])[] {
  const work = serviceLogic(begin);
  const machine = setup({ actors: { work } }).createMachine({
    id: 'chart',
    context: () => ({}),
    initial: 'idle',
    states: {
      idle: { on: { go: 'working' } },
      working: {
        on: { leave: 'left', news: 'told' },
        invoke: { id: 'work', src: 'work', input: () => 'input', onDone: 'done', onError: 'broken' },
      },
      told: { on: { leave: 'left' } },
      done: {},
      broken: {},
      left: {},
    },
  });
  type Logic = typeof chartLogic<{ type: string }, unknown, unknown>;
  const table: Logic = chartLogic;
  return [
    ['by XState', () => createActor(machine, { input: undefined })],
    ['by table', () => createActor(table(machine), { input: undefined }) as AnyActor],
    ['without actors', () => createActor(table(machine, {}, { services: 'bare' }), { input: undefined }) as AnyActor],
  ];
}

const started = (make: () => AnyActor) => {
  const actor = make().start();
  actor.send({ type: 'go' });
  return actor;
};
const stateOf = (actor: AnyActor): unknown => (actor.getSnapshot() as { value: unknown }).value;

/** Work of which the test holds the handle. */
function heldWork() {
  const handles: ServiceActor<Facts>[] = [];
  let stops = 0;
  const begin: BeginWork<unknown, Facts> = (_input, actor) => {
    handles.push(actor);
    return () => void stops++;
  };
  return { begin, handle: () => handles.at(-1), stops: () => stops };
}

describe.each(['by XState', 'by table', 'without actors'])('a service (%s)', (how) => {
  const chartOf = (begin: BeginWork<unknown, Facts>): AnyActor => {
    const make = charts(begin).find(([name]) => name === how)?.[1];
    if (make === undefined) throw new Error('unreachable');
    return started(make);
  };

  test('moves the chart before settle returns', () => {
    const { begin, handle } = heldWork();
    const actor = chartOf(begin);
    expect(stateOf(actor)).toBe('working');
    handle()?.settle({ kind: 'x' });
    expect(stateOf(actor)).toBe('done');
  });

  test('may settle while it begins', () => {
    const settles: BeginWork<unknown, Facts> = (_input, actor) => {
      actor.settle({ kind: 'x' });
      return undefined;
    };
    expect(stateOf(chartOf(settles))).toBe('done');
  });

  test('gets its input', () => {
    const inputs: unknown[] = [];
    chartOf((input) => void inputs.push(input) as undefined);
    expect(inputs).toEqual(['input']);
  });

  test('that throws while it begins is an error event', () => {
    const fails: BeginWork<unknown, Facts> = () => {
      throw new Error('no');
    };
    expect(stateOf(chartOf(fails))).toBe('broken');
  });

  test('is stopped once when the chart leaves it, and never after it settled', () => {
    const left = heldWork();
    const actor = chartOf(left.begin);
    actor.send({ type: 'leave' });
    actor.stop();
    expect(left.stops()).toBe(1);
    const settled = heldWork();
    const other = chartOf(settled.begin);
    settled.handle()?.settle({ kind: 'x' });
    other.stop();
    expect(settled.stops()).toBe(0);
  });

  test('is stopped when the chart is stopped', () => {
    const { begin, stops } = heldWork();
    chartOf(begin).stop();
    expect(stops()).toBe(1);
  });

  test('that settles after the chart has left it changes nothing', () => {
    const { begin, handle } = heldWork();
    const actor = chartOf(begin);
    actor.send({ type: 'leave' });
    handle()?.settle({ kind: 'late' });
    expect(stateOf(actor)).toBe('left');
  });

  test('sends events to the chart while it works', () => {
    const { begin, handle } = heldWork();
    const actor = chartOf(begin);
    handle()?.report({ type: 'news' });
    expect(stateOf(actor)).toBe('told');
  });
});

test('a stub that nobody replaced says how to', () => {
  const actor = createActor(serviceStub<undefined, Facts>('work'), { input: undefined });
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  expect(String(errors[0])).toContain(
    'The service "work" is not provided: give it with .provide({ actors: { work } }).',
  );
});
