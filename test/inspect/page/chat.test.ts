import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectInspector } from '../../../src/inspect/index.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { inspectedChat } from '../inspected-chat.ts';
import { expectSoon, openPage, type OpenPage } from './open-page.ts';

let browser: Browser;
let open: OpenPage;
let chat: ReturnType<typeof inspectedChat>;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(() => browser.close());

beforeEach(async () => {
  open = await openPage(browser);
  chat = inspectedChat(open.inspector.inspect);
});

afterEach(() => open.close());

// Up to the end, with a steer and a late message.
async function playAll(): Promise<void> {
  const { operative, gates } = chat;
  const first = await operative.submit('Is the release ready?');
  await operative.submit('Only what changed since Monday, please.');
  for (const gate of [gates.changes, gates.tests, gates.answer]) gate.open();
  await open.row('operative', 'active.settling').waitFor();
  await operative.submit('And who wrote the notes?');
  gates.notes.open();
  for await (const event of first.events) void event;
  await open.row('operative', 'idle').waitFor();
}

const marked = (mark: string) => open.page.locator(`.message[data-marks~="${mark}"]`);

// Runs in the page: texts with less than 4.5 to 1 against what lies behind them.
const readPaleTexts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, under) => [0, 1, 2].map((n) => (top[n] * top[3] + under[n] * (255 - top[3])) / 255);
  const light = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
    return layers.reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const pale = [];
  for (const element of document.querySelectorAll('.app *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!hasText || element.disabled === true || element.getBoundingClientRect().width === 0) continue;
    const isDrawn = element.closest('svg') !== null;
    const { color, fill } = getComputedStyle(element);
    const box = isDrawn ? element.parentElement.querySelector('rect') : null;
    const under = box === null || getComputedStyle(box).fill === 'none' ? behind(element) : over(rgba(getComputedStyle(box).fill), behind(element));
    const [bright, dark] = [light(over(rgba(isDrawn ? fill : color), under)), light(under)].toSorted((a, b) => b - a);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5 && element.tagName !== 'title' && element.tagName !== 'TITLE')
      pale.push(element.className + ' "' + element.textContent.slice(0, 20) + '" ' + ratio.toFixed(2));
  }
  return pale;
})()`;

// Runs in the page: how many states stick out of the chart's box.
const readOutside = `(() => {
  const box = document.querySelector('.chart').getBoundingClientRect();
  const states = [...document.querySelectorAll('.chart .state')].map((state) => state.getBoundingClientRect());
  return states.filter((it) => it.left < box.left || it.top < box.top || it.right > box.right || it.bottom > box.bottom).length;
})()`;

describe('a chat in the page', () => {
  test('shows each moment as it comes: running, tools, steering, sealing, a late message', async () => {
    const { operative, gates } = chat;
    const { row, page } = open;
    const first = await operative.submit('Is the release ready?');
    await row('operative', 'active.running').waitFor();
    await row('toolCall:0', 'running').waitFor();
    await row('toolCall:1', 'running').waitFor();
    await page.locator('.figures', { hasText: 'tokens in1,830' }).waitFor();
    expect(await row('toolCall:0').locator('.tree-name').textContent()).toBe('changes');

    await operative.submit('Only what changed since Monday, please.');
    expect(await marked('waiting').textContent()).toContain('since Monday');
    gates.changes.open();
    await row('toolCall:0', 'completed').waitFor();
    await page.locator('[data-call="changes"][data-status="completed"]').waitFor();
    expect(await row('toolCall:1').getAttribute('data-state')).toBe('running');

    gates.tests.open();
    expect(await marked('steered').textContent()).toContain('since Monday');
    await expectSoon(() => marked('waiting').count()).toBe(0);
    await page.locator('[data-call="askReader"][data-status="completed"]').waitFor();

    gates.answer.open();
    await row('operative', 'active.settling').waitFor();
    await operative.submit('And who wrote the notes?');
    gates.notes.open();
    for await (const event of first.events) void event;
    await row('operative', 'idle').waitFor();
    expect(await marked('late').textContent()).toContain('who wrote the notes');
    expect(await page.locator('.note-end').textContent()).toContain('completed · 3 model calls');
  });

  test('shows an agent that runs in a tool below the call', async () => {
    await playAll();
    await open.row('turn').dblclick();
    const nested = open.page.locator('[data-actor="dispatchTools"]').nth(1);
    await nested.dblclick();
    await open.row('toolCall:0').dblclick();
    const inner = open.page.locator('[data-actor="operative"]').nth(1);
    expect(Number(await inner.getAttribute('aria-level'))).toBe(5);
  });

  test('goes back: an earlier moment shows the states and the transcript of then, and live continues from now', async () => {
    await playAll();
    const { page, row } = open;
    await page.keyboard.press('4');
    const submits = page.locator('[data-event="message.injected"]');
    await page.getByLabel('Filter events').fill('message.injected');
    await submits.first().click();
    await row('operative', 'active.running').waitFor();
    await page.keyboard.press('3');
    await expectSoon(() => marked('late').count()).toBe(0);
    expect(await marked('steered').count()).toBe(1);
    const before = await page.locator('.timeline-text').textContent();
    await page.keyboard.press('ArrowLeft');
    await expectSoon(() => page.locator('.timeline-text').textContent()).not.toBe(before);
    await page.keyboard.press('ArrowRight');
    await expectSoon(() => page.locator('.timeline-text').textContent()).toBe(before);
    await page.keyboard.press('End');
    await row('operative', 'idle').waitFor();
    expect(await marked('late').count()).toBe(1);
  });

  test('stays at the moment it was paused at while more comes', async () => {
    const { operative, gates } = chat;
    const { page, row } = open;
    await operative.submit('Is the release ready?');
    await row('toolCall:1', 'running').waitFor();
    await page.getByText('Pause').click();
    for (const gate of Object.values(gates)) gate.open();
    await page.locator('.timeline-text b').waitFor();
    expect(await row('toolCall:1').getAttribute('data-state')).toBe('running');
    await page.getByText('Go live').click();
    await row('operative', 'idle').waitFor();
  });

  test('lights the active state of the chosen actor and marks the transition that led to it', async () => {
    await chat.operative.submit('Is the release ready?');
    const { page, row } = open;
    await row('turn', 'dispatching.live').click();
    await page.locator('.state.active[data-state="dispatching.live"]').waitFor();
    expect(await page.locator('.event.taken title').textContent()).toBe('streaming → dispatching');
    for (const gate of Object.values(chat.gates)) gate.open();
    await page.locator('.state.active[data-state="completed"]').waitFor();
    expect(await page.locator('.state.active').count()).toBe(1);
  });

  test('draws who sent what to whom', async () => {
    await playAll();
    await open.page.keyboard.press('4');
    const lanes = await open.page.locator('.lane-name').allTextContents();
    expect(lanes.slice(0, 6)).toEqual(['caller', 'operative', 'transcript', 'turn', 'streamModel', 'dispatchTools']);
    await open.page.getByLabel('Filter events').fill('turn.sealed');
    expect(await open.page.locator('.sequence-row').first().getAttribute('title')).toBe(
      'turn → operative: turn.sealed',
    );
  });

  test('counts tokens and times', async () => {
    await playAll();
    const figures = await open.page.locator('.figures > div').allTextContents();
    expect(figures.filter((text) => !/time/.test(text))).toEqual([
      'turns1',
      'model calls3',
      'tool calls3',
      'tokens in6,930',
      'of them cached4,851',
      'tokens out153',
    ]);
  });

  test('exports everything, and opens what it exported', async () => {
    await playAll();
    const { page } = open;
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Export').click()]);
    const path = await download.path();
    const recording = JSON.parse(await readFile(path, 'utf8')) as { format: string; messages: object[] };
    expect(recording.format).toBe('turnchart-inspection');
    const counts = await page.locator('.counts').textContent();
    expect(counts).toContain(`${recording.messages.length} messages`);
    await page.reload();
    await page.locator('input[type="file"]').setInputFiles(path);
    await page.locator('.line-file').waitFor();
    await expectSoon(() => page.locator('.counts').textContent()).toBe(counts);
    expect(await marked('late').count()).toBe(1);
  });

  test('says when the inspector has ended, and keeps what it sent', async () => {
    await playAll();
    await open.inspector.close();
    await open.page.locator('.line-away').waitFor();
    expect(await marked('late').count()).toBe(1);
  });
});

test('a file that could not be opened can be chosen again when it has been mended', async () => {
  const { page } = open;
  await page.locator('input[type="file"]').waitFor({ state: 'attached' });
  // As a chooser does it: without a change of the value there is no event.
  const choose = (text: string) =>
    page.evaluate(`(() => {
      const input = document.querySelector('input[type="file"]');
      const isSame = input.files[0]?.name === 'a.json';
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(text)}], 'a.json'));
      input.files = files.files;
      if (!isSame) input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
  await choose('{');
  await page.getByText('This file is no JSON').waitFor();
  await choose('{"messages":[{"type":"@xstate.actor","sessionId":"a","name":"mended"}]}');
  await open.row('mended').waitFor();
  expect(await page.locator('.counts').textContent()).toBe('1 actor · 1 message');
});

