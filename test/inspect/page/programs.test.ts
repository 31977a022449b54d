// Programs in pages of a real browser, and @statelyai/inspect's own server and page at the other end.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createInspectorServer } from '@statelyai/inspect/server';
import { createWebSocketReceiver } from '@statelyai/inspect';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from 'vite';
import { createEngine, createOperative } from '../../../src/index.ts';
import { connectInspector } from '../../../src/inspect/index.ts';
import { startInspector } from '../../../src/inspect/server/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { expectSoon } from './open-page.ts';

const servers: Server[] = [];
let browser: Browser;
let context: BrowserContext;
let script: string;

// The hosted page, as far as it answers: says that it is there, and keeps what it is sent.
const hosted = `<!doctype html><script>
  window.told = [];
  addEventListener('message', ({ data }) => told.push(data));
  opener.postMessage({ type: '@statelyai.connected' }, '*');
</script>`;

beforeAll(async () => {
  const result = await build({
    configFile: false,
    envFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: fileURLToPath(import.meta.resolve('./browser-program.ts')), formats: ['es'] },
    },
  });
  const [made] = Array.isArray(result) ? result : [];
  const [chunk] = made?.output ?? [];
  script = chunk?.code ?? '';
  browser = await launchChromium();
  context = await browser.newContext();
  await context.route(/^https:\/\/stately\.ai\//, (route) => route.fulfill({ contentType: 'text/html', body: hosted }));
});

afterAll(async () => {
  for (const server of servers) server.close();
  await browser.close();
});

// A real server: a page that comes from nowhere near may not call this machine.
async function serveProgram(): Promise<string> {
  const server = createServer(({ url }, response) => {
    const isScript = url?.endsWith('.js') === true;
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<body><script type="module" src="/program.js"></script>');
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function programAt(address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('button').waitFor();
  return page;
}

const lostAt = (page: Page, url: string) => page.evaluate(`showAt(${JSON.stringify(url)})`);

describe('a program in a page', () => {
  test('is shown where its origin was named, and another one is not', async () => {
    const [named, other] = [await serveProgram(), await serveProgram()];
    const inspector = await startInspector({ allowOrigins: [named] });
    const viewer = await context.newPage();
    await viewer.goto(inspector.url);
    await viewer.locator('.line-open').waitFor();
    expect(await lostAt(await programAt(named), inspector.url)).toBe(0);
    expect(await lostAt(await programAt(other), inspector.url)).toBeGreaterThan(20);
    await viewer.locator('[data-actor="operative"][data-state="idle"]').waitFor();
    expect(await viewer.locator('[data-actor="operative"]').count()).toBe(1);
    await inspector.close();
  });

  test('opens Stately’s page, which gets everything', async () => {
    const page = await programAt(await serveProgram());
    const [popup] = await Promise.all([context.waitForEvent('page'), page.locator('button').click()]);
    const names = () => popup.evaluate("told.flatMap(({ type, name }) => (type === '@xstate.actor' ? [name] : []))");
    await expectSoon(names).toEqual(['operative', 'transcript', 'turn', 'shape', 'streamModel']);
    await expectSoon(() =>
      popup.evaluate("told.filter(({ event }) => event?.type === 'turn.completed').length > 0"),
    ).toBe(true);
  });
});

test('our line sends to Stately’s own server, and its receiver gets everything', async () => {
  const port = 20_000 + (process.pid % 10_000);
  const server = createInspectorServer({ port, autoOpen: false });
  const receiver = createWebSocketReceiver({ server: `ws://localhost:${port}` });
  const names: string[] = [];
  const events: string[] = [];
  receiver.subscribe((event) => {
    if (event.type === '@xstate.actor') names.push(event.name);
    if (event.type === '@xstate.event') events.push(event.event.type);
  });
  const line = connectInspector(`ws://localhost:${port}`);
  const operative = createOperative({
    engine: createEngine({ model: scriptedModel([{ text: 'Hello.' }]), inspect: line.inspect }),
  });
  const turn = await operative.submit('Hi!');
  for await (const event of turn.events) void event;
  await line.close();
  expect(line.dropped).toBe(0);
  await expectSoon(() => events).toContain('turn.completed');
  expect(names).toEqual(['operative', 'transcript', 'turn', 'shape', 'streamModel']);
  server.stop();
});
