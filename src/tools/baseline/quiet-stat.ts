// The stat of a file that may be gone or inaccessible by now. Called by Glob and Grep for many files.

import { lstatSync, statSync, type Stats } from 'node:fs';

/** Of the file itself, or of the link where it is one. Undefined where nothing is known. */
export function linkStat(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** Of what the path leads to. Undefined where nothing is known. */
export function targetStat(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

function attempt(ask: () => Stats | undefined): Stats | undefined {
  try {
    return ask();
  } catch {
    return undefined; // such as in a folder that may be listed but not entered
  }
}
