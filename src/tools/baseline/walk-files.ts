// Walks a folder in this process, like `rg --files`: skips ignored files, version control and installed packages, and
// does not follow links. Called by Glob, and by Grep if there is no ripgrep.

import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';

import { isIgnored, leftOutFolders, rulesAt, rulesBelow, type IgnoreRules } from './ignore-rules.ts';

/** Where to walk and what to take. */
export interface Walk {
  /** Canonical path of a folder. */
  readonly folder: string;
  /** Outside of a repository, ignore files count from here on downwards. */
  readonly top: string;
  /** Whether to enter a folder, by its path relative to the start with forward slashes. Default: all. */
  readonly enters: (way: string) => boolean;
  /** Whether to take a file. */
  readonly takes: (way: string) => boolean;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Paths relative to the start, in no order. `isPartial`: the time was up before everything was seen. */
export interface Walked {
  readonly files: readonly string[];
  readonly isPartial: boolean;
}

// Reading folders synchronously is several times faster than through the thread pool; other work runs in between.
const sliceMs = 8;
const leftOut = new Set(leftOutFolders);

/** Throws only for the signal: folders that cannot be read are left out. */
export async function walkFiles(walk: Walk): Promise<Walked> {
  walk.signal.throwIfAborted();
  const files: string[] = [];
  const began = performance.now();
  let sliceEnd = began + sliceMs;
  const open: { readonly way: string; readonly rules: IgnoreRules }[] = [
    { way: '', rules: rulesAt(walk.folder, walk.top) },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const folder = next.way === '' ? walk.folder : join(walk.folder, next.way);
    const entries = entriesOf(folder);
    const start = folder.endsWith(sep) ? folder : folder + sep;
    const rules = next.way === '' ? next.rules : rulesBelow(next.rules, folder, ruleNames(entries));
    for (const entry of entries) {
      const now = performance.now();
      if (now - began >= walk.limitMs) return { files, isPartial: true };
      if (now >= sliceEnd) {
        await nextRound();
        walk.signal.throwIfAborted();
        sliceEnd = performance.now() + sliceMs;
      }
      const way = next.way === '' ? entry.name : `${next.way}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (isFolder ? leftOut.has(entry.name) || !walk.enters(way) : !walk.takes(way)) continue;
      const path = start + entry.name;
      if (!isFolder && !entry.isFile() && !(entry.isSymbolicLink() && leadsToFile(path))) continue;
      if (isIgnored(rules, path, entry.name, isFolder)) continue;
      if (isFolder) open.push({ way, rules });
      else files.push(way);
    }
  }
  return { files, isPartial: false };
}

function ruleNames(entries: readonly Dirent[]): string[] {
  return entries.filter(({ name }) => name === '.gitignore' || name === '.ignore').map(({ name }) => name);
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // closed, or gone meanwhile
  }
}

function leadsToFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // it leads nowhere, or in a circle
  }
}
