// One writer per file: changes of one real path happen one after the other, in the order of the calls, also when the
// calls run at once and spell the path differently. Used by every tool that changes a file.

import type { ToolSession } from '../../contracts/tool.ts';

interface Turn {
  readonly ready: Promise<void>;
  readonly release: () => void;
}

// Shared by all conversations of the program: a file has one writer.
const lastTurns = new Map<string, Promise<void>>();

const admissionKey = Symbol('turnchart.pathLock');

/**
 * Runs `work` when every earlier call for the same path is done. Call it before any await of the tool: the place in the
 * queue is the order of these calls within the session, however long finding out the real paths takes. Where there is
 * no path (undefined), `work` runs at once. An abort while waiting rejects at once with the signal's reason.
 */
export async function inCallOrder<Value>(
  session: ToolSession,
  realPath: Promise<string | undefined>,
  signal: AbortSignal,
  work: () => Promise<Value>,
): Promise<Value> {
  realPath.catch(nothing); // it may fail before anybody waits for it
  const admission = session.get(admissionKey, () => ({ last: Promise.resolve() }));
  const turn = admission.last.then(async () => {
    const path = await realPath;
    return path === undefined ? undefined : enqueue(lockName(path));
  });
  admission.last = turn.then(nothing, nothing);
  const mine = await turn;
  if (mine === undefined) return await work();
  try {
    await untilReady(mine.ready, signal);
    return await work();
  } finally {
    mine.release();
  }
}

function enqueue(path: string): Turn {
  const ready = lastTurns.get(path) ?? Promise.resolve();
  let release = nothing;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Not done before its predecessors: a waiter that gives up must not let the next one overtake them.
  const done = ready.then(() => released);
  lastTurns.set(path, done);
  void done.then(() => {
    if (lastTurns.get(path) === done) lastTurns.delete(path);
  });
  return { ready, release };
}

async function untilReady(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = nothing;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([ready, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function lockName(path: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? path.toLowerCase() : path;
}

function nothing(): void {}
