// The guide docs/testing-transformers.md against the example it is made of.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { laws } from '../../src/testing/properties/index.ts';

const root = resolve(import.meta.dirname, '../..');
const guide = await readFile(resolve(root, 'docs/testing-transformers.md'), 'utf8');
const file = resolve(root, 'examples/redact-emails.ts');
const example = await readFile(file, 'utf8');

test('every piece of code in the guide is from the example', () => {
  const regions = [...example.matchAll(/\/\/ #region .*\n([^]*?)\n\/\/ #endregion/g)].map(([, code = '']) =>
    code.trim(),
  );
  const pieces = [...guide.matchAll(/```ts\n([^]*?)\n```/g)].map(([, code = '']) => code.trim());
  expect(pieces.slice(1).toSorted()).toEqual(regions.toSorted());
});

test('what the guide shows is what the example prints', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: root });
  const shown = [...guide.matchAll(/```text\n([^]*?)\n```/g)].map(([, text = '']) => text);
  expect(shown).toHaveLength(2);
  for (const text of shown) expect(stdout).toContain(text);
});

test('the guide lists every law', () => {
  const listed = [...guide.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
  expect(listed).toEqual(expect.arrayContaining(Object.keys(laws)));
});
