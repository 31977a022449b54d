// An inspector with its page open in a real browser. Every error the page reports fails the test that closes it.

import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startInspector, type Inspector } from '../../../src/inspect/server/index.ts';

/** The pair, and what one looks for on the page. */
export interface OpenPage {
  readonly inspector: Inspector;
  readonly page: Page;
  /** A row of the tree by the actor's name, and by its state where that is given. */
  row(actor: string, state?: string): ReturnType<Page['locator']>;
  /** Closes both; the page must have reported no error. */
  close(): Promise<void>;
}

/** As `expect`, until it holds: for what the page shows a moment later. */
export function expectSoon<Value>(read: () => Value) {
  return expect.poll(read, { timeout: 15_000, interval: 20 });
}

/** Opens the page in a window of the given width. */
export async function openPage(
  browser: Browser,
  { width = 1280, height = 800 }: { readonly width?: number; readonly height?: number } = {},
): Promise<OpenPage> {
  const inspector = await startInspector();
  const context = await browser.newContext({ viewport: { width, height }, acceptDownloads: true });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(String(fault)));
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning';
    // What the browser says of an inspector that has ended; the page says it too.
    const isAway = /ERR_CONNECTION_REFUSED|WebSocket connection/.test(message.text());
    if (isFault && !isAway) faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(inspector.url);
  await page.locator('.line-open').waitFor();
  return {
    inspector,
    page,
    row: (actor, state) =>
      page.locator(`[data-actor="${actor}"]${state === undefined ? '' : `[data-state="${state}"]`}`).first(),
    async close() {
      await context.close();
      await inspector.close();
      expect(faults).toEqual([]);
    },
  };
}
