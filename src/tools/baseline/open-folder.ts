// Holds a folder open while a file in it is replaced, so that a folder swapped for a link meanwhile changes nothing.

import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';

import { pathOfHandle } from './open-file.ts';

/** A folder held open. */
export interface OpenFolder {
  /** A path to an entry of exactly this folder, wherever its name leads by now (on Linux; elsewhere its plain path). */
  readonly entry: (name: string) => string;
  /** Makes renames in it durable, where the platform can. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a folder by canonical path; undefined when the path leads elsewhere by now. */
export async function openFolder(path: string): Promise<OpenFolder | undefined> {
  if (process.platform === 'win32') {
    const isSame = (await realpath(path)) === path;
    return isSame ? { entry: (name) => join(path, name), sync: async () => {}, close: async () => {} } : undefined;
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
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
