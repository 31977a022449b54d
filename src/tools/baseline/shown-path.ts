// How Glob and Grep show paths.

import { realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

import type { Workspace } from './workspace.ts';

/** From the working directory, with forward slashes, where the path lies in it; else whole. */
export function shownPath(workspace: Workspace, path: string): string {
  for (const base of [workspace.cwd, realOr(workspace.cwd)]) {
    const way = relative(base, path);
    if (way === '') return '.';
    if (way !== '..' && !way.startsWith(`..${sep}`) && resolve(base, way) === path) {
      return sep === '/' ? way : way.split(sep).join('/');
    }
  }
  return path;
}

/** The path with its links followed; the path itself where that fails. */
export function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
