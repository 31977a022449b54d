// Names similar to a path that does not exist, so that a model can correct itself. Used by Read, Edit and NotebookEdit.

import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

import type { Workspace } from './workspace.ts';

const maxSuggestions = 3;
const maxNames = 5000;

/** The sentence for a missing file, with up to three names that may have been meant. `path` is canonical. */
export async function missingFileText(workspace: Workspace, path: string, shown: string): Promise<string> {
  const near = await nearPaths(workspace, path);
  const names = near.map((each) => {
    const inside = relative(workspace.cwd, each);
    return inside.startsWith('..') ? each : inside;
  });
  return `${shown} does not exist.${names.length > 0 ? ` Did you mean ${names.join(' or ')}?` : ''}`;
}

async function nearPaths(workspace: Workspace, path: string): Promise<string[]> {
  const found = new Set<string>();
  // An absolute path that forgot where the working directory is: /src/a.ts for <cwd>/src/a.ts.
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  for (let from = 0; from < parts.length && found.size === 0; from++) {
    const candidate = join(workspace.cwd, ...parts.slice(from));
    if (candidate !== path && (await isVisibleFile(workspace, candidate))) found.add(candidate);
  }
  const wanted = comparable(basename(path));
  const entries = await readdir(dirname(path)).catch(() => []);
  const ranked = entries
    .slice(0, maxNames)
    .map((name) => ({ name, distance: distance(comparable(name), wanted) }))
    .filter(({ distance: value }) => value <= Math.max(1, Math.floor(wanted.length / 4)))
    .toSorted((left, right) => left.distance - right.distance);
  const isHidden = workspace.hiddenPaths();
  for (const { name } of ranked) {
    if (found.size >= maxSuggestions) break;
    const candidate = join(dirname(path), name);
    if (!isHidden(candidate)) found.add(candidate);
  }
  return [...found].slice(0, maxSuggestions);
}

async function isVisibleFile(workspace: Workspace, path: string): Promise<boolean> {
  const resolved = await workspace.resolve(path, 'read');
  if (resolved.type !== 'path') return false;
  return await lstat(resolved.path).then(
    (stat) => stat.isFile(),
    () => false,
  );
}

// Case, accents' form and kinds of spaces are the usual slips.
function comparable(name: string): string {
  return name.normalize('NFC').replace(/\s/g, ' ').toLowerCase();
}

// Levenshtein distance; longer names than any file's are cut.
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + change));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
