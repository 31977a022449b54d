// The generated chart pages.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chartPage } from '../../scripts/docs/chart-page.ts';
import { chartIds, walks } from '../paths/chart-suites.ts';
import { leavesOf } from '../paths/chart-facts.ts';

const folder = resolve(import.meta.dirname, '../../docs/statecharts');

describe.each(chartIds)('the page of %s', (id) => {
  let page: Awaited<ReturnType<typeof chartPage>>;

  beforeAll(async () => {
    page = await chartPage(id);
  });

  test('is what npm run docs would write', async () => {
    const { name, markdown, svg } = page;
    expect(await readFile(resolve(folder, `${name}.md`), 'utf8')).toBe(markdown);
    expect(await readFile(resolve(folder, `${name}.svg`), 'utf8')).toBe(svg);
  });

  test('shows every state, with its description, in table and picture', () => {
    const { markdown, svg } = page;
    for (const { key, description } of leavesOf(walks[id].machine)) {
      expect(markdown).toContain(`| \`${key}\` | ${description}`);
      expect(svg).toContain(`>${key.split('.').at(-1)}</text>`);
    }
  });

  test('asks for nothing on the web', () => {
    const { svg } = page;
    expect(svg.match(/https?:\/\/[^"'\s)]+/g)).toEqual(['http://www.w3.org/2000/svg']);
    expect(svg).not.toContain('@import');
  });
});
