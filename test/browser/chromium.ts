// Chromium for tests, driven by playwright-core, which brings no browser along.

import { chromium, type Browser } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

/**
 * Starts Chromium without a window. Host names ending in `.test` lead to this machine, so that a page can come from an
 * origin that browsers do not trust as they trust localhost.
 */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium. Install it: apt-get install chromium');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
}
