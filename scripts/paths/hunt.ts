// All mutants of a chart against its paths, and the report that is checked in. Called by scripts/paths.ts.

import { walks, type ChartId } from '../../test/paths/chart-suites.ts';
import { runnersOf } from '../../test/paths/execute-paths.ts';
import { huntOf, type Fate } from '../../test/paths/hunt-mutants.ts';
import { seenInRealTurn } from '../../test/paths/hunt-real-turns.ts';
import { listedMutants } from '../../test/paths/listed-mutants.ts';

/** What became of the mutants of one chart. */
export interface HuntReport {
  readonly id: ChartId;
  readonly total: number;
  /** Found on every runner. */
  readonly found: number;
  readonly listed: number;
  /** Neither found nor listed. */
  readonly survivors: readonly string[];
  /** Listed although found. */
  readonly listedInVain: readonly string[];
  readonly seconds: number;
  readonly fates: readonly ToldFate[];
}

/** A mutant's fate, and what a real turn on it showed. */
export interface ToldFate extends Fate {
  readonly seen?: string;
}

/** Runs all mutants of a chart. */
export async function hunt(id: ChartId): Promise<HuntReport> {
  const started = performance.now();
  const { size, run, create } = await huntOf(id);
  const fates: ToldFate[] = [];
  for (let index = 0; index < size; index++) {
    const seen = id === 'turn' ? await seenInRealTurn(() => create(index).machine) : undefined;
    fates.push({ ...run(index), ...(seen === undefined ? {} : { seen }) });
  }
  const isListed = (fate: Fate) => reasonOf(fate) !== undefined;
  return {
    id,
    total: size,
    found: fates.filter(isFound).length,
    listed: fates.filter((fate) => isListed(fate) && !isFound(fate)).length,
    survivors: fates.filter((fate) => !isFound(fate) && !isListed(fate)).map(({ name }) => name),
    listedInVain: fates.filter((fate) => isFound(fate) && isListed(fate)).map(({ name }) => name),
    seconds: (performance.now() - started) / 1000,
    fates,
  };
}

/** The report as Markdown; the same for the same charts and tests. */
export function mutantReport(reports: readonly HuntReport[]): string {
  const total = reports.reduce((sum, report) => sum + report.total, 0);
  const found = reports.reduce((sum, report) => sum + report.found, 0);
  const rows = reports.map(
    ({ id, total: all, found: caught, listed, survivors }) =>
      `| ${id} | ${all} | ${caught} | ${listed} | ${survivors.length} |`,
  );
  return [
    '# Mutants of the charts',
    '',
    'Written by `npm run paths -- --mutants`. Each line is one change to a chart: a transition dropped, retargeted or no',
    'longer reentering, a guard removed or negated, an action left out. Each mutant runs on XState’s own interpreter, by its',
    'table, and by its table with bare services; it counts as found when the paths of the real chart show a difference to',
    'the hand-written reference (`test/paths/*-walk.ts`) on all three; the realtime session has parallel regions and runs on',
    'XState alone. What is shown is the first path that does, shortest paths first.',
    '',
    `${found} of ${total} are found; the others are listed with a reason in \`test/paths/listed-mutants.ts\`.`,
    '',
    '| chart | mutants | found | listed | survive |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...reports.flatMap(({ id, fates }) => [
      `## ${id}`,
      '',
      ...(id === 'turn'
        ? [`With real services ${fates.filter(({ seen }) => seen !== undefined).length} are seen as well.`, '']
        : []),
      `| mutant | found by |${id === 'turn' ? ' seen with real services |' : ''}`,
      `| --- | --- |${id === 'turn' ? ' --- |' : ''}`,
      ...fates.map(
        (fate) => `| \`${id}: ${fate.name}\` | ${foundBy(fate)} |${id === 'turn' ? ` ${fate.seen ?? ''} |` : ''}`,
      ),
      '',
    ]),
  ].join('\n');
}

function isFound({ chart, foundBy: by }: Fate): boolean {
  return runnersOf(walks[chart]).every((runner) => by[runner] !== undefined);
}

function foundBy(fate: Fate): string {
  const reason = reasonOf(fate);
  const by = runnersOf(walks[fate.chart]).map((runner) => `${runner}: ${String(fate.foundBy[runner])}`);
  const paths = new Set(Object.values(fate.foundBy));
  if (!isFound(fate)) return reason === undefined ? '**nothing**' : `listed: ${reason}`;
  return paths.size === 1 ? [...paths].join() : by.join('; ');
}

function reasonOf({ chart, name }: Fate): string | undefined {
  return listedMutants[`${chart}: ${name}`];
}
