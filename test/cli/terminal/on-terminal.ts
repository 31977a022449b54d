// Runs the real command on a pseudo-terminal and types into it. Needs python3; tests ask `hasTerminal` first.

import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bareEnvironment, commandFile } from '../command.ts';
import { terminalAfter } from './emulator.ts';

const script = fileURLToPath(new URL('run-in-terminal.py', import.meta.url));

/** Whether there is a program that makes pseudo-terminals. Says so where there is none; under CI that is a failure. */
export const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0;
if (!hasTerminal) {
  const reason = 'No python3 with its pty module: the command is not tested on a terminal.';
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.log(reason);
}

/** What is done at the terminal, and when; run-in-terminal.py tells more. */
export interface TerminalStep {
  /** Wait until this has come since the step before. */
  readonly after?: string;
  readonly send?: string;
  readonly resize?: readonly [columns: number, rows: number];
  readonly signal?: number;
}

/** How the command is run. */
export interface TerminalRun {
  readonly folder: string;
  readonly columns?: number;
  readonly steps?: readonly TerminalStep[];
  readonly env?: NodeJS.ProcessEnv;
}

/** What came of it. `rows`: what stands on the terminal at the end, where it kept its size. */
export interface TerminalEnd {
  readonly code: unknown;
  readonly output: string;
  readonly rows: readonly string[];
  /** What went wrong with the steps; '' = nothing. */
  readonly complaints: string;
}

/** Runs the command to its end. */
export async function onTerminal(args: readonly string[], run: TerminalRun): Promise<TerminalEnd> {
  const { folder, columns = 100, steps = [], env = {} } = run;
  const command = [script, String(columns), '24', JSON.stringify(steps), process.execPath, commandFile, ...args];
  const child = spawn('python3', command, {
    cwd: folder,
    env: { ...bareEnvironment, TERM: 'xterm-256color', NO_COLOR: '', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end();
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const isFixed = steps.every(({ resize }) => resize === undefined);
  return { code, output, complaints, rows: isFixed ? terminalAfter(output, columns).rows : [] };
}
