// Where the built page is: next to this file in the package, built on demand in a checkout of the sources.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

let built: Promise<{ readonly stdout: string }> | undefined;

/** The folder with the page's `index.html`. */
export async function pageFolder(): Promise<string> {
  if (import.meta.url.endsWith('.ts')) {
    // A checkout. In a separate process: what builds the page is not part of the package.
    const script = fileURLToPath(new URL('../../../scripts/inspector-page.ts', import.meta.url));
    const build = (): NonNullable<typeof built> => (built = promisify(execFile)(process.execPath, [script]));
    const folder = (await (built ?? build())).stdout.trim();
    // A build from other sources removes this one.
    return existsSync(folder) ? folder : (await build()).stdout.trim();
  }
  const folder = fileURLToPath(new URL('../page/', import.meta.url));
  if (existsSync(folder)) return folder;
  throw new Error(`The inspector's page is missing: ${folder}. Reinstall turnchart, or run npm run build.`);
}
