// The guide's reports are what its example prints.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

test('docs/testing-transformers.md shows the reports of its example', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/redact-emails.ts'], { cwd: root });
  const guide = await readFile(resolve(root, 'docs/testing-transformers.md'), 'utf8');
  const reports = [...guide.matchAll(/```text\n(.*?)\n```/gs)].map(([, text = '']) => text);
  expect(reports).toHaveLength(2);
  for (const report of reports) expect(stdout).toContain(report);
});
