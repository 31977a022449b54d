// One folder of the disk and nothing outside of it: finds, walks and opens files. workspace-tools.ts builds on it.

import { constants, readFileSync, realpathSync } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

/** The folder the tools may look into. */
export interface Folder {
  /**
   * All files below `path`, sorted, with forward slashes, relative to the folder. Links are not followed;
   * `node_modules`, `.git` and what the folder's `.gitignore` names without wildcards are left out. Stops after 20,000 files and says so in `cut`.
   */
  readonly walk: (
    path: string,
    signal: AbortSignal,
  ) => Promise<{ readonly files: readonly string[]; readonly cut: boolean }>;
  /** The text of a file. Throws a readable Error for what is outside, missing, no file, binary, or above 4 MiB. */
  readonly readText: (path: string) => Promise<string>;
}

const maxFiles = 20_000;
const maxBytes = 4 * 1024 * 1024;

/** Opens a folder. It must exist. */
export function openFolder(path: string): Folder {
  const root = realpathSync(path);
  const leftOut = new Set(['node_modules', '.git', ...ignoredNames(root)]);

  const inside = async (asked: string): Promise<string> => {
    const real = await realpath(resolve(root, asked)).catch((cause: unknown) => {
      throw new Error(`${asked} does not exist`, { cause });
    });
    const way = relative(root, real);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
      throw new Error(`${asked} is outside of the folder`);
    return real;
  };

  return {
    async walk(asked, signal) {
      const files: string[] = [];
      const start = await inside(asked);
      const folders = [start];
      for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
        signal.throwIfAborted();
        const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
          if (folder === start) throw new Error(`${asked} is no folder that can be read`, { cause });
          return []; // one closed door below it hides only what is behind it
        });
        for (const entry of entries) {
          if (leftOut.has(entry.name)) continue;
          if (entry.isDirectory()) folders.push(join(folder, entry.name));
          else if (entry.isFile()) files.push(relative(root, join(folder, entry.name)).split(sep).join('/'));
        }
        if (files.length > maxFiles) return { files: files.slice(0, maxFiles).sort(), cut: true };
      }
      return { files: files.sort(), cut: false };
    },

    async readText(asked) {
      // Not blocking: opening a pipe would wait for its writer. The kind is checked on what was opened.
      const handle = await open(await inside(asked), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      try {
        const status = await handle.stat();
        if (!status.isFile()) throw new Error(`${asked} is ${status.isDirectory() ? 'a folder' : 'no regular file'}`);
        if (status.size > maxBytes)
          throw new Error(
            `${asked} has ${status.size.toLocaleString('en-US')} bytes; at most ${maxBytes.toLocaleString('en-US')} can be read`,
          );
        const bytes = await handle.readFile();
        if (bytes.includes(0)) throw new Error(`${asked} is a binary file; only text can be read`);
        return bytes.toString('utf8').replace(/^\uFEFF/, '');
      } finally {
        await handle.close();
      }
    },
  };
}

// Only plain names, as `dist/`: enough to leave out what was built.
function ignoredNames(root: string): readonly string[] {
  try {
    const lines = readFileSync(join(root, '.gitignore'), 'utf8').split(/\r?\n/);
    return lines.flatMap((line) => /^\/?([\w.-]+)\/?\s*$/.exec(line)?.[1] ?? []);
  } catch {
    return []; // none there
  }
}

/** The lines of a text. A line end at the very end begins no further line; an empty text has none. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
