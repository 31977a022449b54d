// The picture of the guided demo: made by a script from the demo's real output, and as new as the demo.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { terminalPicture } from '../../scripts/docs/terminal-picture.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(resolve(root, path), 'utf8');
const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

test('it shows the steps that the demo reports', async () => {
  const steps = [...(await read('src/cli/guided-demo.ts')).matchAll(/▸ \d\. [^'`\\]+/g)].map(([step]) => step);
  const shown = textsOf(await read('docs/images/guided-demo.svg'))
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  expect(steps).toHaveLength(4);
  const missing = steps.filter((step) => !shown.includes(step));
  expect(missing, 'make the picture again: node scripts/demo-picture.ts').toEqual([]);
});

test('lines are escaped, and long ones wrapped between words', () => {
  const svg = terminalPicture(`$ a <b> & "c"\n\n${'word '.repeat(30)}end`, 'x');
  expect(textsOf(svg)).toEqual([
    '$ a &lt;b&gt; &amp; &quot;c&quot;',
    'word '.repeat(21).trimEnd(),
    `  ${'word '.repeat(9)}end`,
  ]);
});

test('a line looks as it begins', () => {
  const svg = terminalPicture('▸ 1. A step\n› typed\n✓ done\n  (a state)\n· thought\nsaid', 'x');
  const looks = [...svg.matchAll(/<text class="(\w+)"/g)].map(([, look]) => look);
  expect(looks).toEqual(['head', 'typed', 'done', 'state', 'dim', 'plain']);
});
