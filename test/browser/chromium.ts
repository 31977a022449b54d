// Chromium for tests: the system's own, driven by playwright-core, which brings no browser along.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Starts Chromium without a window. `CHROMIUM_PATH` names another executable. Host names ending in `.test` lead to this
 * machine, so that a page can come from an origin that browsers do not trust as they trust localhost.
 */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? found(),
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
}

function found(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      if (isProgram(path)) return path;
    }
  }
  throw new Error(`No Chromium on the PATH (looked for ${names.join(', ')}). Install it: apt-get install chromium`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
