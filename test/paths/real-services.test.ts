// The edge cover of the turn and of the operative with the real services: a scripted model, a simulated host, real tools,
// transformers and approvals; the operative with real turns inside.

import { beforeAll, describe, expect, test } from 'vitest';
import { machinePaths, type MachinePath, type PathCase } from '../../src/testing/index.ts';
import { judgePairs, walks, type ChartId } from './chart-suites.ts';
import { leavesOf, pairsOf } from './chart-facts.ts';
import { driveOperative, finish } from './drive-operative.ts';
import { driveToolCall } from './drive-tool-call.ts';
import { driveTurn, viaRealStart } from './drive-turn.ts';
import { runners, type ChartWalk, type Runner } from './execute-paths.ts';
import { asPairs, listedPairs, unrealPairs } from './listed-pairs.ts';
import { kinds, operativeWalk } from './operative-walk.ts';
import type { PairLog } from './real-turn.ts';
import { toolCallWalk } from './tool-call-walk.ts';
import { stagesOf, turnWalk } from './turn-walk.ts';

// The charts of background tasks have their real services in test/properties/background-model.test.ts, the realtime
// session in test/realtime/session-model.test.ts.
type DrivenId = Exclude<ChartId, 'backgroundTasks' | 'backgroundTask' | 'realtimeSession'>;

const seen: Readonly<Record<DrivenId, Set<string>>> = { turn: new Set(), toolCall: new Set(), operative: new Set() };

describe('turn with real services', () => {
  const covers = new Map<string, readonly MachinePath[]>();

  beforeAll(async () => {
    for (const name of Object.keys(stagesOf)) covers.set(name, await coverOf(turnWalk, name));
  });

  test.each(runners)('goes every way of its edge cover, run by %s', async (runner) => {
    const counts = { driven: 0, skipped: 0 };
    for (const [name, stages] of Object.entries(stagesOf)) {
      for (const path of covers.get(name) ?? []) {
        const driven = await driveTurn(path, { stages }, runner);
        counts['turn' in driven ? 'driven' : 'skipped']++;
        if ('turn' in driven) gather(driven.turn.log);
      }
    }
    expect(counts.driven).toBeGreaterThan(counts.skipped);
  });

  test('has every pair executed that real services can bring about, and the others listed with a reason', () => {
    expect(judge('turn')).toEqual({ missing: [], listedInVain: [] });
  });
});

describe('operative with real turns', () => {
  const covers = new Map<string, readonly MachinePath[]>();
  const real = Object.entries(kinds);

  beforeAll(async () => {
    for (const [name] of real) covers.set(name, await coverOf(operativeWalk, name));
  });

  test.each([
    ['bare', real],
    ['xstate', real.slice(0, 1)],
    ['table', real.slice(-1)],
  ] as const)('goes every way of its edge cover, its turns run by %s', async (runner: Runner, settings) => {
    const counts = { driven: 0, skipped: 0 };
    for (const [name, kind] of settings) {
      for (const path of covers.get(name) ?? []) {
        const driven = await driveOperative(path, kind, runner);
        counts['real' in driven ? 'driven' : 'skipped']++;
        if ('real' in driven) gather(driven.real.log);
      }
    }
    expect(counts.driven).toBeGreaterThan(counts.skipped);
  });

  test('has every pair executed that real turns can bring about, and the others listed with a reason', () => {
    expect(judge('operative')).toEqual({ missing: [], listedInVain: [] });
  });
});

describe('a call in a real turn', () => {
  test.each(['actor', 'bare'] as const)('ends with the result its chart says, run as %s', async (runner) => {
    const ended = new Set<string>();
    for (const path of await coverOf(toolCallWalk, 'a call')) {
      const driven = await driveToolCall(path, runner);
      if ('skipped' in driven) continue;
      gather(driven.log);
      const { to = '' } = path.at(-1) ?? {};
      // A call that still waits or runs is cancelled in the end; one that went into the background has its handle.
      const status = { approving: 'notStarted', running: 'interrupted', backgrounded: 'completed' }[to] ?? to;
      expect({ path: path.map(({ name }) => name), status: driven.status }).toEqual({
        path: path.map(({ name }) => name),
        status,
      });
      ended.add(to === 'backgrounded' ? to : status);
    }
    const finals = leavesOf(toolCallWalk.machine).filter(({ isFinal }) => isFinal);
    expect([...ended].toSorted()).toEqual(finals.map(({ key }) => key).toSorted());
  });

  test('has every pair executed that a real call can bring about, and the others listed with a reason', () => {
    expect(judge('toolCall')).toEqual({ missing: [], listedInVain: [] });
  });
});

