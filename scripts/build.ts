// Builds the package into dist/: a clean folder, plain tsc, the inspector's page, and an executable command.

import { spawnSync } from 'node:child_process';
import { chmod, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildPage } from './inspector-page.ts';
import { readManifest } from './manifest.ts';

const root = resolve(import.meta.dirname, '..');

await rm(join(root, 'dist'), { recursive: true, force: true });

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

await buildPage(join(root, 'dist/inspect/page'));

for (const path of Object.values((await readManifest()).bin)) {
  const file = join(root, path);
  if (!(await readFile(file, 'utf8')).startsWith('#!/usr/bin/env node\n')) {
    console.error(`${path} does not begin with #!/usr/bin/env node; put that line first in its source.`);
    process.exit(1);
  }
  await chmod(file, 0o755);
}
