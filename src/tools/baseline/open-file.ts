// Opens a file the workspace allows and proves that what was opened is what was allowed. Called by every file tool.

import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises';

import { errorCodeOf, fileErrorText } from './file-errors.ts';
import type { PathUse, Workspace } from './workspace.ts';

/** `path` is canonical, `shown` is what the model wrote. The caller closes the handle. */
export type OpenedFile =
  | {
      readonly type: 'file';
      readonly path: string;
      readonly shown: string;
      readonly handle: FileHandle;
      readonly stat: BigIntStats;
    }
  | { readonly type: 'missing'; readonly path: string; readonly shown: string }
  | { readonly type: 'folder'; readonly path: string; readonly shown: string }
  | { readonly type: 'refused'; readonly message: string };

// Windows has neither flag. NONBLOCK: a pipe that takes the file's place must not block the program.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const attempts = 3;

/** Opens for reading. A path that changes meanwhile is resolved again a few times, then refused. Never throws. */
export async function openFile(workspace: Workspace, named: string, use: PathUse): Promise<OpenedFile> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const found = await workspace.resolve(named, use);
    if (found.type === 'refused') return found;
    try {
      const opened = await openResolved(found.path, found.shown);
      if (opened !== 'changed') return opened;
    } catch (error) {
      return { type: 'refused', message: fileErrorText(error, 'read', found.shown) };
    }
  }
  return { type: 'refused', message: `${named} was changed by another program while it was being opened. Try again.` };
}

/** The canonical path of an open file or folder according to the kernel; undefined if it cannot be asked. */
export async function pathOfHandle(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch {
    return undefined; // no /proc in this container
  }
}

async function openResolved(path: string, shown: string): Promise<OpenedFile | 'changed'> {
  let before: BigIntStats;
  try {
    before = await lstat(path, { bigint: true });
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { type: 'missing', path, shown };
    throw error;
  }
  if (before.isDirectory()) return { type: 'folder', path, shown };
  if (before.isSymbolicLink()) return 'changed';
  // Before it is opened: opening a device or a pipe can block or do something.
  if (!before.isFile()) return { type: 'refused', message: notAFile(before, shown) };
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, flags);
    const stat = await handle.stat({ bigint: true });
    const isSame = stat.ino === before.ino && stat.dev === before.dev && stat.isFile();
    if (isSame && ((await pathOfHandle(handle)) ?? (await realpath(path))) === path) {
      const kept = handle;
      handle = undefined;
      return { type: 'file', path, shown, handle: kept, stat };
    }
    return 'changed';
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' || code === 'ELOOP') return 'changed';
    throw error;
  } finally {
    await handle?.close();
  }
}

function notAFile(stat: BigIntStats, shown: string): string {
  const kind = stat.isFIFO()
    ? 'a named pipe (FIFO)'
    : stat.isSocket()
      ? 'a socket'
      : stat.isCharacterDevice() || stat.isBlockDevice()
        ? 'a device'
        : 'no regular file';
  return `${shown} is ${kind}: the file tools only work with regular files.`;
}
