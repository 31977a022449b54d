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

/**
 * The path as it may stand in a line of text: as a JSON string where it holds line ends or other characters that are
 * not to be seen, or begins with a quote.
 */
export function printablePath(path: string): string {
  return /^"|[\p{Cc}\p{Cs}\u200E\u200F\u2028-\u202E\u2066-\u2069]/u.test(path) ? quoted(path) : path;
}

function quoted(path: string): string {
  return JSON.stringify(path).replace(
    /[\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g, // JSON leaves them as they are
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The path with its links followed; the path itself where that fails. */
export function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
