import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as embedding from '../../../src/embedding/index.ts';
import { flatten, readChart } from '../../../src/inspect/chart-config.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { expectSoon, openPage, type OpenPage } from './open-page.ts';

interface Machine {
  readonly id: string;
  readonly config: object;
}

// Every machine the library has.
const machines = Object.entries(embedding).flatMap(([name, value]) =>
  name.endsWith('Machine') ? [value as unknown as Machine] : [],
);

interface Box {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

// Runs in the page.
const readBoxes = `(() => {
  const boxOf = (name, element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { name, x, y, width, height };
  };
  const texts = [...document.querySelectorAll('.chart .event text, .chart .state-name, .chart .many text')];
  const leaves = [...document.querySelectorAll('.chart .state:not(.level) > rect:first-of-type')];
  return {
    texts: texts.map((text) => boxOf(text.textContent, text)),
    leaves: leaves.map((rect) => boxOf('the box ' + rect.parentElement.dataset.state, rect)),
    labels: [...document.querySelectorAll('.chart .event')].map((label) => boxOf(label.textContent, label)),
    states: document.querySelectorAll('.chart .state').length,
  };
})()`;

function overlapping(boxes: readonly Box[], others: readonly Box[]): readonly string[] {
  const found: string[] = [];
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes === others ? boxes.slice(index + 1) : others) {
      const wide = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
      const high = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
      if (wide > 0.75 && high > 0.75) found.push(`${one.name} × ${other.name}`);
    }
  }
  return found;
}

describe.each([
  ['in a wide window', 1280, 800],
  ['in a narrow window', 390, 844],
])('%s', (_, width, height) => {
  let open: OpenPage;

  beforeAll(async () => {
    open = await openPage(browser, { width, height });
    for (const machine of machines) {
      const actorRef = { id: machine.id, sessionId: machine.id, logic: machine };
      open.inspector.inspect({ type: '@xstate.actor', rootId: machine.id, actorRef });
    }
  });

  afterAll(() => open.close());

  test.each(machines)(
    'the chart of $id draws whole, and no text lies on another or in a foreign box',
    async (machine) => {
      const { page, row } = open;
      await page.keyboard.press('1');
      await row(machine.id).click();
      await page.keyboard.press('2');
      await page.locator(`.chart svg[aria-label="The chart of ${machine.id}"] .state`).first().waitFor();
      const whole = page.locator('.chart-tools button', { hasText: 'Whole' });
      if ((await whole.count()) > 0 && (await whole.isEnabled())) await whole.click();
      const isMoving = 'document.querySelector(".chart svg").getAnimations({ subtree: true }).length > 0';
      await expectSoon(() => page.evaluate(isMoving)).toBe(false);
      const { texts, leaves, labels, states } = (await page.evaluate(readBoxes)) as {
        texts: Box[];
        leaves: Box[];
        labels: Box[];
        states: number;
      };
      expect(states).toBe(flatten(readChart(machine.config).states).length);
      expect(overlapping(texts, texts)).toEqual([]);
      expect(overlapping(labels, labels)).toEqual([]);
      expect(overlapping(labels, leaves)).toEqual([]);
      const box = await page.locator('.chart').boundingBox();
      const outside = [...texts, ...leaves].filter(
        ({ x, y, width: w, height: h }) =>
          box === null || x < box.x || y < box.y || x + w > box.x + box.width || y + h > box.y + box.height,
      );
      expect(outside.map(({ name }) => name)).toEqual([]);
    },
  );
});
