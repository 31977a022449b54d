// However the host program ends, nothing of its commands is left: neither processes nor files.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { eventually, processesWith, uniqueSleep } from './running-processes.ts';
import { temporaryFolder } from './workbench.ts';

const entry = pathToFileURL(join(import.meta.dirname, '../../../src/tools/index.ts')).href;

interface Host {
  /** What its commands sleep. */
  readonly seconds: string;
  readonly outputFile: string;
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

// A host program that has run a command with a long output, one that left a child behind, and is running another.
async function startHost(last: string): Promise<Host> {
  const seconds = uniqueSleep();
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'host.mjs'),
    `import { bashTool } from ${JSON.stringify(entry)};
import { existsSync, renameSync, writeFileSync } from 'node:fs';
const values = new Map();
const session = { id: 's', get: (key, create) => values.get(key) ?? (values.set(key, create()), values.get(key)) };
const tool = bashTool({ cwd: ${JSON.stringify(folder)} });
const run = async (command) => (await tool.execute({ command }, { session, signal: new AbortController().signal, progress() {}, write() {} })).content[0].text;
const long = await run('seq 1 50000');
await run('(env -i setsid sleep ${seconds} >/dev/null 2>&1 &); nohup sleep ${seconds} >/dev/null 2>&1 & yes ${seconds} & sleep 0.05');
void run('touch started; (setsid sleep ${seconds} &); trap "" TERM; sleep ${seconds}; sleep ${seconds}');
while (!existsSync('started')) await new Promise((resolve) => setTimeout(resolve, 10));
writeFileSync('path.new', /full output is in (\\S+)/.exec(long)[1]);
renameSync('path.new', 'path');
${last}
setInterval(() => {}, 1_000);
`,
  );
  const child = spawn(process.execPath, ['host.mjs'], { cwd: folder, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended: Host['ended'] = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await eventually(() => existsSync(join(folder, 'path')), 'the host has run its commands');
  const outputFile = await readFile(join(folder, 'path'), 'utf8');
  return { seconds, outputFile, pid: child.pid ?? 0, ended };
}

async function nothingIsLeft({ seconds, outputFile }: Host): Promise<void> {
  await eventually(() => processesWith(seconds).length === 0, 'no process is left');
  await eventually(() => !existsSync(dirname(outputFile)), 'no folder is left');
}

describe('nothing is left of the commands of a host program', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const)(
    'that %s ends, as it ends others',
    async (signal) => {
      const host = await startHost('');
      expect(existsSync(host.outputFile)).toBe(true);
      await eventually(() => processesWith(`sleep ${host.seconds}`).length >= 3, 'all of them run');
      process.kill(host.pid, signal);
      expect(await host.ended).toEqual({ code: null, signal });
      await nothingIsLeft(host);
    },
  );

  it.each([
    ['an error nobody caught', "setTimeout(() => { throw new Error('lost'); }, 50);", 1],
    ['a rejection nobody caught', "void Promise.reject(new Error('lost'));", 1],
    ['process.exit', 'setTimeout(() => process.exit(7), 50);', 7],
  ])('that %s ends', async (_what, last, code) => {
    const host = await startHost(last);
    expect(await host.ended).toEqual({ code, signal: null });
    await nothingIsLeft(host);
  });
});

it('a search does not continue when its host program is killed', async () => {
  const folder = await temporaryFolder();
  const word = `needle-${uniqueSleep()}`;
  // As slow as a search can be: a program that never ends, in the place of ripgrep.
  await writeFile(join(folder, 'rg'), '#!/bin/sh\nwhile :; do sleep 1; done\n', { mode: 0o755 });
  await writeFile(
    join(folder, 'host.mjs'),
    `import { grepTool } from ${JSON.stringify(entry)};
const session = { id: 's', get: (key, create) => create() };
const tool = grepTool({ cwd: ${JSON.stringify(folder)}, ripgrep: async () => ${JSON.stringify(join(folder, 'rg'))} });
await tool.execute({ pattern: '${word}' }, { session, signal: new AbortController().signal, progress() {}, write() {} });
`,
  );
  const child = spawn(process.execPath, ['host.mjs'], { cwd: folder, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(() => processesWith(word).length === 1, 'it searches');
  expect(child.kill('SIGKILL')).toBe(true);
  await eventually(() => processesWith(word).length === 0, 'it does not search');
});

it('watching keeps no host program from ending by itself', async () => {
  const folder = await temporaryFolder();
  const script = `import { bashTool } from ${JSON.stringify(entry)};
const session = { id: 's', get: (key, create) => create() };
await bashTool({ cwd: '/' }).execute({ command: 'true' }, { session, signal: new AbortController().signal, progress() {}, write() {} });
`;
  await writeFile(join(folder, 'host.mjs'), script);
  const child = spawn(process.execPath, ['host.mjs'], { cwd: folder, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});
