// A session in a real browser: its own WebSocket, the key as a subprotocol, no SDK and no `ws`.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { launchChromium } from './chromium.ts';
import { begin, finish, greet, place } from '../realtime/openai/dialogue.ts';
import { startWireServer } from '../realtime/openai/wire-server.ts';

let browser: Browser;
let pages: Server;
let page: Page;

beforeAll(async () => {
  const script = await bundled('page-realtime.ts');
  pages = createServer((request, response) => {
    const isScript = request.url === '/session.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : '<!doctype html><title>session</title>');
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  browser = await launchChromium();
  page = await browser.newPage();
  await page.goto(`http://turnchart.test:${(pages.address() as AddressInfo).port}`);
});

afterAll(async () => {
  await browser.close();
  pages.close();
});

test('a conversation in a page', async () => {
  await using server = await startWireServer({
    async script(peer) {
      await greet(peer, { detection: null });
      const { audio } = await peer.next('input_audio_buffer.append');
      begin(peer, 'r1', await peer.next('response.create'));
      peer.send({ type: 'response.output_audio.delta', ...place('r1', 'i1'), delta: audio });
      finish(peer, 'r1');
    },
  });
  const told: unknown = await page.evaluate(
    `import('/session.js').then(({ conversation }) => conversation(${JSON.stringify(server.url)}))`,
  );
  expect(told).toEqual([
    'session.ready',
    'response.started',
    'audio Uint8Array 1,2,3,255',
    'response.completed',
    'session.closed',
  ]);
  expect(server.peers[0]?.protocols.replaceAll(' ', '')).toBe('realtime,openai-insecure-api-key.ek_page');
  expect((await server.peers[0]?.closed)?.code).toBe(1000);
});

test('a server that nobody runs is named, the key is not', async () => {
  const told = await page.evaluate("import('/session.js').then(({ failure }) => failure('http://127.0.0.1:9/v1'))");
  expect(told).toContain('Could not reach OpenAI at http://127.0.0.1:9/v1');
  expect(told).not.toContain('ek_page');
});
