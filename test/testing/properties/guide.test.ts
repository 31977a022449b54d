// The guide docs/testing-transformers.md against the example that it is made of.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { laws } from '../../../src/testing/properties/index.ts';

const root = resolve(import.meta.dirname, '../../..');
const guide = await readFile(resolve(root, 'docs/testing-transformers.md'), 'utf8');
const file = resolve(root, 'examples/redact-emails.ts');

test('every piece of code in the guide is from the example, and all of them are shown', async () => {
  const example = await readFile(file, 'utf8');
  const regions = [...example.matchAll(/\/\/ #region .*\n([^]*?)\n\/\/ #endregion/g)].map(([, code = '']) =>
    code.trim(),
  );
  const pieces = [...guide.matchAll(/```ts\n([^]*?)\n```/g)].map(([, code = '']) => code.trim());
  expect(pieces.toSorted()).toEqual(regions.toSorted());
});

test('the reports in the guide are what the example prints', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: root });
  const reports = [...guide.matchAll(/```text\n([^]*?)\n```/g)].map(([, text = '']) => text);
  expect(reports).toHaveLength(2);
  for (const report of reports) expect(stdout).toContain(report);
  expect(stdout).toContain('redactEmails keeps every law');
});

test('the guide lists every law, in their order', () => {
  const listed = [...guide.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name ?? '');
  expect(listed.filter((name) => Object.hasOwn(laws, name))).toEqual(Object.keys(laws));
});
