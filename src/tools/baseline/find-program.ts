// Finds programs on the search path. Used to see which shells there are, and whether a name stands for a program of the
// system or for a file of the workspace.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import { isWithin } from './canonical-path.ts';
import { realOr } from './shown-path.ts';

/**
 * Where the system's own programs are, for what runs without approval: a folder of the workspace may come first on the
 * search path.
 */
export const systemPath = '/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin';

/** The first executable file of one of the names (an absolute one is taken as it is), or undefined. Asks the disk. */
export function findProgram(names: readonly string[], searchPath = process.env['PATH'] ?? ''): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', ''] : [''];
  for (const name of names) {
    if (isAbsolute(name)) {
      if (isExecutable(name)) return name;
      continue;
    }
    for (const folder of searchPath.split(delimiter)) {
      if (!isAbsolute(folder)) continue; // relative to the working directory: not a safe place for a shell
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isExecutable(path)) return path;
      }
    }
  }
  return undefined;
}

/**
 * Whether the name leads to a program outside of the folders (canonical paths). False also where the search path has
 * relative entries before it, and where it leads nowhere; on Windows the shell brings programs of its own.
 */
export function leadsOutside(name: string, searchPath: string, folders: readonly string[]): boolean {
  for (const entry of searchPath.split(delimiter)) {
    if (!isAbsolute(entry)) return false;
    const path = join(entry, process.platform === 'win32' ? `${name}.exe` : name);
    if (isExecutable(path))
      return ![path, realOr(path)].some((each) => folders.some((folder) => isWithin(each, folder)));
  }
  return process.platform === 'win32';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
