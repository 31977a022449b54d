// The net, tested with charts that are wrong on purpose: a seeded sample here, all of them by `npm run paths -- --mutants`.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { chartIds, walks, type ChartId } from './chart-suites.ts';
import { runnersOf } from './execute-paths.ts';
import { huntOf, type Hunt } from './hunt-mutants.ts';
import { listedMutants } from './listed-mutants.ts';
import { mutantsOf } from './mutants.ts';

const report = resolve(import.meta.dirname, '../../docs/statecharts/mutants.md');
const seed = Number(process.env['TURNCHART_SEED'] ?? 20_261_130);
const runs = 20 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const patience = 120_000; // a bound for a loaded machine; by itself it takes a few seconds
const hunts = new Map<ChartId, Hunt>();

beforeAll(async () => {
  for (const id of chartIds) hunts.set(id, await huntOf(id));
});

describe('mutants of the charts', () => {
  test(
    `a sample of ${runs} (seed ${seed}) is found on every runner`,
    () => {
      const everyone = chartIds.flatMap((id) =>
        mutantsOf(walks[id].machine)
          .map(({ name }, index) => ({ id, index, name: `${id}: ${name}` }))
          .filter(({ name }) => listedMutants[name] === undefined),
      );
      fc.assert(
        fc.property(fc.constantFrom(...everyone), ({ id, index }) => {
          const fate = hunts.get(id)?.run(index);
          expect({ mutant: fate?.name, foundOn: Object.keys(fate?.foundBy ?? {}) }).toEqual({
            mutant: fate?.name,
            foundOn: [...runnersOf(walks[id])],
          });
        }),
        { numRuns: runs, seed },
      );
    },
    patience,
  );

  test('the listed ones exist', () => {
    const names = new Set(chartIds.flatMap((id) => mutantsOf(walks[id].machine).map(({ name }) => `${id}: ${name}`)));
    expect(Object.keys(listedMutants).filter((name) => !names.has(name))).toEqual([]);
  });

  test('the listed ones are not found', () => {
    const found = chartIds.flatMap((id) => {
      const hunt = hunts.get(id);
      return (hunt?.names ?? []).flatMap((name, index) =>
        listedMutants[`${id}: ${name}`] === undefined ? [] : Object.values(hunt?.run(index, ['xstate']).foundBy ?? {}),
      );
    });
    expect(found).toEqual([]);
  });

  test('all are in the report, and nothing else is', async () => {
    const text = await readFile(report, 'utf8');
    const told = [...text.matchAll(/^\| `(.+?)` \|/gm)].map(([, name]) => name);
    expect(told).toEqual(chartIds.flatMap((id) => mutantsOf(walks[id].machine).map(({ name }) => `${id}: ${name}`)));
  });

  test('no two have one name', () => {
    for (const id of chartIds) {
      const names = mutantsOf(walks[id].machine).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});
