// The guides: links that lead somewhere, and code that was compiled.

import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const pages = await Promise.all(
  globSync(['*.md', 'docs/**/*.md', 'changes/*.md', 'examples/**/*.md'], { cwd: root })
    .toSorted()
    .map(async (path) => ({ path, text: await readFile(resolve(root, path), 'utf8') })),
);
const headings = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));

describe.each(pages)('$path', ({ path, text }) => {
  test('links to what is there', async () => {
    const missing: string[] = [];
    for (const [, target = ''] of withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : resolve(root, dirname(path), file).slice(root.length + 1);
      const exists = await stat(resolve(root, linked)).then(
        () => true,
        () => false,
      );
      const hasAnchor = anchor === undefined || headings.get(linked)?.has(anchor) === true;
      if (!exists || !hasAnchor) missing.push(target);
    }
    expect(missing).toEqual([]);
  });
});

const guides = pages.filter(({ path }) => path === 'README.md' || /^docs\/[^/]+\.md$/.test(path));

test.each(guides)('every piece of TypeScript in $path comes from an example', ({ text }) => {
  const outside = text.replaceAll(/^[ \t]*<!-- snippet: [^]*?<!-- \/snippet -->$/gm, '');
  expect(outside.match(/^[ \t]*```(?:ts|tsx|js|typescript|javascript)\b[^]*?```$/gm) ?? []).toEqual([]);
});

test('the index of the examples links to every program', () => {
  const index = pages.find(({ path }) => path === 'examples/README.md')?.text ?? '';
  const programs = globSync('examples/*.ts', { cwd: root }).map((path) => path.replace('examples/', ''));
  expect(programs.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

test.each(pages)('every path that $path names is there', async ({ text }) => {
  const named = withoutFences(text).matchAll(
    /`((?:bench|docs|examples|inspector-page|scripts|src|test)\/[\w./-]*\w\/?)`/g,
  );
  const missing: string[] = [];
  for (const [, path = ''] of named) {
    if (path.includes('/node_modules')) continue; // installed, not checked in
    await stat(resolve(root, path)).catch(() => missing.push(path));
  }
  expect(missing).toEqual([]);
});

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
}

function withoutFences(text: string): string {
  return text.replaceAll(/^[ \t]*```[^]*?^[ \t]*```/gm, '');
}

function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...withoutFences(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
  return new Set(titles.map((title) => title.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}
