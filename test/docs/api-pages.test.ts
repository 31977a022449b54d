// The API reference as it is checked in: what npm run docs makes of the declarations.

import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = await Promise.all(
  globSync('docs/api/*.md', { cwd: root }).map(async (path) => ({
    path,
    text: await readFile(resolve(root, path), 'utf8'),
  })),
);

test('cuts nothing short but the types of charts', () => {
  const cut = pages.flatMap(({ text }) => text.match(/^.* …$/gm) ?? []);
  expect(cut.filter((line) => !/^export const \w+Machine: …$/.test(line))).toEqual([]);
});

test('shows every event of a session', () => {
  const page = pages.find(({ path }) => path.endsWith('realtime.md'))?.text ?? '';
  for (const type of ['session.ready', 'audio.delta', 'toolCall.settled', 'session.closed']) {
    expect(page).toContain(`'${type}'`);
  }
});
