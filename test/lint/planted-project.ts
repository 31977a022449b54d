// A throwaway project with the real lint settings, for tests that plant a fault and look whether it is reported.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');

/** Text by path from the project's root. */
export type PlantedFiles = Readonly<Record<string, string>>;

/** What oxlint said of one file: `rule: message`, sorted. */
export type Reports = ReadonlyMap<string, readonly string[]>;

/** Writes the files into a new project, lints it with this repository's settings, and removes it. */
export async function lintPlanted(files: PlantedFiles, options: { readonly typeAware: boolean }): Promise<Reports> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnchart-lint-')));
  try {
    const project = { ...files, '.oxlintrc.json': await settings(options), 'tsconfig.json': '{}' };
    for (const [path, text] of Object.entries(project)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return reportsIn(await run(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The reports of one rule for one file. */
export function reportsOf(reports: Reports, rule: string, path: string): string[] {
  return (reports.get(path) ?? [])
    .filter((each) => each.startsWith(`${rule}: `))
    .map((each) => each.slice(rule.length + 2));
}

// The real file with its one path made absolute. Most planted files need not compile, so types are only read on demand.
async function settings(options: { readonly typeAware: boolean }): Promise<string> {
  const text = await readFile(join(root, '.oxlintrc.json'), 'utf8');
  const config: unknown = JSON.parse(text);
  if (typeof config !== 'object' || config === null) throw new Error('.oxlintrc.json is not an object');
  return JSON.stringify({
    ...config,
    jsPlugins: [join(root, 'scripts/lint/plugin.ts')],
    options,
  });
}

function run(folder: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile(
      process.execPath,
      [oxlint, '--format', 'json'],
      { cwd: folder, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        // exit 1 = something was reported
        if (error !== null && error.code !== 1) fail(new Error(`oxlint failed: ${stderr}${stdout}`, { cause: error }));
        else done(stdout);
      },
    );
  });
}

function reportsIn(output: string): Reports {
  const { diagnostics, number_of_files: count } = JSON.parse(output) as {
    readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly filename: string }[];
    readonly number_of_files: number;
  };
  if (count === 0) throw new Error('oxlint read no file');
  const reports = new Map<string, string[]>();
  for (const { code, message, filename } of diagnostics) {
    const path = filename.replaceAll('\\', '/');
    const rule = code.replace('(', '/').replace(')', '');
    reports.set(path, [...(reports.get(path) ?? []), `${rule}: ${message}`].sort());
  }
  return reports;
}
