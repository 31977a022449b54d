// Runs mutants against the suites of their chart and says which test found each.

import { executePaths, pathsOf, PathFailure, runnersOf, type Runner } from './execute-paths.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { walks, type ChartId } from './chart-suites.ts';

/** What became of one mutant. */
export interface Fate {
  readonly chart: ChartId;
  readonly name: string;
  /** What found it on each runner; absent = nothing did. */
  readonly foundBy: Readonly<Partial<Record<Runner, string>>>;
}

/** Mutants of one chart and a way to run them. */
export interface Hunt {
  readonly size: number;
  readonly names: readonly string[];
  /** Runs one mutant, on every runner unless told otherwise. */
  run(index: number, on?: readonly Runner[]): Fate;
  create(index: number): Mutant;
}

/** Prepares the paths once; they are made from the real chart, and the reference knows no chart. */
export async function huntOf(chart: ChartId): Promise<Hunt> {
  const walk = walks[chart];
  // Short paths first, whatever their setting: what finds a mutant is then the smallest example.
  const walked = (await pathsOf(walk))
    .flatMap(({ setting, paths }) => paths.map((path) => ({ setting, paths: [path] })))
    .toSorted((left, right) => (left.paths[0]?.length ?? 0) - (right.paths[0]?.length ?? 0));
  const mutants = mutantsOf(walk.machine);
  const find = ({ machine }: Mutant, runner: Runner): string | undefined => {
    try {
      executePaths(walk, machine, runner, walked);
      return undefined;
    } catch (failure) {
      return failure instanceof PathFailure ? failure.path : `it does not start: ${String(failure)}`;
    }
  };
  return {
    size: mutants.length,
    names: mutants.map(({ name }) => name),
    create: (index) => {
      const entry = mutants[index];
      if (entry === undefined) throw new RangeError(`${chart} has no mutant ${index}.`);
      return entry.create();
    },
    run: (index, on = runnersOf(walk)) => {
      const entry = mutants[index];
      if (entry === undefined) throw new RangeError(`${chart} has no mutant ${index}.`);
      const foundBy: Partial<Record<Runner, string>> = {};
      for (const runner of on) {
        const found = attempt(() => find(entry.create(), runner));
        if (found !== undefined) foundBy[runner] = found;
      }
      return { chart, name: entry.name, foundBy };
    },
  };
}

function attempt(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (thrown) {
    return `it cannot be made: ${String(thrown)}`;
  }
}
