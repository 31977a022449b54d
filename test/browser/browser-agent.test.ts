// examples/browser-agent in a real browser: a person starts a turn, steers it, and reads the answer.

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { launchChromium } from './chromium.ts';

let browser: Browser;
let server: Server;
let address: string;

beforeAll(async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../examples/browser-agent/index.html'), 'utf8');
  const agent = await bundled('../../examples/browser-agent/agent.ts');
  server = createServer((request, response) => {
    const isAgent = request.url === '/agent.ts';
    response.writeHead(200, { 'content-type': isAgent ? 'text/javascript' : 'text/html' }).end(isAgent ? agent : page);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  address = `http://turnchart.test:${bound.port}`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  server.close();
});

test('an agent in a page is steered while its tool works', async () => {
  const page = await browser.newPage();
  await page.goto(address);
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
