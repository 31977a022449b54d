// `node scripts/inspector-pictures.ts`: the pictures of docs/inspector.md, from a real chat in a real browser.

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startInspector, type Inspector } from '../src/inspect/server/index.ts';
import { launchChromium } from '../test/browser/chromium.ts';
import { inspectedChat } from '../test/inspect/inspected-chat.ts';

const folder = resolve(import.meta.dirname, '../docs/images');
const windows = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;

interface Shot {
  readonly name: string;
  readonly window: keyof typeof windows;
  readonly colorScheme: 'light' | 'dark';
  /** Brings the page into the state to be shown. */
  readonly go: (page: Page) => Promise<void>;
}

const choose = async (page: Page, actor: string) => {
  await page.locator(`[data-actor="${actor}"]`).first().click();
  await page.locator('.chart .state').first().waitFor();
};

// While two tools run and a steering message waits.
const during: readonly Shot[] = (['light', 'dark'] as const).flatMap((colorScheme): Shot[] => [
  { name: `inspector-${colorScheme}`, window: 'wide', colorScheme, go: (page) => choose(page, 'turn') },
  {
    name: `inspector-narrow-${colorScheme}`,
    window: 'narrow',
    colorScheme,
    go: (page) => page.keyboard.press(colorScheme === 'light' ? '3' : '1'),
  },
]);

// When everything is over.
const after: readonly Shot[] = (['light', 'dark'] as const).flatMap((colorScheme): Shot[] => [
  {
    name: `inspector-sequence-${colorScheme}`,
    window: 'wide',
    colorScheme,
    go: async (page) => {
      await choose(page, 'operative');
      await page.keyboard.press('4');
      await page.locator('.sequence-row').first().waitFor();
    },
  },
  {
    name: `inspector-narrow-chart-${colorScheme}`,
    window: 'narrow',
    colorScheme,
    go: async (page) => {
      await page.keyboard.press('1');
      await page.locator('[data-actor="turn"]').click();
      await page.keyboard.press('2');
      await page.locator('.chart .state').first().waitFor();
    },
  },
]);

await mkdir(folder, { recursive: true });
const inspector = await startInspector();
const browser = await launchChromium();
try {
  const { operative, gates } = inspectedChat(inspector.inspect);
  const first = await operative.submit('Is the release ready?');
  await operative.submit('Only what changed since Monday, please.');
  gates.changes.open();
  await take(browser, inspector, during);
  gates.tests.open();
  gates.answer.open();
  while (operative.state !== 'settling') await pause(20);
  await operative.submit('And who wrote the notes?');
  gates.notes.open();
  for await (const event of first.events) void event;
  await take(browser, inspector, after);
} finally {
  await browser.close();
  await inspector.close();
}

async function take(from: Browser, { url }: Inspector, shots: readonly Shot[]): Promise<void> {
  for (const { name, window, colorScheme, go } of shots) {
    const page = await from.newPage({ viewport: windows[window], colorScheme, deviceScaleFactor: 1.5 });
    await page.goto(url);
    await page.locator('[data-actor="operative"]').first().waitFor({ state: 'attached' });
    await go(page);
    await pause(800); // until nothing moves
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
    console.log(`docs/images/${name}.png`);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
