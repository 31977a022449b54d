// Where Chromium is: the system's own.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The path of the executable: `CHROMIUM_PATH`, else the first on the PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined) return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
