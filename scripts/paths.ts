// `npm run paths [-- --json]`: walks every path of every chart on real actors and counts. `-- --mutants`: runs every
// mutant of every chart against the same paths and writes docs/statecharts/mutants.md.

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chartIds, walkChart, type ChartReport } from '../test/paths/chart-suites.ts';
import { hunt, mutantReport, type HuntReport } from './paths/hunt.ts';

const given = process.argv.slice(2);
const unknown = given.filter((one) => !['--json', '--mutants'].includes(one));
if (unknown.length > 0) {
  console.error(`Unknown argument ${unknown.join(' ')}. Usage: npm run paths [-- --json | --mutants]`);
  process.exit(2);
}
const asJson = given.includes('--json');
if (given.includes('--mutants')) process.exitCode = await huntMutants();
else process.exitCode = await walk();

async function walk(): Promise<number> {
  const reports: ChartReport[] = [];
  for (const id of chartIds) {
    const report = await walkChart(id);
    reports.push(report);
    if (!asJson) print(report);
  }
  if (asJson) {
    const charts = reports.map(({ id, states, edges, pairs, paths, steps }) => {
      const { covered, listed, missing } = pairs;
      return {
        id,
        states,
        edges,
        pairs: { covered: covered.length, listed: listed.length, missing: missing.length },
        paths,
        steps,
      };
    });
    console.log(JSON.stringify({ charts }, null, 2));
  }
  const isComplete = reports.every(({ pairs }) => pairs.missing.length === 0 && pairs.listedInVain.length === 0);
  return isComplete ? 0 : 1;
}

function print({ id, states, edges, pairs, paths, steps, seconds, runners }: ChartReport): void {
  const { covered, listed, missing, listedInVain } = pairs;
  console.log(
    `${id}: ${states} states, ${edges} edges; pairs: ${covered.length} covered, ${listed.length} listed, ${missing.length} missing; ` +
      `${paths} paths, ${steps} steps on ${runners.join(', ')}, ${seconds.toFixed(1)} s`,
  );
  for (const pair of missing) console.log(`  missing: ${pair}`);
  for (const pair of listedInVain)
    console.log(`  listed in test/paths/listed-pairs.ts, but executed or unknown: ${pair}`);
}

async function huntMutants(): Promise<number> {
  const reports: HuntReport[] = [];
  for (const id of chartIds) {
    const report = await hunt(id);
    reports.push(report);
    if (asJson) continue;
    const { total, found, listed, survivors, listedInVain, seconds } = report;
    console.log(
      `${id}: ${total} mutants, ${found} found on every runner, ${listed} listed, ${survivors.length} survive, ${seconds.toFixed(1)} s`,
    );
    for (const name of survivors) console.log(`  survives: ${name}`);
    for (const name of listedInVain) console.log(`  listed in test/paths/listed-mutants.ts, but found: ${name}`);
  }
  if (asJson) {
    const charts = reports.map(({ id, total, found, listed, survivors }) => ({ id, total, found, listed, survivors }));
    console.log(JSON.stringify({ charts }, null, 2));
  }
  await writeFile(resolve(import.meta.dirname, '../docs/statecharts/mutants.md'), mutantReport(reports));
  return reports.every(({ survivors, listedInVain }) => survivors.length === 0 && listedInVain.length === 0) ? 0 : 1;
}
