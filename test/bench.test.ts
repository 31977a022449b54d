// The benches still run: each with as little work as it takes. What they measure is not looked at.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const benches = join(import.meta.dirname, '../bench');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnchart-test-'));
  await writeFile(join(folder, 'a.ts'), "throw new Error('lost');\n");
});
afterAll(() => rm(folder, { recursive: true }));

/** The least work, and the rows that must be there. `judges`: its exit code tells of the figures. */
const runs: Readonly<
  Record<string, { readonly args: () => readonly string[]; readonly rows: RegExp; readonly judges?: boolean }>
> = {
  'adapters.ts': { args: () => ['50', '1'], rows: /Anthropic[^]*Responses[^]*Chat/ },
  'file-tools.ts': { args: () => ['1', '0.01'], rows: /^Read .* ratio \d[^]*^Edit .* ratio \d/m },
  'inspector.ts': {
    args: () => ['1'],
    rows: /^nobody +\d[^]*^turnchart +\d[^]*^@statelyai\/inspect +\d/m,
    judges: true,
  },
  'realtime.ts': { args: () => ['20', '1'], rows: /floor[^]*turnchart operative \| \d[^]*session \| \d/ },
  'run.ts': { args: () => ['1', '1'], rows: /^steer[^]*^stream[^]*^loop[^]*^short turn \| turn \| \d/m },
  'search-and-shell-tools.ts': { args: () => ['1', folder], rows: /^Grep[^]*^Glob[^]*^Bash, true: ms/m },
};

// Rows of `run.ts`, and what others share.
const parts = new Set(['steer.ts', 'tool-context.ts']);

test('every bench is run here', () => {
  const files = readdirSync(benches).filter((name) => name.endsWith('.ts') && !parts.has(name));
  expect(Object.keys(runs)).toEqual(files.toSorted());
});

test.each(Object.entries(runs))('%s prints its rows', { timeout: 60_000 }, (name, { args, rows, judges = false }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', join(benches, name), ...args()], {
    encoding: 'utf8',
  });
  expect(stdout === '' ? stderr : stdout).toMatch(rows);
  if (!judges) expect(status).toBe(0);
});
