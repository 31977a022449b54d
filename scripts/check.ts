// `npm test` and, with --full or in CI, `npm run check`: every gate of the project, one line each with its seconds. The
// output of a failing step follows its line; the tests, last and longest, are shown as they run.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Print its output even when it passes. */
  readonly speaks?: boolean;
  /** The later steps of its lane make no sense when it fails. */
  readonly isNeeded?: boolean;
  /** A step that takes longer is considered hung and ended. Default 300 seconds. */
  readonly limitSeconds?: number;
}

const root = resolve(import.meta.dirname, '..');
const cache = join(root, 'node_modules/.cache/turnchart');
const testReport = join(cache, 'tests.json');
// CI checks everything.
const full = process.argv.includes('--full') || process.env['CI'] === 'true';
const isWindows = process.platform === 'win32';

// The two lanes run in parallel, the steps of a lane one after the other.
const sourceSteps: readonly Step[] = [
  { name: 'format', command: ['oxfmt', '--check'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
  { name: 'docs drift', command: ['node', 'scripts/docs.ts', '--check'] },
];
const fullSourceSteps: readonly Step[] = [{ name: 'largest', command: ['node', 'scripts/largest.ts'], speaks: true }];

const packageSteps: readonly Step[] = [
  { name: 'build', command: ['node', 'scripts/build.ts'], isNeeded: true },
  { name: 'built entries', command: ['node', 'scripts/smoke.ts'], speaks: true },
  { name: 'browser bundle', command: ['node', 'scripts/bundle.ts'] },
  { name: 'bundle size', command: ['size-limit'], speaks: full },
  { name: 'package contents', command: ['node', 'scripts/pack.ts'], speaks: full },
];

const fullPackageSteps: readonly Step[] = [
  { name: 'publint', command: ['publint', '--strict'] },
  { name: 'installed', command: ['node', 'scripts/installed.ts'], speaks: true },
  { name: 'types as installed', command: ['attw', '--pack', '.', '--profile', 'esm-only', '--no-definitely-typed'] },
];

const tests: Step = {
  name: 'tests',
  command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${testReport}`],
  limitSeconds: 900,
};

const total = { passed: 0, failed: 0, skipped: 0 };
const failures: string[] = [];
const running = new Set<ChildProcess>();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) stop(child);
    process.exit(1);
  });
}

await mkdir(cache, { recursive: true });
await Promise.all([
  runLane(full ? [...sourceSteps, ...fullSourceSteps] : sourceSteps),
  runLane(full ? [...packageSteps, ...fullPackageSteps] : packageSteps),
]);
await runTests();

if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = failures.length > 0 ? 1 : 0;

async function runLane(steps: readonly Step[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const { passed, seconds, output } = await run(step, 'pipe');
    console.log(line(step, passed, seconds));
    if (!passed || step.speaks === true) console.log(output.trimEnd().replaceAll(/^/gm, '    '));
    count(step, passed);
    if (!passed && step.isNeeded === true) {
      const rest = steps.slice(index + 1);
      if (rest.length > 0) console.log(`      not run after that: ${rest.map(({ name }) => name).join(', ')}`);
      return;
    }
  }
}

async function runTests(): Promise<void> {
  await rm(testReport, { force: true });
  const { passed, seconds } = await run(tests, 'inherit');
  console.log(line(tests, passed, seconds));
  const counted = await countTests();
  if (!passed && counted.failed === 0) total.failed += 1; // an error outside of any test
  if (!passed) failures.push(tests.name);
  total.passed += counted.passed;
  total.failed += counted.failed;
  total.skipped += counted.skipped;
}

async function countTests(): Promise<typeof total> {
  try {
    const report: unknown = JSON.parse(await readFile(testReport, 'utf8'));
    const number = (key: string) => {
      const value: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, key) : undefined;
      return typeof value === 'number' ? value : 0;
    };
    return { passed: number('numPassedTests'), failed: number('numFailedTests'), skipped: number('numPendingTests') };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }; // vitest did not get that far
  }
}

function count(step: Step, passed: boolean): void {
  total[passed ? 'passed' : 'failed'] += 1;
  if (!passed) failures.push(step.name);
}

function line(step: Step, passed: boolean, seconds: number): string {
  return `${passed ? 'ok  ' : 'FAIL'}  ${step.name}  ${seconds.toFixed(1)} s`;
}

function run(step: Step, stdio: 'pipe' | 'inherit'): Promise<{ passed: boolean; seconds: number; output: string }> {
  const started = performance.now();
  const [command = '', ...args] = step.command;
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      env: {
        ...process.env,
        ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
        PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
      },
      stdio: ['ignore', stdio, stdio],
      shell: isWindows, // commands of node_modules/.bin are .cmd files there
      detached: !isWindows, // its own process group, so that a spinning worker can be ended too
    });
    running.add(child);
    let output = '';
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    const limit = step.limitSeconds ?? 300;
    const timer = setTimeout(() => {
      const text = `${step.name} took longer than ${limit} seconds and was ended.\n`;
      if (stdio === 'inherit') console.log(text);
      output += text;
      stop(child);
    }, limit * 1000);
    const end = (passed: boolean) => {
      clearTimeout(timer);
      running.delete(child);
      done({ passed, seconds: (performance.now() - started) / 1000, output: stripVTControlCharacters(output) });
    };
    child.on('error', (error) => {
      output += error.message;
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

function stop(child: ChildProcess): void {
  try {
    if (child.pid === undefined || isWindows) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}
