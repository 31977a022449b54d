import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createConversation, createEngine, createOperative, defineTool } from '../../../src/index.ts';
import { withTranscript } from '../../../src/inspect/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { expectSoon, openPage, type OpenPage } from './open-page.ts';

const mostMs = 100;
let browser: Browser;
let open: OpenPage;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

beforeEach(async () => {
  open = await openPage(browser);
});

afterEach(() => open.close());

const shown: ReadonlySet<string> = new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);

// Real turns with tools until this many messages were told; a breath after each, as a model would take.
async function talk(messages: number): Promise<void> {
  let told = 0;
  const inspect = withTranscript((event) => {
    if (shown.has((event as { type: string }).type)) told++;
    open.inspector.inspect(event);
  });
  const engine = createEngine({
    model: scriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? { text: 'Seen, and all of it is as it should be.' }
        : { text: 'I look.', calls: [{ name: 'look', args: { at: 'it' } }, { name: 'look' }] },
    ),
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: {} },
        isConcurrencySafe: true,
        execute: () => 'seen',
      }),
    ],
    transformers: [],
    inspect,
  });
  const operative = createOperative({ engine, conversation: createConversation() });
  while (told < messages) {
    const { events } = await operative.submit('Look once more, please.');
    for await (const event of events) void event;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

interface Mark {
  readonly name: string;
  readonly pid: number;
  /** Microseconds: of the clock, and of the thread's own time. */
  readonly ts: number;
  readonly tts: number;
}

// The page marks its frames in a trace, which knows how long its thread worked between two of them. That is judged: how
// long the thread had to wait for a core is the machine's affair. Both are told.
async function judgeFrames(name: string, work: () => Promise<void>): Promise<void> {
  await browser.startTracing(open.page, { categories: ['-*', 'blink.user_timing'] });
  await open.page.evaluate(`(() => {
    const next = () => {
      performance.mark('frame');
      performance.clearMarks('frame');
      window.nextFrame = requestAnimationFrame(next);
    };
    next();
  })()`);
  await work();
  await open.page.evaluate('cancelAnimationFrame(window.nextFrame)');
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly Mark[] };
  const marks = trace.traceEvents
    .filter((event) => event.name === 'frame')
    .toSorted((left, right) => left.ts - right.ts);
  const lengthsOf = (read: (mark: Mark) => number) =>
    marks
      .slice(1)
      .map((mark, index) => (read(mark) - read(marks[index] ?? mark)) / 1_000)
      .toSorted((left, right) => left - right);
  const [worked, passed] = [lengthsOf(({ tts }) => tts), lengthsOf(({ ts }) => ts)];
  const at = (lengths: readonly number[], part: number) =>
    (lengths[Math.floor((lengths.length - 1) * part)] ?? 0).toFixed(0);
  const told = `${marks.length} frames; the page works ${at(worked, 0.95)} ms at the 95th percentile, ${at(worked, 1)} at most`;
  console.log(`${name}: ${told} (by the clock of this machine: ${at(passed, 0.95)} and ${at(passed, 1)})`);
  expect(marks.length).toBeGreaterThan(20);
  expect(Number(at(worked, 0.95))).toBeLessThan(mostMs);
}

describe('10,000 messages', () => {
  test('come in, and are walked through, without a frame in twenty over 100 ms', async () => {
    const { page } = open;
    await judgeFrames('10,000 messages come in', async () => {
      await talk(10_000);
      await expectSoon(() => page.locator('.counts').textContent()).toMatch(/1\d,\d{3} messages/);
    });
    await judgeFrames('walking through them', walk);
    expect(await page.locator('.message, .note').count()).toBeLessThan(60);
  });

  async function walk(): Promise<void> {
    const { page } = open;
    await page.keyboard.press('4');
    await page.locator('.sequence-row').first().waitFor();
    for (let n = 0; n < 15; n++) await page.keyboard.press('ArrowLeft');
    const slider = page.getByLabel('Place in history');
    for (const part of [0.1, 0.5, 0.9]) await slider.fill(String(Math.round(9_900 * part)));
    await page.keyboard.press('3');
    await page.locator('.message').first().waitFor();
    for (const part of [0.2, 0.6]) await slider.fill(String(Math.round(9_900 * part)));
    const list = page.locator('.transcript .list');
    for (let n = 0; n < 10; n++) await list.evaluate((element) => element.scrollBy(0, -2_000));
    await page.keyboard.press('End');
  }
});
