// Folders on the disk for tests of the command; each is removed when its test has ended.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder with these files. */
export function temporaryFolder(files: { readonly [path: string]: string | Uint8Array }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnchart-cli-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}
