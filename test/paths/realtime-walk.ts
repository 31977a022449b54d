// The realtime session's cases, and the paths through its regions: every event in every state of every region, and in
// every pair of states of those regions whose races the specification names.

import type { ActorLogic, AnyStateMachine, EventObject } from 'xstate';
import { realtimeSessionMachine, type RealtimeScope } from '../../src/machines/realtime-session.ts';
import type { MachinePath, PathCase } from '../../src/testing/index.ts';
import { startActor, type ChartWalk, type Expected, type Reference } from './execute-paths.ts';
import {
  canCome,
  firstState,
  keyOf,
  leavesIn,
  step,
  type RealtimeState,
  type Region,
  type RealtimeTold,
} from './realtime-reference.ts';
import type { OutsideWorld } from './scripted-services.ts';

/** One event and what it says. */
export interface RealtimeCase extends PathCase {
  readonly name: string;
  readonly tells: RealtimeTold;
}

const end = (name: string) => ({ name, reason: 'requested' });

const owing = [0, 1] as const;
const yesAndNo = [true, false] as const;
const deadlines = [
  'dialDeadline',
  'sessionDeadline',
  'configureDeadline',
  'seedDeadline',
  'speechDeadline',
  'replyGrace',
  'requestDeadline',
  'occupiedDeadline',
  'recallDeadline',
  'answerDeadline',
  'cancelDeadline',
  'playDeadline',
  'flushDeadline',
  'drainDeadline',
  'closeDeadline',
  'reconnect',
  'expiry',
  'keepAlive',
];

/** Every event of the chart, with one payload for each thing it can mean. */
const realtimeCases: readonly RealtimeCase[] = [
  caseOf('connect', { type: 'session.connect' }, { what: 'connect' }),
  caseOf('opened', { type: 'wire.opened' }, { what: 'opened' }),
  caseOf('lost', { type: 'wire.closed', end: end('lost') }, { what: 'lost' }),
  caseOf('created', { type: 'session.created' }, { what: 'created' }),
  caseOf('configured', { type: 'session.configured', seeds: 0 }, { what: 'configured', seeds: false }),
  caseOf('configured, with history', { type: 'session.configured', seeds: 2 }, { what: 'configured', seeds: true }),
  caseOf('seeded', { type: 'history.seeded' }, { what: 'seeded' }),
  caseOf('close', { type: 'session.close', drains: false, end: end('close') }, { what: 'close', drains: false }),
  caseOf(
    'close, draining',
    { type: 'session.close', drains: true, end: end('close') },
    { what: 'close', drains: true },
  ),
  caseOf('failed', { type: 'session.failed', end: end('failed') }, { what: 'failed' }),
  caseOf('expiring', { type: 'session.expiring' }, { what: 'expiring' }),
  ...(['opened', 'congested', 'relieved'] as const).map((how) =>
    caseOf(`microphone ${how}`, { type: `microphone.${how}` }, { what: 'microphone', how }),
  ),
  ...yesAndNo.flatMap((yes) => [
    caseOf(
      `speaks${yes ? ', interrupting' : ''}`,
      { type: 'speech.started', interrupts: yes },
      { what: 'speaks', interrupts: yes },
    ),
    caseOf(
      `spoke${yes ? ', the server answers' : ''}`,
      { type: 'speech.stopped', answers: yes },
      { what: 'spoke', answers: yes },
    ),
    caseOf(
      `committed${yes ? ', the server answers' : ''}`,
      { type: 'input.committed', answers: yes },
      { what: 'committed', answers: yes },
    ),
  ]),
  caseOf('cleared', { type: 'input.cleared' }, { what: 'cleared' }),
  caseOf('detection changed', { type: 'detection.changed' }, { what: 'detectionChanged' }),
  caseOf('activity started', { type: 'activity.started' }, { what: 'activityStarted' }),
  caseOf('activity ended', { type: 'activity.ended' }, { what: 'activityEnded' }),
  ...owing.flatMap((owed) => [
    ...(['own', 'server', 'recalled'] as const).map((owner) =>
      caseOf(
        `${owner} answer begun${owes(owed)}`,
        { type: 'response.created', owner, owed },
        { what: 'begun', owner, owed },
      ),
    ),
    ...yesAndNo.flatMap((yes) => [
      caseOf(
        `done${yes ? ', one in flight' : ''}${owes(owed)}`,
        { type: 'response.done', inFlight: yes, owed },
        { what: 'done', inFlight: yes, owed },
      ),
      caseOf(
        `refused${yes ? ', occupied' : ''}${owes(owed)}`,
        { type: 'request.refused', occupied: yes, owed },
        { what: 'refused', occupied: yes, owed },
      ),
      caseOf(
        `${yes ? 'last ' : ''}result${owes(owed)}`,
        { type: 'tool.settled', open: yes ? 0 : 1, owed },
        { what: 'result', open: yes ? 0 : 1, owed },
      ),
    ]),
    caseOf(`debt${owes(owed)}`, { type: 'debt.changed', owed }, { what: 'debt', owed }),
  ]),
  caseOf('interrupt', { type: 'response.interrupt', name: 'interrupt', ticket: undefined }, { what: 'interrupt' }),
  caseOf('audio begun', { type: 'audio.begun' }, { what: 'audio' }),
  caseOf('played', { type: 'playback.finished' }, { what: 'played' }),
  caseOf('acknowledged', { type: 'output.acknowledged' }, { what: 'acknowledged' }),
  caseOf('call', { type: 'tool.requested' }, { what: 'call' }),
  caseOf('moved', { type: 'regions.moved' }, { what: 'moved' }),
  ...deadlines.flatMap((service) => [
    ...(service === 'requestDeadline' ? owing : ([0] as const)).map((owed) =>
      caseOf(
        `${service}${owes(owed)}`,
        { type: `xstate.done.actor.${service}`, output: { owed, inFlight: false } },
        { what: 'ended', service, broke: false, owed, inFlight: false },
      ),
    ),
    caseOf(
      `${service} broke`,
      { type: `xstate.error.actor.${service}`, error: new Error(service) },
      { what: 'ended', service, broke: true, owed: 0, inFlight: false },
    ),
  ]),
  ...(['answerDeadline', 'cancelDeadline'] as const).map((service) =>
    caseOf(
      `${service}, one in flight`,
      { type: `xstate.done.actor.${service}`, output: { owed: 0, inFlight: true } },
      { what: 'ended', service, broke: false, owed: 0, inFlight: true },
    ),
  ),
];

