// One process per session: a lock file that names its owner, and is taken over if the owner is dead.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lock. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process began, if the system tells. Needed because process ids are reused. */
  readonly began?: string;
}

/** A lock that is held, or why it is not. */
export type LockOutcome =
  | { readonly held: true; readonly release: () => void }
  | { readonly held: false; readonly why: string };

/** Attempts while others take and release the lock. */
const attempts = 50;
const pauseMs = 20;

/**
 * Takes the lock at this path, whose folder must exist. The lock of a dead process is taken over by one of those who
 * try. Fails if its owner is alive, or on another machine, which cannot be checked.
 */
export async function takeLock(path: string): Promise<LockOutcome> {
  const own = `${path}.${process.pid}`;
  const text = JSON.stringify(ownerNow());
  writeFileSync(own, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (isLinked(own, path)) return { held: true, release: () => release(path, text) };
      const holder = textOf(path);
      if (holder === undefined) continue; // released a moment ago
      const why = whyHeld(holder, path);
      if (why !== undefined) return { held: false, why };
      if (takeOver(path, own, text, holder)) return { held: true, release: () => release(path, text) };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return { held: false, why: `others keep taking its lock ${path}` };
  } finally {
    rmSync(own, { force: true });
  }
}

// Replacing the lock of a dead process takes a second lock, so that nobody replaces a new one.
function takeOver(path: string, own: string, text: string, dead: string): boolean {
  const second = `${path}.takeover`;
  if (!isLinked(own, second)) {
    const holder = textOf(second);
    if (holder !== undefined && whyHeld(holder, second) === undefined) rmSync(second, { force: true });
    return false;
  }
  try {
    if (textOf(path) !== dead) return false;
    const fresh = `${own}.fresh`;
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, path);
    return true;
  } finally {
    rmSync(second, { force: true });
  }
}

function release(path: string, text: string): void {
  if (textOf(path) === text) rmSync(path, { force: true });
}

// A link appears with its contents or not at all, and never replaces a file.
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (fault) {
    if (codeOf(fault) === 'EEXIST') return false;
    throw fault;
  }
}

function whyHeld(text: string, path: string): string | undefined {
  const owner = ownerIn(text);
  if (owner === undefined) return undefined; // not a complete lock file: left over from a crash of the machine
  if (owner.host !== hostname()) return `process ${owner.pid} on ${owner.host} uses it (if not, delete ${path})`;
  return isAlive(owner) ? `process ${owner.pid} uses it` : undefined;
}

function isAlive({ pid, began }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (fault) {
    return codeOf(fault) === 'EPERM'; // alive, but another user's process
  }
  return began === undefined || beginningOf(pid) === began;
}

function ownerNow(): Owner {
  const began = beginningOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(began === undefined ? {} : { began }) };
}

function ownerIn(text: string): Owner | undefined {
  try {
    const { pid, host, began } = JSON.parse(text) as Partial<Owner>; // checked right below
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    return { pid, host, ...(typeof began === 'string' ? { began } : {}) };
  } catch {
    return undefined;
  }
}

// Field 22 on Linux, clock ticks since boot. Counted from the end of the program's name, which may contain anything.
function beginningOf(pid: number): string | undefined {
  const fields = textOf(`/proc/${pid}/stat`);
  return fields?.slice(fields.lastIndexOf(')') + 2).split(' ')[19];
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error ? Reflect.get(fault, 'code') : undefined;
}
