// A browser and a server of pages for it, on an origin that browsers do not trust as they trust localhost.

import { createServer, type RequestListener } from 'node:http';
import type { Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** Pages of one origin. */
export interface Pages {
  /** Opens the page at `/`. */
  open(): Promise<Page>;
  close(): Promise<void>;
}

/** Serves pages with `listener` and starts a browser that can open them. */
export async function servePages(listener: RequestListener): Promise<Pages> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  const browser = await launchChromium();
  return {
    open: async () => {
      const page = await browser.newPage();
      await page.goto(`http://turnchart.test:${bound.port}`);
      return page;
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
