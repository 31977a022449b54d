// Bundles the built root entry for browsers and looks at what came in: no zod, no Node modules, no SDK. The bundle is
// left where size-limit measures it.

import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const file = resolve(root, 'node_modules/.cache/turnchart/root.js');

// What the root entry may bring into a browser besides the library itself.
const welcome = new Set(['xstate']);

const faults: string[] = [];
const bundle = await rolldown({
  input: resolve(root, 'dist/index.js'),
  platform: 'browser',
  onLog(_level, log) {
    faults.push(log.message);
  },
});
await mkdir(dirname(file), { recursive: true });
const { output } = await bundle.write({ file, format: 'esm', minify: true, codeSplitting: false });
await bundle.close();

const packages = new Set<string>();
for (const chunk of output) {
  if (chunk.type !== 'chunk') continue;
  for (const name of [...chunk.imports, ...chunk.dynamicImports]) faults.push(`imports '${name}' at run time`);
  for (const module of chunk.moduleIds) {
    const found = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module)?.[1];
    if (found !== undefined) packages.add(found.replace('\\', '/'));
  }
}
for (const name of packages) if (!welcome.has(name)) faults.push(`contains ${name}`);

console.log(`root entry for browsers: ${[...packages].join(', ') || 'no package'} inside`);
for (const fault of faults) console.error(`The root entry ${fault}`);
if (faults.length > 0) process.exitCode = 1;
