// Uses the package as a new user does: packs it, installs it into an empty project, runs it with each promised Node,
// compiles the examples against its types, and imports the entries whose optional peers are missing. Part of `npm run
// check`.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readManifest } from './manifest.ts';

const root = resolve(import.meta.dirname, '..');
const floor = resolve(import.meta.dirname, 'node-floor/node_modules/node/bin/node');
const manifest = await readManifest();
const project = await mkdtemp(join(tmpdir(), 'turnchart-installed-'));
const faults: string[] = [];

try {
  await install();
  await runWithEachNode();
  reportImportTime();
  await compileExamples();
} finally {
  await rm(project, { recursive: true, force: true });
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

async function install(): Promise<void> {
  npm(['pack', '--ignore-scripts', '--pack-destination', project], root);
  const tarball = (await readdir(project)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no package');
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
  // The README's line, with our packed file for its name.
  const { stderr } = npm(['install', `./${tarball}`, 'xstate', 'zod', '--prefer-offline', '--no-audit'], project);
  const warnings = stderr.split('\n').filter((line) => line.includes('npm warn'));
  if (warnings.length > 0) faults.push(`npm install warns: ${warnings.join(' | ')}`);
}

async function runWithEachNode(): Promise<void> {
  await copyFile(join(import.meta.dirname, 'installed/use.mjs'), join(project, 'use.mjs'));
  const nodes = [process.execPath, ...(existsSync(floor) ? [floor] : [])];
  for (const node of nodes) {
    const { status, stdout, stderr } = spawnSync(node, ['use.mjs'], { cwd: project, encoding: 'utf8' });
    if (status === 0) process.stdout.write(stdout);
    else faults.push(`use.mjs fails on ${node === floor ? 'the oldest Node' : 'this Node'}:\n${stdout}${stderr}`);
  }
}

/** Printed, not judged: times on a shared machine are not a gate. Rounds are interleaved, the best of each counts. */
function reportImportTime(): void {
  const best = { bare: Infinity, imported: Infinity };
  for (let round = 0; round < 10; round += 1) {
    best.bare = Math.min(best.bare, secondsOf(''));
    best.imported = Math.min(best.imported, secondsOf(`import '${manifest.name}'`));
  }
  console.log(`importing the root entry takes ${Math.round((best.imported - best.bare) * 1000)} ms over bare node`);
}

function secondsOf(code: string): number {
  const started = performance.now();
  spawnSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: project });
  return (performance.now() - started) / 1000;
}

async function compileExamples(): Promise<void> {
  const sources = join(project, 'examples');
  await mkdir(sources);
  // Of the folders these three; the others need React and a bundler as well.
  const names = globSync('{*.ts,{persistence,phone-calls,voice-demo}/*.ts}', { cwd: join(root, 'examples') });
  for (const name of names) {
    const text = await readFile(join(root, 'examples', name), 'utf8');
    const target = join(sources, name);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(
      target,
      text.replaceAll(/'(?:\.\.\/)+(src\/[^']+)'/g, (_, path: string) => `'${entryOf(path)}'`),
    );
  }
  const used = ['fast-check', '@types/node', '@types/ws', 'openai', 'ws', '@statelyai/inspect'];
  const versions = used.map((name) => `${name}@${manifest.devDependencies[name]}`);
  npm(['install', '--save-dev', ...versions, '--prefer-offline', '--no-audit'], project);
  const resolutions = [
    // every declaration is checked; xstate's own do not compile with exactOptionalPropertyTypes
    { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: false },
    { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true, exactOptionalPropertyTypes: true },
  ];
  for (const resolution of resolutions) {
    const compilerOptions = {
      ...resolution,
      target: 'es2023',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable', 'dom.asynciterable'],
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ['node'],
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['examples'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: project, encoding: 'utf8' });
    if (status !== 0)
      faults.push(`${names.length} examples do not compile (${resolution.moduleResolution}):\n${stdout}`);
    else console.log(`${names.length} examples compile with module resolution ${resolution.moduleResolution}`);
  }
}

/** `src/testing/index.ts` → `turnchart/testing`. */
function entryOf(source: string): string {
  const built = `./${source.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js')}`;
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (typeof target !== 'string' && target.default === built) return `${manifest.name}${entry.slice(1)}`;
  }
  throw new Error(`examples import ${source}, which is not an entry of the package`);
}

function npm(args: readonly string[], cwd: string): { readonly stderr: string } {
  const script = process.env['npm_execpath']; // npm's own script, when npm started us
  const [command, before] = script === undefined ? ['npm', []] : [process.execPath, [script]];
  const { status, stdout, stderr } = spawnSync(command, [...before, ...args], {
    cwd,
    encoding: 'utf8',
    shell: script === undefined && process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args[0] ?? ''} failed: ${stdout}${stderr}`);
  return { stderr };
}