test('texts have the contrast WCAG AA asks for, in both colours', async () => {
  await playAll();
  const { page } = open;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const key of ['3', '4']) {
      await page.keyboard.press(key);
      await page
        .locator(key === '3' ? '.message' : '.sequence-row')
        .first()
        .waitFor();
      expect(await page.evaluate(readPaleTexts)).toEqual([]);
    }
  }
});

test('a page that lost the line comes back and has missed nothing', async () => {
  const { page } = open;
  let drop: () => Promise<void> = () => Promise.resolve();
  await page.routeWebSocket(/./, (socket) => {
    socket.connectToServer();
    drop = () => socket.close();
  });
  await page.reload();
  await page.locator('.line-open').waitFor();
  await chat.operative.submit('Is the release ready?');
  await open.row('operative', 'active.running').waitFor();
  await drop();
  for (const gate of Object.values(chat.gates)) gate.open();
  await open.row('operative', 'idle').waitFor();
  expect(await page.locator('.message').count()).toBe(4);
});

test('two programs show side by side', async () => {
  // Its actors have the ids of this one's.
  const line = connectInspector(open.inspector.url);
  const other = inspectedChat(line.inspect);
  await chat.operative.submit('Is the release ready?');
  await other.operative.submit('And the other one?');
  await expectSoon(() => open.page.locator('[data-actor="operative"]').count()).toBe(2);
  await open.page.locator('[data-actor="operative"]').nth(1).click();
  await open.page.getByText('And the other one?').first().waitFor();
  expect(await open.page.locator('.message', { hasText: 'Is the release ready?' }).count()).toBe(0);
  expect(await open.page.locator('.counts').textContent()).toContain('2 programs');
  await line.close();
});

