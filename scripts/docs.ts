// `npm run docs`: writes the chart pages of docs/statecharts/ and the reference in docs/api/, and puts the examples' code
// into the guides.
// `-- --check` writes nothing and fails where a file differs from what would be written.

import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { chartIds } from '../test/paths/chart-suites.ts';
import { apiPages } from './docs/api-pages.ts';
import { chartPage } from './docs/chart-page.ts';
import { fillSnippets } from './docs/snippets.ts';

const root = resolve(import.meta.dirname, '..');
const onlyChecks = process.argv.includes('--check');
const files = [...(await chartFiles()), ...(await guides()), ...(await apiPages())];
const drifted: string[] = [];
for (const { path, text } of files) {
  if ((await textOf(path)) === text) continue;
  drifted.push(path);
  if (onlyChecks) continue;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}
if (drifted.length === 0) console.log(`${files.length} files are up to date.`);
else if (onlyChecks) {
  console.log(`Out of date: ${drifted.join(', ')}. Run: npm run docs`);
  process.exitCode = 1;
} else console.log(`Written: ${drifted.join(', ')}`);

interface DocFile {
  readonly path: string;
  readonly text: string;
}

async function chartFiles(): Promise<readonly DocFile[]> {
  const pages = await Promise.all(chartIds.map(chartPage));
  return pages.flatMap(({ name, markdown, svg }) => [
    { path: `docs/statecharts/${name}.md`, text: markdown },
    { path: `docs/statecharts/${name}.svg`, text: svg },
  ]);
}

async function guides(): Promise<readonly DocFile[]> {
  const paths = ['README.md', ...globSync('docs/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/'))];
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      path,
      text: await fillSnippets(path, (await textOf(path)) ?? '', (example) => readFile(join(root, example), 'utf8')),
    })),
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined; // not written yet
    throw error;
  }
}
