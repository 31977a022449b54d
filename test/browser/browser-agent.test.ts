// examples/browser-agent in a real browser: a person starts a turn, steers it, and reads the answer.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { servePages, type Pages } from './open-page.ts';

let pages: Pages;

beforeAll(async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../examples/browser-agent/index.html'), 'utf8');
  const agent = await bundled('../../examples/browser-agent/agent.ts');
  pages = await servePages((request, response) => {
    const isAgent = request.url === '/agent.ts';
    response.writeHead(200, { 'content-type': isAgent ? 'text/javascript' : 'text/html' }).end(isAgent ? agent : page);
  });
});

afterAll(() => pages.close());

test('an agent in a page is steered while its tool works', async () => {
  const page = await pages.open();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('tool: notes').waitFor();
  await page.getByLabel('Message').fill('Only the first, please.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Only one: milk.').waitFor();
  expect(await page.locator('li').allTextContents()).toEqual([
    'you: Which notes do I have?',
    'note: startedTurn',
    'agent: Let me look.',
    'tool: notes',
    'you: Only the first, please.',
    'note: injected',
    'note: your message joined the running turn',
    'agent: Only one: milk.',
  ]);
});