describe('the keyboard', () => {
  test('walks the tree: down, into, out and up', async () => {
    await chat.operative.submit('Is the release ready?');
    const { page, row } = open;
    await row('toolCall:1', 'running').waitFor();
    const selected = () => page.locator('.tree-row.selected').getAttribute('data-actor');
    await page.locator('.tree').focus();
    expect(await selected()).toBe('operative');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expectSoon(selected).toBe('turn');
    await page.keyboard.press('ArrowLeft');
    await expectSoon(() => row('turn').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await expectSoon(() => row('turn').getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowRight');
    await expectSoon(selected).toBe('streamModel');
    await page.keyboard.press('ArrowLeft');
    await expectSoon(selected).toBe('turn');
  });

  test('moves and zooms the chart, and shows all of it again', async () => {
    await chat.operative.submit('Is the release ready?');
    const { page, row } = open;
    await row('turn', 'dispatching.live').click();
    await page.locator('.chart svg[aria-label="The chart of turn"] .state').first().waitFor();
    const placeText = await page.locator('.timeline-text').textContent();
    const view = async (): Promise<readonly number[]> => {
      const transform = await page.locator('.chart svg').getAttribute('style');
      return [...(transform ?? '').matchAll(/-?[\d.]+/g)].map(Number);
    };
    await page.getByRole('group', { name: 'Chart', exact: true }).focus();
    const [x = 0, y = 0, scale = 0] = await view();
    const near = (value: number): unknown => expect.closeTo(value, 2);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press('ArrowRight', 'ArrowDown');
    await expectSoon(view).toEqual([near(x - 48), near(y - 48), scale]);
    await press('Shift+ArrowLeft', 'ArrowUp');
    await expectSoon(view).toEqual([near(x - 48 + 240), near(y), scale]);
    await press('+');
    await expectSoon(async () => (await view())[2]).toBeCloseTo(scale * 1.25);
    await press('-', '-');
    await expectSoon(async () => (await view())[2]).toBeCloseTo(scale * 0.8);
    const box = page.locator('.chart');
    for (const key of ['0', 'Home']) {
      await press('Shift+ArrowLeft', 'Shift+ArrowLeft', key);
      await expectSoon(() => page.evaluate(readOutside)).toBe(0);
      expect(await box.getByRole('button', { name: 'Follow' }).count()).toBe(1);
    }
    // They did not step through the history meanwhile.
    expect(await page.locator('.timeline-text').textContent()).toBe(placeText);
  });

  test('is seen to be in the chart and told what it can do there; a click leaves it where it was', async () => {
    await chat.operative.submit('Is the release ready?');
    const { page, row } = open;
    await row('toolCall:1', 'running').waitFor();
    await page.locator('.chart .state').first().waitFor();
    const box = page.getByRole('group', { name: 'Chart', exact: true });
    const help = page.getByText('Arrow keys move the chart');
    expect(await help.isVisible()).toBe(false);
    await page.locator('.tree').focus();
    await page.keyboard.press('Tab');
    await help.waitFor();
    expect(await box.evaluate((element) => element.ownerDocument.activeElement === element)).toBe(true);
    expect(await box.evaluate((element) => getComputedStyle(element, '::after').outlineStyle)).toBe('solid');
    await expect(page.locator('body').ariaSnapshot()).resolves.toContain('group "Chart"');
    const described = await box.evaluate((element) => {
      const id = element.getAttribute('aria-describedby') ?? '';
      return element.ownerDocument.getElementById(id)?.textContent;
    });
    expect(described).toContain('zoom');
    await page.locator('.tree').focus();
    await box.click({ position: { x: 5, y: 5 } });
    expect(await page.locator('.tree').evaluate((element) => element.ownerDocument.activeElement === element)).toBe(
      true,
    );
  });

  test('reaches every button in the order one reads', async () => {
    await chat.operative.submit('Is the release ready?');
    const { page } = open;
    await open.row('toolCall:1', 'running').waitFor();
    await page.locator('.chart .state').first().waitFor();
    const names: string[] = [];
    for (let n = 0; n < 14; n++) {
      await page.keyboard.press('Tab');
      names.push(
        await page.evaluate(
          "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim().slice(0, 20)",
        ),
      );
    }
    const wanted = [
      'Colours: system',
      'Open',
      'Export',
      'Actors',
      'Chart',
      'Zoom in',
      'Zoom out',
      'Whole',
      'Facts',
      'Transcript',
    ];
    expect(names.filter((name) => wanted.includes(name))).toEqual([
      ...wanted,
      ...names.filter((name) => name === 'Transcript').slice(1),
    ]);
  });
});

test('fits a window of 390 pixels, one view at a time', async () => {
  const narrow = await openPage(browser, { width: 390, height: 844 });
  const own = inspectedChat(narrow.inspector.inspect);
  await own.operative.submit('Is the release ready?');
  const shown: string[] = [];
  for (const [key, element] of [
    ['1', '.tree'],
    ['2', '.chart svg'],
    ['3', '.message'],
    ['4', '.sequence-row'],
  ] as const) {
    await narrow.page.keyboard.press(key);
    await narrow.page.locator(element).first().waitFor();
    shown.push(key);
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await narrow.page.locator('.panel:visible').count()).toBe(1);
  }
  expect(shown).toHaveLength(4);
  await narrow.close();
});
