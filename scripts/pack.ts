// Checks what `npm publish` would send: the built files, README and license, and every file the manifest names.

import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { readManifest } from './manifest.ts';

const root = resolve(import.meta.dirname, '..');
const npm = process.env['npm_execpath']; // npm's own script, when npm started us
const [command, before] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
const { status, stdout, stderr } = spawnSync(command, [...before, 'pack', '--dry-run', '--json', '--ignore-scripts'], {
  cwd: root,
  encoding: 'utf8',
  shell: npm === undefined && process.platform === 'win32',
});
if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);

const [packed] = JSON.parse(stdout) as readonly {
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}[];
if (packed === undefined) throw new Error('npm pack did not list a package');

const paths = new Set(packed.files.map(({ path }) => path));
const faults: string[] = [];
for (const path of paths) {
  const isBuilt = /^dist\/.+\.(js|d\.ts)$/.test(path) || /^dist\/inspect\/page\/.+\.(html|css|svg|txt)$/.test(path);
  if (!isBuilt && !['package.json', 'README.md', 'LICENSE'].includes(path))
    faults.push(`${path} should not be published`);
}

const manifest = await readManifest();
const named = [
  ...Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  ),
  ...Object.values(manifest.bin),
  'README.md',
  'LICENSE',
];
for (const path of named) {
  if (!paths.has(path.replace(/^\.\//, ''))) faults.push(`${path} is named in package.json but missing in the package`);
}

console.log(`${paths.size} files, ${Math.round(packed.size / 1024)} KiB packed`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
