// Runs ripgrep and hands its output on until nobody wants more. Called by Grep.

import { spawn } from 'node:child_process';

import { startFamily } from './host-watch.ts';

/** What to run. */
export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Returns false once it has enough: the program is ended. */
  readonly onChunk: (chunk: Buffer) => boolean;
}

/** `code` is null where the program was ended early; `complaints` is what it said on standard error, shortened. */
export interface RipgrepEnd {
  readonly code: number | null;
  readonly isTimeUp: boolean;
  readonly complaints: string;
}

const maxComplaints = 8_192;

/** Resolves when the program has ended. Rejects when it cannot be started, and with the signal's reason. */
export function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  return new Promise((resolve, reject) => {
    run.signal.throwIfAborted();
    const child = spawn(run.program, run.args, {
      cwd: run.folder,
      env: { ...process.env, ...startFamily().variable },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let complaints = '';
    let isTimeUp = false;
    let isEnough = false;
    const stop = () => child.kill('SIGKILL');
    const timer = setTimeout(() => {
      isTimeUp = true;
      stop();
    }, run.limitMs);
    run.signal.addEventListener('abort', stop, { once: true });
    const settle = () => {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', stop);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (isEnough || run.onChunk(chunk)) return;
      isEnough = true;
      stop();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaints.length < maxComplaints) complaints += chunk.toString();
    });
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      if (run.signal.aborted) reject(run.signal.reason);
      else
        resolve({ code: isEnough || isTimeUp ? null : code, isTimeUp, complaints: complaints.slice(0, maxComplaints) });
    });
  });
}
