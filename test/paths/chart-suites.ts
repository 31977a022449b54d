// Everything that is known about each chart in one place: for the tests, `npm run paths`, the mutants and the chart pages.

import { executePaths, pathsOf, runnersOf, type ChartWalk, type Runner } from './execute-paths.ts';
import { pairsOf } from './chart-facts.ts';
import { backgroundTaskWalk, backgroundTasksWalk } from './background-walk.ts';
import { asPairs, listedPairs, type ListedPairs } from './listed-pairs.ts';
import { operativeWalk } from './operative-walk.ts';
import { realtimeWalk } from './realtime-walk.ts';
import { toolCallWalk } from './tool-call-walk.ts';
import { turnWalk } from './turn-walk.ts';
import type { PathCase } from '../../src/testing/index.ts';

export type AnyWalk = ChartWalk<PathCase>;

/** A walk whose cases are its own affair. Its reference is only ever given its own cases. */
function anyWalk<Case extends PathCase>(walk: ChartWalk<Case>): AnyWalk {
  return walk as unknown as AnyWalk;
}

/** The charts, by id. */
export const walks: Readonly<
  Record<'turn' | 'toolCall' | 'operative' | 'backgroundTasks' | 'backgroundTask' | 'realtimeSession', AnyWalk>
> = {
  turn: anyWalk(turnWalk),
  toolCall: anyWalk(toolCallWalk),
  operative: anyWalk(operativeWalk),
  backgroundTasks: anyWalk(backgroundTasksWalk),
  backgroundTask: anyWalk(backgroundTaskWalk),
  realtimeSession: anyWalk(realtimeWalk),
};
export type ChartId = keyof typeof walks;
export const chartIds: readonly ChartId[] = [
  'turn',
  'toolCall',
  'operative',
  'backgroundTasks',
  'backgroundTask',
  'realtimeSession',
];

/** How the pairs of a chart stand against its list. */
export interface PairReport {
  readonly covered: readonly string[];
  readonly listed: readonly string[];
  /** Neither executed nor listed. */
  readonly missing: readonly string[];
  /** Listed although executed, or although the chart has no such pair. */
  readonly listedInVain: readonly string[];
}

/** Compares executed pairs with the list. */
export function judgePairs(
  all: readonly string[],
  executed: ReadonlySet<string>,
  list: readonly ListedPairs[],
): PairReport {
  const listed = asPairs(list);
  const isListed = new Set(listed);
  const known = new Set(all);
  return {
    covered: all.filter((pair) => executed.has(pair)),
    listed: all.filter((pair) => isListed.has(pair) && !executed.has(pair)),
    missing: all.filter((pair) => !executed.has(pair) && !isListed.has(pair)),
    listedInVain: listed.filter((pair) => executed.has(pair) || !known.has(pair)),
  };
}

/** One chart, walked on every runner. */
export interface ChartReport {
  readonly id: ChartId;
  readonly states: number;
  readonly edges: number;
  readonly pairs: PairReport;
  readonly paths: number;
  readonly steps: number;
  readonly seconds: number;
  readonly runners: readonly Runner[];
}

/** Walks a chart on every runner and counts. Throws at the first step that differs from the reference. */
export async function walkChart(id: ChartId, on: readonly Runner[] = runnersOf(walks[id])): Promise<ChartReport> {
  const started = performance.now();
  const walk = walks[id];
  const walked = await pathsOf(walk);
  const runs = on.map((runner) => executePaths(walk, walk.machine, runner, walked));
  // A pair counts when every runner has executed it.
  const executed = new Set([...(runs[0]?.pairs ?? [])].filter((pair) => runs.every(({ pairs }) => pairs.has(pair))));
  return {
    id,
    states: new Set(walked.flatMap(({ states }) => states)).size,
    edges: new Set(walked.flatMap(({ edges }) => edges.map(({ from, name, to }) => `${from} | ${name} | ${to}`))).size,
    pairs: judgePairs(pairsOf(walk.machine), executed, listedPairs[id] ?? []),
    paths: sum(runs.map(({ paths }) => paths)),
    steps: sum(runs.map(({ steps }) => steps)),
    seconds: (performance.now() - started) / 1000,
    runners: on,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
