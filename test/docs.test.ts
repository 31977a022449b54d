// The guides against the code.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../src/contracts/errors.ts';

const page = await readFile(resolve(import.meta.dirname, '../docs/errors.md'), 'utf8');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...body] = section.split('\n');
      return [heading.replaceAll('`', ''), body.join('\n')];
    }),
);

describe('docs/errors.md', () => {
  test('has a heading for every error code, and for nothing else', () => {
    expect([...sections.keys()]).toEqual([...errorCodes]);
  });

  test.each([...errorCodes])('%s says what happened, why, and what to do', (code) => {
    const labels = [...(sections.get(code) ?? '').matchAll(/^\*\*(.+):\*\* \S/gm)].map(([, label]) => label);
    expect(labels).toEqual(['What happened', 'Likely cause', 'What to do']);
  });
});
