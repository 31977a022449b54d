// Runs one command in its own process group and settles with the first of: its end, its time limit, an abort. Called by
// the shell tools.

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';

import { endProcesses } from './end-processes.ts';
import { startFamily, watchGroup } from './host-watch.ts';
import { createMarkedStream } from './marked-stream.ts';
import { familyMembers, type RunningProcess } from './process-table.ts';
import type { ShellMarks, ShellStart } from './shell-script.ts';
import { printablePath } from './shown-path.ts';

/** What to run. */
export interface CommandRun {
  readonly start: (marks: ShellMarks) => ShellStart;
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How long TERM is given before KILL, after the time limit and after an abort. */
  readonly graceMs: { readonly timeout: number; readonly abort: number };
  readonly signal: AbortSignal;
  readonly onOutput: (bytes: Buffer) => void;
}

/** How it went. */
export interface CommandOutcome {
  readonly cause: 'ended' | 'timedOut' | 'aborted';
  readonly code: number | null;
  /** The signal that ended the shell itself. */
  readonly signal: NodeJS.Signals | null;
  /** What came on descriptor 3. */
  readonly report: string;
  readonly mark: string;
  /** What was printed after the mark. */
  readonly behind: string;
  /** Processes the command left running in its group or on its output, each `name (pid)`. */
  readonly left: readonly string[];
  /** Processes that should have been ended and could not be. */
  readonly unended: readonly string[];
}

// How long output may still arrive after the shell has ended without its end mark.
const unmarkedMs = 500;
const releaseMs = 10;

/**
 * Resolves shortly after the shell's end, whatever its background processes hold open or write: they live on until the
 * host program ends, however that ends. After a timeout or an abort nothing of the command is left except `unended`.
 * Rejects if the program cannot be started.
 */
export async function runCommand(run: CommandRun): Promise<CommandOutcome> {
  const family = startFamily();
  const mark = `\u001E${randomUUID()}\u001E`;
  const { file, args } = run.start({ end: mark, family: family.mark });
  const child = spawn(file, args, {
    cwd: run.folder,
    env: { ...run.variables, ...family.variable },
    detached: process.platform !== 'win32', // its own process group
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = createMarkedStream(mark, run.onOutput);
  let report = '';
  // Pipes, as asked for above.
  const [, stdout, stderr, reports] = child.stdio as unknown as readonly [null, Readable, Readable, Readable];
  const progress = new Signal();
  let exit: { code: number | null; signal: NodeJS.Signals | null } | undefined;
  let isReleased = false;
  stdout.on('data', (bytes: Buffer) => {
    output.push(bytes);
    if (output.isMarked()) progress.notify();
  });
  stdout.on('close', () => ((isReleased = true), progress.notify()));
  stderr.on('data', run.onOutput);
  reports.on('data', (bytes: Buffer) => (report += bytes.toString()));
  for (const stream of [stdout, stderr, reports]) stream.on('error', () => {}); // a pipe that breaks has ended
  child.once('exit', (code, signal) => ((exit = { code, signal }), progress.notify()));
  const failure = await startFailure(child);
  if (failure !== undefined) throw failure;

  const group = child.pid ?? 0;
  const groupEnded = watchGroup(group);
  const whole = { group, mark: family.mark };
  const withoutPump = () => {
    const pump = Number(/^pump (\d+)\n/.exec(report)?.[1]);
    return pump > 0 ? { ...whole, except: pump } : whole;
  };
  const isOver = () => exit !== undefined && (output.isMarked() || isReleased);
  const cause = await firstCause(run, progress, isOver, () => exit !== undefined);
  if (cause !== 'ended') {
    await endProcesses(withoutPump(), run.graceMs[cause === 'timedOut' ? 'timeout' : 'abort']);
    await progress.until(isOver, unmarkedMs);
  }
  // Two rounds of the loop: what lay in the other pipes when the mark was read has been read, too.
  await nextRound();
  await nextRound();
  if (!isReleased) await progress.until(() => isReleased, releaseMs);
  output.end();
  const isEndedByForce = cause !== 'ended' || !output.isMarked();
  // By force, or with its outer shell: the pump goes, too.
  const unended = isEndedByForce ? await endProcesses(whole, 0) : [];
  const left = isEndedByForce ? [] : await stillRunning(withoutPump());
  groupEnded();
  for (const stream of [stdout, stderr, reports]) stream.destroy();
  child.unref();
  const { code, signal } = exit ?? { code: null, signal: null };
  const behind = output.behind().toString();
  return { cause, code, signal, report, mark, behind, left: left.map(named), unended: unended.map(named) };
}

// A process that is about to end gets a moment, so that it is not reported.
async function stillRunning(family: Parameters<typeof familyMembers>[0]): Promise<readonly RunningProcess[]> {
  let members = familyMembers(family, true);
  for (let tries = 0; members.length > 0 && tries < 5; tries++) {
    await pause(2);
    members = familyMembers(family, true);
  }
  return members;
}

function named({ name, pid }: RunningProcess): string {
  return `${printablePath(name)} (${pid})`;
}

async function firstCause(
  { timeoutMs, signal }: CommandRun,
  progress: Signal,
  isOver: () => boolean,
  hasExited: () => boolean,
): Promise<CommandOutcome['cause']> {
  const wake = () => progress.notify();
  signal.addEventListener('abort', wake, { once: true });
  try {
    const limit = performance.now() + timeoutMs;
    let unmarkedLimit: number | undefined;
    for (;;) {
      if (isOver()) return 'ended';
      if (signal.aborted) return 'aborted';
      const now = performance.now();
      if (now >= limit) return 'timedOut';
      if (hasExited()) unmarkedLimit ??= now + unmarkedMs;
      if (unmarkedLimit !== undefined && now >= unmarkedLimit) return 'ended';
      await progress.next(Math.min(limit, unmarkedLimit ?? limit) - now);
    }
  } finally {
    signal.removeEventListener('abort', wake);
  }
}

function startFailure(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
}

// Something happened: look again.
class Signal {
  #wake: (() => void) | undefined;

  notify(): void {
    this.#wake?.();
  }

  async next(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, Math.ceil(ms)));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async until(isTrue: () => boolean, ms: number): Promise<void> {
    const limit = performance.now() + ms;
    while (!isTrue() && performance.now() < limit) await this.next(limit - performance.now());
  }
}
