// Runs the real command in a process of its own; for tests of what only a process shows.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The command's source file. */
export const commandFile = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** How a process ended and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves at the first output. */
  readonly spoke: Promise<void>;
  readonly ended: Promise<Ended>;
}

/** Without the keys and servers of whoever runs the tests: the command finds the demo model. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  TURNCHART_PROBE: '',
  ANTHROPIC_API_KEY: '',
  ANTHROPIC_BASE_URL: '',
  OPENAI_API_KEY: '',
  OPENAI_BASE_URL: '',
};

/** Starts the command in the folder. Its standard input stays open; it is killed when the test ends. */
export function startCommand(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [commandFile, ...args], {
    cwd: folder,
    env: { ...bareEnvironment, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdin.on('error', () => {}); // it may end without having read
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const spoke = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      resolve();
    });
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, spoke, ended };
}

/** Runs the command to its end with this text on standard input. */
export async function runCommand(
  folder: string,
  args: readonly string[],
  { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const { child, ended } = startCommand(folder, args, env);
  child.stdin.end(input);
  return ended;
}
