// examples/web-chat in a real browser and over plain requests: two tabs on one operative, a tab that comes late, one that
// comes back, a message that is sent twice, a page of another origin.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEngine, defineTool, type Approve, type ModelRequest } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { emptyChat, reduceChat, type ChatEvent } from '../../examples/web-chat/chat-state.ts';
import { pageFiles } from '../../examples/web-chat/page-files.ts';
import { createChat, type Chat, type ChatFiles } from '../../examples/web-chat/server.ts';
import { launchChromium } from './chromium.ts';

let browser: Browser;
let files: ChatFiles;
let chat: Chat;
let address: string;
let goOn: () => void;

beforeAll(async () => {
  [browser, files] = await Promise.all([launchChromium(), pageFiles()]);
});

afterAll(() => browser.close());

beforeEach(async () => {
  const pause = new Promise<void>((resolve) => (goOn = resolve));
  chat = createChat((approve) => engineThatWaits(approve, pause), files);
  await new Promise<void>((listening) => chat.server.listen(0, '127.0.0.1', listening));
  const bound = chat.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  address = `http://127.0.0.1:${bound.port}`;
});

afterEach(() => chat.close());

/** Says something and waits in the middle, asks for a tool, then tells what it was told. */
function engineThatWaits(approve: Approve, pause: Promise<void>) {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys.',
    parameters: { type: 'object', properties: {} },
    preview: () => ({ deploys: 'staging' }),
    execute: () => 'deployed',
  });
  const scripted = scriptedModel(
    Array.from({ length: 4 }, () => [
      { text: 'I would deploy.', calls: [{ name: 'deploy', args: {} }], chunks: 7 },
      ({ messages }: ModelRequest) => ({
        text: `Told ${messages.filter(({ role }) => role === 'user').length} thing(s).`,
      }),
    ]).flat(),
  );
  const model: typeof scripted = {
    ...scripted,
    stream: async function* (request, options) {
      let events = 0;
      for await (const event of scripted.stream(request, options)) {
        yield event;
        events += 1;
        if (events === 3) await Promise.race([pause, aborted(options.signal)]); // after the first piece of text
      }
    },
  };
  return createEngine({ model, tools: [deploy], approve });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function tab(): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(address);
  return page;
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('in a browser', () => {
  test('two tabs share one conversation: one starts, the late one reads along, steers and approves', async () => {
    const first = await tab();
    await say(first, 'Deploy, please.');
    await first.getByText('I would', { exact: true }).waitFor();
    const late = await tab();
    await late.getByText('I would', { exact: true }).waitFor(); // what was said before it came
    await say(late, 'And tell me when.');
    goOn();
    await first.getByText('May deploy run?').waitFor();
    await late.getByRole('button', { name: 'Allow' }).click();
    for (const page of [first, late]) {
      await page.getByText('Told 2 thing(s).').waitFor();
      await page.getByText('deploy: completed').waitFor();
      expect(await page.locator('li:visible').allInnerTexts()).toEqual([
        'Deploy, please.',
        'I would deploy.',
        'deploy: completed',
        'And tell me when.\n↪ joined the running turn',
        'Told 2 thing(s).',
      ]);
      expect(await page.getByText('May deploy run?').count()).toBe(0);
    }
  });

  test('a turn is cancelled, and what was said stays', async () => {
    const page = await tab();
    await say(page, 'Deploy, please.');
    await page.getByText('I would', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    expect(await page.locator('li:visible').allInnerTexts()).toEqual(['Deploy, please.', 'I would']);
  });

  test('a denied call is reported to the model', async () => {
    goOn();
    const page = await tab();
    await say(page, 'Deploy, please.');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Told 1 thing(s).').waitFor();
    expect(await page.locator('.call').allInnerTexts()).toEqual(['deploy: denied']);
  });

  test('markup in a message stays text', async () => {
    goOn();
    const page = await tab();
    await say(page, '<img src=x onerror="document.title=1">');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Told 1 thing(s).').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('turnchart web chat');
  });

  test('a tab whose connection broke ends up with what the other has', async () => {
    const page = await tab();
    await say(page, 'Deploy, please.');
    await page.getByText('I would', { exact: true }).waitFor();
    chat.server.closeAllConnections();
    goOn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Told 1 thing(s).').waitFor();
    expect(await page.locator('li:visible').allInnerTexts()).toEqual([
      'Deploy, please.',
      'I would deploy.',
      'deploy: completed',
      'Told 1 thing(s).',
    ]);
  });
});

describe('over plain requests', () => {
  /** Reads events until one of a type, with their ids. */
  async function read(until: ChatEvent['type'], lastEventId?: string): Promise<(readonly [string, ChatEvent])[]> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const { body } = await fetch(`${address}/events`, { headers });
    const events: (readonly [string, ChatEvent])[] = [];
    let text = '';
    for await (const part of body ?? []) {
      text += Buffer.from(part).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, id = '', data = 'null'] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
        events.push([id, JSON.parse(data) as ChatEvent]);
      }
      if (events.some(([, { type }]) => type === until)) return events;
    }
    throw new Error(`the stream ended before ${until}`);
  }

  async function wholeTurn(): Promise<(readonly [string, ChatEvent])[]> {
    goOn();
    const reading = read('turn.completed');
    const approving = read('approval.asked').then((events) => {
      const asked = events.map(([, event]) => event).find((event) => event.type === 'approval.asked');
      return post('/approvals', { callId: asked?.approval.callId, allow: true });
    });
    await post('/messages', { text: 'Deploy.' });
    await approving;
    return reading;
  }

  test('a tab that comes back gets exactly the events it missed', async () => {
    const all = await wholeTurn();
    for (const cut of [1, Math.floor(all.length / 2), all.length - 1]) {
      const missed = await read('turn.completed', all[cut - 1]?.[0]);
      expect(missed).toEqual(all.slice(cut));
    }
  });

  test.each(['0', '99999', 'nonsense', '-1'])(
    'a tab that comes back with the id %s ends with the same state',
    async (id) => {
      const all = await wholeTurn();
      const state = all.reduce((now, [, event]) => reduceChat(now, event), emptyChat);
      const events = id === '0' ? await read('turn.completed', id) : await read('snapshot', id);
      const again = events.reduce((now, [, event]) => reduceChat(now, event), emptyChat);
      expect(again.messages).toEqual(state.messages);
      expect(again.calls).toEqual(state.calls);
    },
  );

  test('a message that is sent twice counts once', async () => {
    const message = { id: 'tab-12345678', text: 'Deploy.' };
    const [once, twice] = await Promise.all([post('/messages', message), post('/messages', message)]);
    expect(await once.json()).toEqual(await twice.json());
    expect(chat.operative.conversation.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['that is a form', { 'content-type': 'text/plain' }],
  ])('a request %s is refused', async (_, headers) => {
    expect((await post('/messages', { text: 'Deploy.' }, headers)).status).toBe(400);
    expect(chat.operative.conversation.messages).toEqual([]);
  });

  test.each([{}, { text: '' }, { text: 7 }, []])('a message %o is refused', async (body) => {
    expect((await post('/messages', body)).status).toBe(400);
  });
});
