// Serves the files of the page, and nothing else.

import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

// The page cannot be framed, loads nothing from elsewhere, and its address, which contains the token, is not leaked.
const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** The page's files by path, read once: a request selects among them and never names a file on disk. */
export function readPage(folder: string): ReadonlyMap<string, { readonly type: string; readonly body: Buffer }> {
  const files = new Map<string, { readonly type: string; readonly body: Buffer }>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(folder, '/').length).replaceAll('\\', '/');
    files.set(path, { type: types[extname(path)] ?? 'application/octet-stream', body: readFileSync(file) });
  }
  return files;
}

/** Answers one request for a path below the token; without a slash after the token, redirects to the page. */
export function servePage(page: ReturnType<typeof readPage>, path: string | undefined, response: ServerResponse): void {
  if (path === undefined) return sendTo(response, `${response.req.url?.split(/[?#]/, 1)[0]?.split('/').at(-1)}/`);
  const file = page.get(path === '' ? 'index.html' : path);
  if (file === undefined) return serveText(response, 404, 'The inspector has no such file.');
  response.writeHead(200, { ...headers, 'Content-Type': file.type });
  response.end(file.body);
}

// The page's files are relative to its folder; without the slash that would be the folder above.
function sendTo(response: ServerResponse, location: string): void {
  response.writeHead(302, { ...headers, Location: location });
  response.end();
}

/** Answers with one sentence. */
export function serveText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
