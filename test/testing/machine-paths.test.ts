// machinePaths on small machines.

import { setup } from 'xstate';
import { describe, expect, test } from 'vitest';
import { serviceStub } from '../../src/machines/service.ts';
import { machinePaths } from '../../src/testing/index.ts';

const machine = setup({
  types: {
    context: {} as { readonly eager: boolean },
    input: {} as { readonly eager: boolean },
    events: {} as { readonly type: 'job.start' } | { readonly type: 'job.stop' },
  },
  actors: { work: serviceStub<undefined, { readonly ok: boolean }>('work') },
  guards: {
    isEager: ({ context }) => context.eager,
    isOk: ({ event }) => 'output' in event && (event.output as { readonly ok: boolean }).ok,
  },
}).createMachine({
  id: 'job',
  options: { maxIterations: 1000 },
  context: ({ input }) => input,
  initial: 'idle',
  states: {
    idle: { description: 'Rests.', on: { 'job.start': 'busy' } },
    busy: {
      description: 'Works.',
      initial: 'first',
      invoke: {
        src: 'work',
        id: 'work',
        onDone: [{ guard: 'isOk', target: 'done' }, { target: 'idle' }],
        onError: 'idle',
      },
      on: { 'job.stop': 'idle' },
      states: {
        first: { description: 'First part.', on: { 'job.start': { guard: 'isEager', target: 'second' } } },
        second: { description: 'Second part.' },
      },
    },
    done: { description: 'Over.', type: 'final' },
  },
});

const cases = [
  { event: { type: 'job.start' } },
  { event: { type: 'job.stop' } },
  { name: 'worked', event: { type: 'xstate.done.actor.work', output: { ok: true } } },
  { name: 'worked in vain', event: { type: 'xstate.done.actor.work', output: { ok: false } }, inSimplePaths: false },
  { name: 'broke', event: { type: 'xstate.error.actor.work', error: 'no' } },
];

describe('machinePaths', () => {
  test('finds every state, nested ones with their path', async () => {
    const { states } = await machinePaths(machine, { input: { eager: true }, cases });
    expect(states).toEqual(['idle', 'busy.first', 'busy.second', 'done']);
  });

  test('explores only what the input lets it', async () => {
    const { states } = await machinePaths(machine, { input: { eager: false }, cases });
    expect(states).toEqual(['idle', 'busy.first', 'done']);
  });

  test('feeds commands in every state, also where they are ignored', async () => {
    const { edges } = await machinePaths(machine, { input: { eager: true }, cases });
    const commands = edges.filter(({ name }) => name.startsWith('job.'));
    expect(commands.map(({ from, name, to }) => `${from} ${name} ${to}`)).toEqual([
      'idle job.start busy.first',
      'idle job.stop idle',
      'busy.first job.start busy.second',
      'busy.first job.stop idle',
      'busy.second job.start busy.second',
      'busy.second job.stop idle',
      'done job.start done',
      'done job.stop done',
    ]);
  });

  test('feeds what a service reports only while the service lives', async () => {
    const { edges } = await machinePaths(machine, { input: { eager: true }, cases });
    const fed = edges.filter(({ name }) => ['worked', 'broke'].includes(name)).map(({ from }) => from);
    expect(new Set(fed)).toEqual(new Set(['busy.first', 'busy.second']));
  });

  test('feeds other events only while the actor they come from lives', async () => {
    const progress = { event: { type: 'work.progress' }, while: 'work' };
    const { edges } = await machinePaths(machine, { input: { eager: false }, cases: [...cases, progress] });
    expect(edges.filter(({ name }) => name === 'work.progress').map(({ from }) => from)).toEqual(['busy.first']);
  });

  test('covers every edge by the shortest path to its state', async () => {
    const { edges, edgeCover } = await machinePaths(machine, { input: { eager: true }, cases });
    expect(edgeCover.map((path) => path.at(-1))).toEqual(edges);
    const toSecond = edgeCover.filter((path) => path.at(-1)?.from === 'busy.second').map((path) => path.length);
    expect(new Set(toSecond)).toEqual(new Set([3]));
  });

  test('makes paths whose steps follow on each other', async () => {
    const { edgeCover, simplePaths } = await machinePaths(machine, { input: { eager: true }, cases });
    for (const path of [...edgeCover, ...simplePaths()]) {
      expect(path.map(({ from }) => from)).toEqual(
        ['idle', ...path.slice(0, -1).map(({ to }) => to)].slice(0, path.length),
      );
    }
  });

  test('visits no state twice on a simple path, and leaves out the cases that say so', async () => {
    const { simplePaths } = await machinePaths(machine, { input: { eager: true }, cases });
    const paths = simplePaths();
    for (const path of paths) {
      const visited = ['idle', ...path.map(({ to }) => to)];
      expect(new Set(visited).size).toBe(visited.length);
    }
    expect(paths.flat().some(({ name }) => name === 'worked in vain')).toBe(false);
    expect(paths.map((path) => path.map(({ name }) => name).join(' '))).toContain('job.start job.start worked');
  });

  test('takes a state key of its own', async () => {
    const stateKey = ({ status }: { readonly status: string }) => status;
    const { states } = await machinePaths(machine, { input: { eager: true }, cases, stateKey });
    expect(states).toEqual(['active']);
  });

  test('refuses two cases of one name', async () => {
    await expect(machinePaths(machine, { input: { eager: true }, cases: [...cases, ...cases] })).rejects.toThrow(
      'two cases have the same name',
    );
  });

  test('refuses to run forever', async () => {
    await expect(machinePaths(machine, { input: { eager: true }, cases, limit: 2 })).rejects.toThrow('limit');
  });

  test('reports a guard that throws', async () => {
    const broken = machine.provide({
      guards: {
        isOk: () => {
          throw new Error('not total');
        },
      },
    });
    await expect(machinePaths(broken, { input: { eager: true }, cases })).rejects.toThrow(/not total|a step failed/);
  });
});