interface Crossing {
  readonly regions: readonly [Region, Region];
  /** Events that move one of the two, and whose effect the other has a part in. */
  readonly on: readonly RealtimeTold['what'][];
  readonly races: string;
}

/** Regions whose states are taken together, for the events of the races that are about both. */
const crossings: readonly Crossing[] = [
  {
    regions: ['response', 'input'],
    on: ['speaks', 'begun', 'spoke', 'cleared', 'detectionChanged', 'activityEnded'],
    races: 'R4 R5 R8 R9',
  },
  { regions: ['response', 'playback'], on: ['speaks', 'interrupt', 'begun', 'acknowledged'], races: 'R2 R3 R9 R10' },
  {
    regions: ['response', 'debt'],
    on: ['begun', 'done', 'refused', 'debt', 'result', 'interrupt'],
    races: 'R1 R8 R18',
  },
  {
    regions: ['input', 'debt'],
    on: ['spoke', 'begun', 'debt', 'done', 'cleared', 'detectionChanged', 'activityEnded'],
    races: 'R5',
  },
  { regions: ['tools', 'debt'], on: ['result', 'done', 'begun'], races: 'R5 R6 R7' },
  { regions: ['link', 'response'], on: ['done', 'close', 'debt'], races: 'R12 R22' },
  { regions: ['link', 'playback'], on: ['played', 'acknowledged', 'close'], races: 'R22' },
  { regions: ['link', 'tools'], on: ['result', 'close'], races: 'R22' },
];

/** The walk through the realtime session's chart, which runs on XState's interpreter alone. */
export const realtimeWalk: ChartWalk<RealtimeCase> = {
  machine: realtimeSessionMachine,
  cases: realtimeCases,
  runners: ['xstate'],
  paths: () => (madePaths ??= makePaths()),
  settings: [
    {
      name: 'a session',
      input: { scope: { toJSON: () => null } },
      reference: () => new RealtimeReference(),
      start: (machine, _runner, world) => {
        const scope = world.scope<RealtimeScope>();
        worlds.set(
          scope,
          world.service((id) => id),
        );
        return startActor(withServices(machine), { scope });
      },
    },
  ],
};

type Scripted = ReturnType<OutsideWorld['service']>;

const worlds = new WeakMap<object, Scripted>();
const provided = new WeakMap<AnyStateMachine, AnyStateMachine>();

// Provided once for each machine: that costs more than a path. A service finds its world by the scope it is given.
function withServices(machine: AnyStateMachine): AnyStateMachine {
  const known = provided.get(machine);
  if (known !== undefined) return known;
  const made = machine.provide({
    actors: { deadline: inItsWorld, expiry: inItsWorld, keepAlive: inItsWorld, reconnect: inItsWorld },
  });
  provided.set(machine, made);
  return made;
}

