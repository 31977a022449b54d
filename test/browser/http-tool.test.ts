// The HTTP tool in a real browser, where connections and redirects are the browser's.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from './bundled.ts';
import { servePages, type Pages } from './open-page.ts';

let pages: Pages;
let tellClosed = (): void => undefined;
const closed = new Promise<void>((resolve) => (tellClosed = resolve));

beforeAll(async () => {
  const tool = await bundled('page-http-tool.ts');
  pages = await servePages((request, response) => {
    if (request.url === '/')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>tool</title>');
    else if (request.url === '/tool.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(tool);
    else if (request.url === '/moved') response.writeHead(302, { location: '/data' }).end();
    else if (request.url === '/cookie') response.end(`cookie: ${request.headers.cookie ?? 'none'}`);
    else if (request.url === '/endless') {
      response.on('close', tellClosed);
      response.writeHead(200).write('on and');
    } else if (request.url === '/page') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<table><tr><td>a<td>b</table>');
    } else if (request.url === '/echo') response.end(String(request.headers['x-api-key']));
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"sky":"clear"}');
  });
});

afterAll(() => pages.close());

test('an HTTP tool runs in a page, within its rules', async () => {
  const page = await pages.open();
  const results: unknown = await page.evaluate("import('/tool.js').then(({ results }) => results())");
  expect(results).toEqual([
    'completed: 200 OK\n{\n  "sky": "clear"\n}',
    expect.stringMatching(/^failed: .*a browser does not tell where to/),
    'completed: 200 OK\n{\n  "sky": "clear"\n}', // a public name as far as a browser can know
    'completed: 200 OK\n[redacted]',
    'completed: 200 OK\ncookie: visitor=known',
    'completed: 200 OK\ncookie: none',
    'completed: status 200',
    'completed: 200 OK\na | b',
  ]);
  await closed; // what nobody read
});
