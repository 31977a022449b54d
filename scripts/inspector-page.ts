// Builds the inspector's page (inspector-page/) with Vite: into dist/ for the package, and into the cache when the
// inspector is started from a checkout, which runs this file and reads the folder it prints.

import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/turnchart');

if (import.meta.main) console.log(await buildInspectorPage());

/** Builds the page unless its sources are unchanged; returns the folder. */
async function buildInspectorPage(): Promise<string> {
  const folder = join(cache, `inspector-page-${await stateOfSources()}`);
  if (existsSync(join(folder, 'index.html'))) return folder;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'inspector-page-new-'));
  try {
    await buildPage(fresh);
    await rename(fresh, folder);
    await removeOthers(folder);
  } catch (fault) {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, 'index.html'))) throw fault; // another process may have built it meanwhile
  }
  return folder;
}

// Pages of earlier sources. Whoever shows one of them has read it completely.
async function removeOthers(folder: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const other = join(cache, name);
    if (/^inspector-page-[0-9a-f]{16}$/.test(name) && other !== folder)
      await rm(other, { recursive: true, force: true });
  }
}

/** Builds the page into a folder. */
export async function buildPage(outDir: string): Promise<void> {
  process.env['NODE_ENV'] = 'production'; // otherwise React's development build, if tests or a shell set another value
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    root: join(root, 'inspector-page'),
    base: './',
    configFile: false,
    envFile: false,
    logLevel: 'error',
    mode: 'production',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      chunkSizeWarningLimit: 10_000, // the layout library is large, and runs in a worker
    },
  });
  await writeFile(join(outDir, 'licenses.txt'), await licenses());
}

// The third-party code in the page.
async function licenses(): Promise<string> {
  const texts = ['react', 'react-dom', 'scheduler', 'elkjs'].map(async (name) => {
    const folder = join(root, 'node_modules', name);
    const [file = ''] = globSync('LICENSE*', { cwd: folder });
    return `${name}\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
  });
  return `The page of turnchart's inspector contains these packages.\n\n${(await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)}`;
}

// Its dependencies too: a new React is a new page.
async function stateOfSources(): Promise<string> {
  const files = globSync(
    '{inspector-page/**/*.{ts,tsx,css,html,txt},src/inspect/*.ts,scripts/inspector-page.ts,package-lock.json}',
    {
      cwd: root,
    },
  );
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(file).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}
