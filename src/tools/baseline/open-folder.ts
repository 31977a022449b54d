// Holds a folder open while a file in it is replaced, so that a folder swapped for a link meanwhile changes nothing.

import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { errorCodeOf } from './file-errors.ts';
import { pathOfHandle } from './open-file.ts';

/** A folder held open. */
export interface OpenFolder {
  /**
   * A path to an entry of exactly this folder, even if its name now leads elsewhere (on Linux; on other systems its
   * plain path).
   */
  readonly entry: (name: string) => string;
  /** Makes renames in it durable, if the platform can. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a folder by canonical path; undefined when the path leads elsewhere by now. */
export async function openFolder(path: string): Promise<OpenFolder | undefined> {
  if (process.platform === 'win32') {
    const isSame = (await realpath(path)) === path;
    return isSame ? { entry: (name) => join(path, name), sync: async () => {}, close: async () => {} } : undefined;
  }
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch((error: unknown) => {
    const code = errorCodeOf(error);
    if (code === 'ENOTDIR' || code === 'ELOOP') return undefined; // a link, by now
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const known = await pathOfHandle(handle);
    if ((known ?? (await realpath(path))) !== path) {
      await handle.close();
      return undefined;
    }
    const base = known === undefined ? path : `/proc/self/fd/${handle.fd}`;
    return {
      entry: (name) => join(base, name),
      sync: () => handle.sync().catch(() => {}), // some file systems cannot; the rename itself stands
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Makes a folder and those above it that are missing, each inside one held open. False: a path leads elsewhere by now.
 */
export async function makeFolders(path: string): Promise<boolean> {
  const missing: string[] = [];
  let existing = path;
  while (!(await exists(existing))) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  for (const name of missing) {
    const folder = await openFolder(existing);
    if (folder === undefined) return false;
    try {
      await mkdir(folder.entry(name));
    } catch (error) {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    } finally {
      await folder.close();
    }
    existing = join(existing, name);
  }
  return true;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
