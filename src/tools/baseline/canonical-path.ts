// Makes a path canonical: every link followed, also through parts that do not exist yet. Called by the workspace.

import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, parse, resolve, sep } from 'node:path';

import { errorCodeOf } from './file-errors.ts';

/** `fault`: why the path could only be followed as far as `path`; a missing part is not a fault. */
export interface CanonicalPath {
  readonly path: string;
  readonly fault?: string;
}

const maxLinks = 40;

/** The canonical form of an absolute path without `..`. Never throws. */
export async function canonicalPath(path: string): Promise<CanonicalPath> {
  try {
    return { path: await realpath(path) };
  } catch {
    return await followed(path);
  }
}

/** True if `path` is `folder` or lies in it, compared part by part; case-sensitive if the platform is. */
export function isWithin(path: string, folder: string): boolean {
  const child = comparable(path);
  const parent = comparable(folder);
  return child === parent || child.startsWith(parent.endsWith(sep) ? parent : parent + sep);
}

// Follows the path part by part; from the first missing part on, the rest is used as written.
async function followed(path: string): Promise<CanonicalPath> {
  let done = parse(path).root;
  const rest = path
    .slice(done.length)
    .split(sep)
    .filter((part) => part !== '');
  let links = 0;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '.') continue;
    if (part === '..') {
      done = dirname(done);
      continue;
    }
    const next = resolve(done, part);
    let target: string | undefined;
    try {
      if ((await lstat(next)).isSymbolicLink()) target = await readlink(next);
    } catch (error) {
      const code = errorCodeOf(error);
      const ahead = resolve(next, ...rest);
      if (code === 'ENOENT') return { path: ahead };
      return {
        path: ahead,
        fault: code === 'ENOTDIR' ? 'a part of it is a file, not a folder' : 'a part of it may not be entered',
      };
    }
    if (target === undefined) {
      done = next;
      continue;
    }
    if (++links > maxLinks) return { path: next, fault: 'its links lead in a circle' };
    if (isAbsolute(target)) done = parse(target).root;
    rest.unshift(
      ...target
        .slice(isAbsolute(target) ? done.length : 0)
        .split(sep)
        .filter((each) => each !== ''),
    );
  }
  return { path: done };
}

function comparable(path: string): string {
  return process.platform === 'win32' || process.platform === 'darwin' ? path.toLowerCase() : path;
}
