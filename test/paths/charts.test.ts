// Every path of the charts, executed on real actors by both runners.

import { beforeAll, describe, expect, test } from 'vitest';
import { chartIds, judgePairs, walks, type ChartId } from './chart-suites.ts';
import { eventTypesOf, leavesOf, pairsOf } from './chart-facts.ts';
import { executePaths, leavesInKey, pathsOf, runnersOf, type Runner } from './execute-paths.ts';
import { listedPairs } from './listed-pairs.ts';

describe.each(chartIds)('%s', (id) => {
  const walk = walks[id];
  let walked: Awaited<ReturnType<typeof pathsOf>>;
  const pairs = new Map<Runner, ReadonlySet<string>>();

  beforeAll(async () => {
    walked = await pathsOf(walk);
  });

  test.each(runnersOf(walk))('does in every step of every path what the reference says, run by %s', (runner) => {
    const executed = executePaths(walk, walk.machine, runner, walked);
    pairs.set(runner, executed.pairs);
    expect(executed.steps).toBeGreaterThan(walked.length);
  });

  test('has every pair of state and event executed on every runner, or listed with a reason', () => {
    for (const runner of runnersOf(walk)) expect(pairs.get(runner)).toEqual(pairs.get('xstate'));
    const executed = new Set(pairs.get('xstate'));
    const { missing, listedInVain } = judgePairs(pairsOf(walk.machine), executed, listedPairs[id] ?? []);
    expect({ missing, listedInVain }).toEqual({ missing: [], listedInVain: [] });
  });

  test('has every command executed in every state', () => {
    const executed = new Set(pairs.get('xstate'));
    const services = new Set(leavesOf(walk.machine).flatMap(({ services: ids }) => ids));
    const fromServices = new Set([
      ...walk.cases.filter((one) => one.while !== undefined).map(({ event }) => event.type),
      ...[...services].flatMap((service) => [`xstate.done.actor.${service}`, `xstate.error.actor.${service}`]),
    ]);
    const commands = eventTypesOf(walk.machine).filter((event) => !fromServices.has(event));
    const wanted = leavesOf(walk.machine).flatMap(({ key }) => commands.map((event) => `${key} ${event}`));
    expect(wanted.filter((pair) => !executed.has(pair))).toEqual([]);
    expect(commands).toEqual(commandsOf[id]);
  });

  test('is explored completely: no state is left out', () => {
    const reached = new Set(walked.flatMap(({ states }) => states.flatMap(leavesInKey)));
    expect([...reached].toSorted()).toEqual(
      leavesOf(walk.machine)
        .map(({ key }) => key)
        .toSorted(),
    );
  });
});

const commandsOf: Readonly<Record<ChartId, readonly string[]>> = {
  turn: ['turn.start', 'turn.cancel'],
  toolCall: ['call.checked', 'call.cancel', 'approval.settled', 'tool.settled', 'call.timedOut', 'call.expire'],
  operative: ['message.submit', 'turn.resume', 'turn.cancel', 'operative.compact', 'operative.close', 'turn.sealed'],
  backgroundTasks: ['task.start', 'tasks.close', 'task.ended'],
  backgroundTask: ['tool.settled', 'task.stop'],
  realtimeSession: [
    'session.connect',
    'session.close',
    'wire.closed',
    'session.failed',
    'wire.opened',
    'session.created',
    'session.configured',
    'history.seeded',
    'microphone.congested',
    'session.expiring',
    'microphone.relieved',
    'regions.moved',
    'microphone.opened',
    'speech.started',
    'activity.started',
    'speech.stopped',
    'input.committed',
    'input.cleared',
    'detection.changed',
    'response.created',
    'activity.ended',
    'request.refused',
    'response.interrupt',
    'response.done',
    'audio.begun',
    'playback.finished',
    'output.acknowledged',
    'tool.requested',
    'tool.settled',
    'debt.changed',
  ],
};

describe('the rule for pairs', () => {
  const all = ['idle go', 'idle stop', 'busy go'];

  test('a pair that is neither executed nor listed is missing', () => {
    const { missing } = judgePairs(all, new Set(['idle go']), [{ event: 'stop', states: ['idle'], why: 'no' }]);
    expect(missing).toEqual(['busy go']);
  });

  test('a listed pair that is executed is listed in vain', () => {
    const { listedInVain } = judgePairs(all, new Set(all), [{ event: 'stop', states: ['idle'], why: 'no' }]);
    expect(listedInVain).toEqual(['idle stop']);
  });

  test('a listed pair the chart does not have is listed in vain', () => {
    const { listedInVain } = judgePairs(all, new Set(all), [{ event: 'stop', states: ['gone'], why: 'no' }]);
    expect(listedInVain).toEqual(['gone stop']);
  });
});
