// Executes paths on real actors, on either runner, and compares every step with a reference that knows no chart.

import { createActor, type AnyActorLogic, type AnyStateMachine, type EventObject } from 'xstate';
import { machinePaths, type MachinePath, type PathCase } from '../../src/testing/index.ts';
import { stateKeyOf } from '../../src/testing/machine-paths.ts';
import { OutsideWorld } from './scripted-services.ts';

/**
 * Who runs a chart: XState's own interpreter; the table made from the chart's config, with services that are actors, as
 * an inspector sees it; or the table with bare services, as it runs where nobody inspects.
 */
export const runners = ['xstate', 'table', 'bare'] as const;
export type Runner = (typeof runners)[number];

/** What must be seen after a step. */
export interface Expected {
  readonly state: string;
  /** Everything the chart does to the outside in this step, in order. */
  readonly log: readonly string[];
  /** The services that live afterwards. */
  readonly live: readonly string[];
  /** What the chart has as output once it has ended; undefined while it has not. */
  readonly output?: unknown;
}

/** The behaviour written down a second time, by hand and without a chart. */
export interface Reference<Case extends PathCase> {
  step(given: Case): Expected;
}

/** A chart running in a scripted world. */
export interface RunningChart {
  send(event: EventObject): void;
  getSnapshot(): { readonly value: unknown; readonly status: string; readonly output?: unknown };
  stop?(): unknown;
}

/** One way to start a chart: a part of its input that decides something. */
export interface ChartSetting<Case extends PathCase> {
  readonly name: string;
  /** For the exploration. */
  readonly input: unknown;
  reference(): Reference<Case>;
  start(machine: AnyStateMachine, runner: Runner, world: OutsideWorld): RunningChart;
}

/** Everything that is needed to walk a chart. */
export interface ChartWalk<Case extends PathCase> {
  readonly machine: AnyStateMachine;
  readonly cases: readonly Case[];
  readonly settings: readonly ChartSetting<Case>[];
  /** Who runs the chart. Default: every runner. */
  readonly runners?: readonly Runner[];
  /** Its paths, where simple paths and the cover of every edge would be too many: a chart with parallel regions. */
  readonly paths?: () => readonly (WalkedPaths & {
    readonly states: readonly string[];
    readonly edges: MachinePath;
  })[];
}

/** Who runs the chart of a walk. */
export function runnersOf(walk: { readonly runners?: readonly Runner[] }): readonly Runner[] {
  return walk.runners ?? runners;
}

/** Paths of one setting. */
export interface WalkedPaths {
  readonly setting: string;
  readonly paths: readonly MachinePath[];
}

/** The paths of every setting: edge cover and simple paths, made from the chart once. */
export async function pathsOf<Case extends PathCase>(walk: ChartWalk<Case>) {
  if (walk.paths !== undefined) return walk.paths();
  return Promise.all(
    walk.settings.map(async ({ name, input }) => {
      const { states, edges, edgeCover, simplePaths } = await machinePaths(walk.machine, { input, cases: walk.cases });
      return { setting: name, states, edges, paths: withoutPrefixes([...edgeCover, ...simplePaths()]) };
    }),
  );
}

/**
 * Executes the paths on a machine, which may be another than the one they were made from, and throws at the first step
 * that differs from the reference.
 */
export function executePaths<Case extends PathCase>(
  walk: ChartWalk<Case>,
  machine: AnyStateMachine,
  runner: Runner,
  walked: readonly WalkedPaths[],
): { readonly paths: number; readonly steps: number; readonly pairs: ReadonlySet<string> } {
  const pairs = new Set<string>();
  const cases = new Map(walk.cases.map((one) => [one.event, one]));
  let steps = 0;
  let count = 0;
  for (const { setting, paths } of walked) {
    const found = walk.settings.find(({ name }) => name === setting);
    if (found === undefined) throw new Error(`No setting "${setting}".`);
    for (const path of paths) {
      count++;
      const reference = found.reference();
      const world = new OutsideWorld();
      const chart = found.start(machine, runner, world);
      for (const [index, step] of path.entries()) {
        const given = cases.get(step.event) as Case; // paths are made of these cases only
        const from = leafKeysOf(chart.getSnapshot().value);
        deliver(given, chart, world);
        for (const leaf of from) pairs.add(`${leaf} ${step.event.type}`);
        steps++;
        const seen = look(chart, world);
        const expected = reference.step(given);
        if (JSON.stringify(seen) !== JSON.stringify(normal(expected))) {
          throw new PathFailure(setting, path.slice(0, index + 1), normal(expected), seen);
        }
      }
      chart.stop?.();
    }
  }
  return { paths: count, steps, pairs };
}

/** A step that went another way than the reference says. */
export class PathFailure extends Error {
  readonly path: string;

  constructor(setting: string, path: MachinePath, expected: Expected, seen: Expected) {
    const names = path.map(({ name }) => name).join(' → ');
    super(
      `${setting}: ${names} (in ${path.at(-1)?.from ?? ''})\n  expected ${JSON.stringify(expected)}\n  but saw  ${JSON.stringify(seen)}`,
    );
    this.path = `${setting}: ${names}`;
  }
}

/** Starts a machine or logic as an actor whose death throws at the next look and not later. */
export function startActor(logic: AnyActorLogic, input: unknown): RunningChart {
  const actor = createActor(logic, { input });
  actor.subscribe({ error: () => undefined });
  return actor.start();
}

// What services report comes from the services themselves; everything else is sent as a caller sends it.
function deliver({ event }: PathCase, chart: RunningChart, world: OutsideWorld): void {
  const match = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event.type);
  if (match === null) return quietly(() => chart.send(event));
  const [, how, id = ''] = match;
  const given = event as EventObject & { readonly output?: unknown; readonly error?: unknown };
  const lives = world.end(id, how === 'done' ? { output: given.output } : { error: given.error });
  if (!lives) world.note(`no service "${id}" lives`);
}

/** XState's development build warns of events to an actor that has ended; here they are sent on purpose. */
export function quietly(send: () => void): void {
  const { warn } = console;
  console.warn = () => undefined;
  try {
    send();
  } finally {
    console.warn = warn;
  }
}

function look(chart: RunningChart, world: OutsideWorld): Expected {
  const { value, status, output } = chart.getSnapshot();
  return normal({
    state: status === 'error' ? 'dead' : stateKeyOf(value),
    log: world.takeLog(),
    live: world.live,
    ...(status === 'done' ? { output } : {}),
  });
}

function normal({ state, log, live, output }: Expected): Expected {
  return { state, log, live: live.toSorted(), output: output ?? null };
}

/** The leaf states in a key: `live.input.quiet|link.open` stands for two. */
export function leavesInKey(key: string): readonly string[] {
  const [first = '', ...others] = key.split('|');
  const above = first.split('.').slice(0, -2).join('.');
  return [first, ...others.map((other) => `${above}.${other}`)];
}

// The keys of the leaf states that are active: one, but for parallel regions.
function leafKeysOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as Readonly<Record<string, unknown>>) // XState's state value: names of states
    .flatMap(([name, child]) => leafKeysOf(child).map((key) => `${name}.${key}`));
}

// A path that another one begins with is executed with that one.
function withoutPrefixes(paths: readonly MachinePath[]): readonly MachinePath[] {
  const keyed = paths.map((path) => ({ path, key: path.map(({ name }) => `${name}\n`).join('') }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
  return keyed.filter(({ key }, index) => keyed[index + 1]?.key.startsWith(key) !== true).map(({ path }) => path);
}
