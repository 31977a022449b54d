// The root entry in a real browser: on a plain http page, which has no secure context, and in a worker of it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { servePages, type Pages } from './open-page.ts';

const report = {
  isSecureContext: false,
  outcomes: ['startedTurn', 'injected'],
  delivery: 'answered',
  answer: 'Done, as you wished.',
  messages: 5,
  ids: 5,
};
let pages: Pages;

beforeAll(async () => {
  const agent = await bundled('page-agent.ts');
  const worker = `${agent}\nsteeredAgent().then((report) => postMessage(report));`;
  const files = new Map([
    ['/', ['text/html', '<!doctype html><title>agent</title>']],
    ['/agent.js', ['text/javascript', agent]],
    ['/worker.js', ['text/javascript', worker.replaceAll(/^export .*$/gm, '')]],
  ]);
  pages = await servePages((request, response) => {
    const [type, text] = files.get(request.url ?? '') ?? [];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(text);
  });
});

afterAll(() => pages.close());

test('runs a steered agent on an http page', async () => {
  const page = await pages.open();
  expect(await page.evaluate("import('/agent.js').then(({ steeredAgent }) => steeredAgent())")).toEqual(report);
});

test('runs a steered agent in a worker', async () => {
  const page = await pages.open();
  const told = await page.evaluate(
    "new Promise((done) => { new Worker('/worker.js', { type: 'module' }).onmessage = ({ data }) => done(data); })",
  );
  expect(told).toEqual(report);
});