describe('a submit on every simple path', () => {
  test.each(['active.settling', 'active.cancelling', 'active.preempting'])(
    'to %s, where the turn is sealed, ends in message.queued, and the next request contains it',
    async (state) => {
      let checked = 0;
      for (const [name, kind] of Object.entries(kinds)) {
        for (const path of await simplePathsTo(state, name)) {
          if (await checkLateSubmit(path, kind)) checked++;
        }
      }
      expect(checked).toBeGreaterThan(3);
    },
  );
});

// False for a path that no real turn takes or that is over with its last step, which other tests look at.
async function checkLateSubmit(path: MachinePath, kind: (typeof kinds)[string]): Promise<boolean> {
  const driven = await driveOperative(path, kind, 'bare', false);
  if ('skipped' in driven) return false;
  const { real } = driven;
  const { world, operative } = real;
  if (real.state !== path.at(-1)?.to) {
    await finish(real);
    return false;
  }
  const requests = world.model.calls;
  const late = await real.submit('steer');
  expect(late.outcome?.outcome).toBe('queued');
  if (real.state === 'active.settling') await world.settleStage();
  else await world.settleTools();
  const ends = real.events.findIndex(({ type }) => type === 'turn.completed');
  const queued = real.events.findIndex(
    (event) => event.type === 'message.queued' && event.message.id === late.message.id,
  );
  expect({ isAnnounced: queued >= 0, isBeforeTheEnd: queued < ends }).toEqual({
    isAnnounced: true,
    isBeforeTheEnd: true,
  });
  if (real.state === 'idle') void operative.resume();
  await world.host.settle();
  for (const reload of real.reloads.splice(0)) reload.settle();
  await world.host.settle();
  const next = world.model.requests[requests];
  expect(next?.messages.filter(({ id }) => id === late.message.id)).toHaveLength(1);
  await finish(real);
  return true;
}

// What leads to the state; what a turn ends with is decided after the submit.
const onTheWay: ReadonlySet<string> = new Set([
  'submit, steer',
  'submit, preempt',
  'resume with something to answer',
  'cancel',
  'turn sealed',
  'turn ended',
  'reloaded',
]);

async function simplePathsTo(state: string, setting: string): Promise<readonly MachinePath[]> {
  const cases = operativeWalk.cases.filter(({ name }) => onTheWay.has(name));
  const { simplePaths } = await pathsWith({ ...operativeWalk, cases }, setting);
  return simplePaths().filter((path) => path.at(-1)?.to === state);
}

async function coverOf<Case extends PathCase>(walk: ChartWalk<Case>, setting: string): Promise<readonly MachinePath[]> {
  const { edges, edgeCover } = await pathsWith(walk, setting);
  return edgeCover.map((path) => viaRealStart(path, edges));
}

async function pathsWith<Case extends PathCase>(walk: ChartWalk<Case>, setting: string) {
  const input = walk.settings.find(({ name }) => name === setting)?.input;
  return machinePaths(walk.machine, { input, cases: walk.cases });
}

function gather({ pairs }: PairLog): void {
  for (const id of ['turn', 'toolCall', 'operative'] as const)
    for (const pair of pairs.get(id) ?? []) seen[id].add(pair);
}

function judge(id: DrivenId) {
  const { machine } = walks[id];
  const never = new Set(asPairs(listedPairs[id] ?? []));
  const possible = pairsOf(machine).filter((pair) => !never.has(pair));
  const { missing, listedInVain } = judgePairs(possible, seen[id], unrealPairs[id] ?? []);
  const strange = [...seen[id]].filter((pair) => never.has(pair)); // listed as impossible, and it happened
  return { missing: [...missing, ...strange], listedInVain };
}
