// Finds programs on the search path. Used to see which shells there are.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The first executable file of one of the names (an absolute one is taken as it is), or undefined. Asks the disk. */
export function findProgram(names: readonly string[], searchPath = process.env['PATH'] ?? ''): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', ''] : [''];
  for (const name of names) {
    if (isAbsolute(name)) {
      if (isExecutable(name)) return name;
      continue;
    }
    for (const folder of searchPath.split(delimiter)) {
      if (folder === '') continue; // the working directory: not a place to take a shell from
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (isExecutable(path)) return path;
      }
    }
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