type Placed = ReturnType<Scripted['getInitialSnapshot']> & { readonly world: Scripted };

const inItsWorld: ActorLogic<Placed, EventObject, unknown> = {
  getInitialSnapshot: (scope, input) => {
    const given = input as RealtimeScope | { readonly scope: RealtimeScope };
    const world = worlds.get(given) ?? worlds.get((given as { readonly scope: RealtimeScope }).scope);
    if (world === undefined) throw new Error('A service without a world.');
    return { ...world.getInitialSnapshot(scope, input), world };
  },
  start: (snapshot, scope) => snapshot.world.start?.(snapshot, scope),
  transition: (snapshot, event, scope) => ({
    ...snapshot.world.transition(snapshot, event, scope),
    world: snapshot.world,
  }),
  getPersistedSnapshot: (snapshot) => snapshot,
};

class RealtimeReference implements Reference<RealtimeCase> {
  #state = firstState;

  step({ tells }: RealtimeCase): Expected {
    const { to, seen } = step(this.#state, tells);
    this.#state = to;
    return seen;
  }
}

type Walked = Awaited<ReturnType<NonNullable<ChartWalk<RealtimeCase>['paths']>>>;

let madePaths: Walked | undefined;

interface Visited {
  readonly state: RealtimeState;
  readonly key: string;
  readonly before: Visited | undefined;
  readonly by: RealtimeCase | undefined;
}

// Breadth first through everything the reference can reach, so that each goal gets its shortest path: the chart's own
// exploration would take a hundred times as long, and every step is compared with the chart when it is executed.
function makePaths(): Walked {
  const start: Visited = { state: firstState, key: keyOf(firstState), before: undefined, by: undefined };
  const seen = new Set([start.key]);
  const goals = new Set<string>();
  const paths: MachinePath[] = [];
  const edges: MachinePath[number][] = [];
  for (let queue = [start]; queue.length > 0;) {
    const next: Visited[] = [];
    for (const from of queue) {
      for (const by of realtimeCases) {
        if (!canCome(from.state, by.tells)) continue;
        const { to: state, seen: effect } = step(from.state, by.tells);
        const to: Visited = { state, key: effect.state, before: from, by };
        const open = goalsOf(from, to, effect.log.length > 0).filter((goal) => !goals.has(goal));
        if (open.length > 0) {
          for (const goal of open) goals.add(goal);
          const path = pathTo(to);
          paths.push(path);
          edges.push(...path.slice(-1));
        }
        if (seen.has(to.key)) continue;
        seen.add(to.key);
        next.push(to);
      }
    }
    queue = next;
  }
  const states = [...new Set(paths.flatMap((path) => path.flatMap(({ from, to }) => [from, to])))];
  return [{ setting: 'a session', states, edges, paths: withoutPrefixes(paths) }];
}

function pathTo(end: Visited): MachinePath {
  const path: MachinePath[number][] = [];
  for (let at = end; at.before !== undefined && at.by !== undefined; at = at.before) {
    path.unshift({ from: at.before.key, name: at.by.name, event: at.by.event, to: at.key });
  }
  return path;
}

// Every event in every state of every region, each of its meanings where it does something; and the events of the races
// in every pair of states of the regions they are about.
function goalsOf({ key, state }: Visited, to: Visited, acts: boolean): readonly string[] {
  const { by } = to;
  if (by === undefined) return [];
  const does = acts || key !== to.key;
  const leaves = leavesIn(state).map((leaf) => `${leaf} | ${does ? by.name : by.event.type}`);
  const { regions } = state;
  if (regions === undefined || !does) return leaves;
  const crossed = crossings.filter(({ on }) => on.includes(by.tells.what));
  return [...leaves, ...crossed.map(({ regions: [a, b] }) => `${a}.${regions[a]} & ${b}.${regions[b]} | ${by.name}`)];
}

// A path that another one begins with is executed with that one.
function withoutPrefixes(paths: readonly MachinePath[]): readonly MachinePath[] {
  const keyed = paths.map((path) => ({ path, key: path.map(({ name }) => `${name}\n`).join('') }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
  return keyed.filter(({ key }, index) => keyed[index + 1]?.key.startsWith(key) !== true).map(({ path }) => path);
}

function caseOf(name: string, event: object, tells: RealtimeTold): RealtimeCase {
  return { name, event: event as RealtimeCase['event'], tells };
}

function owes(owed: number): string {
  return owed > 0 ? ', owing' : '';
}
