// The root entry in a real browser: on a plain http page, which has no secure context, and in a worker of it.

import { createServer, type Server } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { launchChromium } from './chromium.ts';

const report = {
  isSecureContext: false,
  outcomes: ['startedTurn', 'injected'],
  delivery: 'answered',
  answer: 'Done, as you wished.',
  messages: 5,
  ids: 5,
};
let browser: Browser;
let server: Server;
let address: string;

beforeAll(async () => {
  const agent = await bundled('page-agent.ts');
  const worker = `${agent}\nsteeredAgent().then((report) => postMessage(report));`;
  const files = new Map([
    ['/', ['text/html', '<!doctype html><title>agent</title>']],
    ['/agent.js', ['text/javascript', agent]],
    ['/worker.js', ['text/javascript', worker.replaceAll(/^export .*$/gm, '')]],
  ]);
  server = createServer((request, response) => {
    const [type, text] = files.get(request.url ?? '') ?? [];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(text);
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

test('runs a steered agent on an http page', async () => {
  const page = await browser.newPage();
  await page.goto(address);
  expect(await page.evaluate("import('/agent.js').then(({ steeredAgent }) => steeredAgent())")).toEqual(report);
});

test('runs a steered agent in a worker', async () => {
  const page = await browser.newPage();
  await page.goto(address);
  const told = await page.evaluate(
    "new Promise((done) => { new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => done(data); })",
  );
  expect(told).toEqual(report);
});
