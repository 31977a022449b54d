// The page as the server sends it: the html as it stands, the script bundled from its source.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { rolldown } from 'rolldown';
import type { ChatFiles } from './server.ts';

/** Bundles the page. */
export async function pageFiles(): Promise<ChatFiles> {
  const html = await readFile(resolve(import.meta.dirname, 'index.html'), 'utf8');
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, 'page.tsx'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, jsx: 'react-jsx' },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return { html, script: output[0].code };
}
