// Replaces a file's content in one step: readers see the old file or the new one, never a part. Called by Write, Edit
// and NotebookEdit.

import { randomBytes } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { access, link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { errorCodeOf } from './file-errors.ts';
import { makeFolders, openFolder, type OpenFolder } from './open-folder.ts';
import { fileState, type FileState } from './read-ledger.ts';

/** `before` is the stat of the file that is replaced; absent: the file must not exist yet. */
export interface Replacement {
  /** Canonical. */
  readonly path: string;
  readonly content: Buffer;
  readonly before?: BigIntStats;
  readonly signal: AbortSignal;
}

/** The state of the new file, or why nothing was changed. */
export type Replaced =
  | { readonly type: 'replaced'; readonly state: FileState }
  | { readonly type: 'refused'; readonly reason: string };

/**
 * Writes next to the file, flushes to disk, then renames. Mode and (if allowed) owner stay. Other hard links keep the
 * old content. Nothing is left behind when it fails. File system errors and the signal's reason are thrown.
 */
export async function replaceFile(replacement: Replacement): Promise<Replaced> {
  const { path, before, signal } = replacement;
  signal.throwIfAborted();
  const parent = dirname(path);
  const moved = 'its folder was moved by another program meanwhile';
  if (before === undefined) {
    if (!(await makeFolders(parent))) return refused(moved);
  } else {
    if ((before.mode & 0o222n) === 0n) return refused('it is write-protected (no write permission in its mode)');
    await access(path, constants.W_OK);
  }
  const folder = await openFolder(parent);
  if (folder === undefined) return refused(moved);
  try {
    return await replaceIn(folder, replacement);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    return refused('its folder does not allow new files, and a file is only ever replaced as a whole');
  } finally {
    await folder.close();
  }
}

async function replaceIn(folder: OpenFolder, { path, content, before, signal }: Replacement): Promise<Replaced> {
  const target = folder.entry(basename(path));
  const temporary = folder.entry(`.turnchart-${randomBytes(9).toString('base64url')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  // A new file gets the mode the umask gives; a copy of a private file is private from the first byte.
  const handle = await open(temporary, flags, before === undefined ? 0o666 : 0o600);
  let isThere = true;
  try {
    const stat = await written(handle, content, before);
    signal.throwIfAborted();
    if (before === undefined) {
      if (!(await linked(temporary, target))) return refused('another program created it meanwhile');
    } else {
      const now = await lstat(target, { bigint: true }).catch(() => undefined);
      if (now === undefined || !isUntouched(before, now)) return refused('another program changed it meanwhile');
      await rename(temporary, target);
      isThere = false;
    }
    await folder.sync();
    return { type: 'replaced', state: fileState(stat, content) };
  } finally {
    if (isThere) await unlink(temporary).catch(() => {});
  }
}

async function written(handle: FileHandle, content: Buffer, before: BigIntStats | undefined): Promise<BigIntStats> {
  try {
    await handle.writeFile(content);
    if (before !== undefined) {
      const mine = await handle.stat({ bigint: true });
      if (mine.uid !== before.uid || mine.gid !== before.gid) {
        await handle.chown(Number(before.uid), Number(before.gid)).catch(() => {}); // only root may give files away
      }
      await handle.chmod(Number(before.mode & 0o7777n)); // after chown, which clears bits
    }
    await handle.sync();
    return await handle.stat({ bigint: true });
  } finally {
    await handle.close();
  }
}

// A hard link, unlike a rename, never replaces what is there. False: something is there.
async function linked(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
  }
  // File systems without hard links: look, then rename.
  const existing = await lstat(target).catch(() => undefined);
  if (existing !== undefined) return false;
  await rename(temporary, target);
  return true;
}

function isUntouched(before: BigIntStats, now: BigIntStats): boolean {
  return now.ino === before.ino && now.dev === before.dev && now.size === before.size && now.mtimeNs === before.mtimeNs;
}

function refused(reason: string): Replaced {
  return { type: 'refused', reason };
}
