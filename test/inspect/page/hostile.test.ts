import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createEngine, createOperative } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { launchChromium } from '../../browser/chromium.ts';
import { expectSoon, openPage, type OpenPage } from './open-page.ts';

const markup = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><b>bold</b>';
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

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let n = 0; n < depth; n++) value = { value };
  return value;
}

// A program that speaks the protocol, well or badly.
async function program() {
  const socket = new WebSocket(`${open.inspector.url.replace('http:', 'ws:')}?role=source`);
  await new Promise((done) => socket.once('open', done));
  return {
    socket,
    send: (message: object) => socket.send(JSON.stringify({ createdAt: String(1_800_000_000_000), ...message })),
  };
}

describe('hostile content', () => {
  test('in a transcript is text, whatever it looks like', async () => {
    const engine = createEngine({
      model: scriptedModel([{ text: `${markup} javascript:alert(1)`, thinking: markup }]),
      transformers: [],
      inspect: open.inspector.inspect,
    });
    const { events } = await createOperative({ engine }).submit(markup);
    for await (const event of events) void event;
    await open.page.getByText('javascript:alert(1)').waitFor();
    expect(await open.page.evaluate('window.hacked')).toBeUndefined();
    expect(await open.page.locator('.transcript img, .transcript script, .transcript .block b').count()).toBe(0);
  });

  test('in names, charts, events and contexts is text too', async () => {
    const { socket, send } = await program();
    const definition = JSON.stringify({
      id: markup,
      description: markup,
      initial: markup,
      states: { [markup]: { description: markup, on: { [markup]: { target: markup, guard: markup } } } },
    });
    send({ type: '@xstate.actor', sessionId: markup, name: markup, definition });
    send({
      type: '@xstate.event',
      sessionId: markup,
      sourceId: 'somebody',
      event: { type: markup, submission: { text: markup } },
    });
    send({
      type: '@xstate.snapshot',
      sessionId: markup,
      event: { type: markup },
      snapshot: { value: markup, context: { [markup]: markup, __proto__: { x: 1 } }, status: 'active' },
    });
    await open.page.locator('.chart .state').waitFor();
    await open.page.keyboard.press('4');
    await open.page.locator('.sequence-row').first().waitFor();
    expect(await open.page.evaluate('window.hacked')).toBeUndefined();
    expect(await open.page.locator('main img, main script').count()).toBe(0);
    socket.terminate();
  });

  test('of any shape in place of what is expected breaks nothing', async () => {
    const { socket, send } = await program();
    const values: unknown[] = [null, 0, '', 'x', [], [1], {}, { type: 1 }, true, { a: { b: { c: [] } } }, nested(600)];
    for (const [n, value] of values.entries()) {
      send({
        type: '@xstate.actor',
        sessionId: `a${n}`,
        name: value,
        parentId: value,
        definition: value,
        snapshot: value,
      });
      send({ type: '@xstate.event', sessionId: `a${n}`, sourceId: value, event: value, createdAt: value });
      send({ type: '@xstate.snapshot', sessionId: `a${n}`, event: value, snapshot: value });
      send({
        type: '@xstate.snapshot',
        sessionId: `a${n}`,
        event: value,
        snapshot: { value, context: value, status: value },
      });
      send({ type: '@xstate.actor', sessionId: `t${n}`, name: 'transcript', parentId: `a${n}` });
      const types = ['xstate.init', 'message.appended', 'message.queued', 'message.injected', 'toolCall.settled'];
      for (const type of [
        ...types,
        'turn.completed',
        'transcript.replaced',
        'assistant.settled',
        'usage',
        'stream.retrying',
      ]) {
        const fields = {
          message: value,
          last: value,
          call: value,
          result: value,
          usage: value,
          input: value,
          error: value,
        };
        send({ type: '@xstate.event', sessionId: `t${n}`, event: { type, ...fields } });
      }
    }
    send({ type: '@xstate.actor', sessionId: 'last', name: 'last' });
    await open.row('last').waitFor();
    for (const key of ['1', '2', '3', '4']) {
      await open.page.keyboard.press(key);
      for (const [n] of values.entries()) {
        const row = open.page.locator(`[id="actor-p1.a${n}"]`);
        if ((await row.count()) > 0) await row.click();
      }
    }
    await open.page.keyboard.press('Home');
    await open.page.keyboard.press('End');
    await open.row('last').waitFor();
    expect(await open.page.locator('.app').count()).toBe(1); // React takes everything away where a view throws
    socket.terminate();
  });

  test('that is its own ancestor, or was never announced, is shown without end', async () => {
    const { socket, send } = await program();
    send({ type: '@xstate.actor', sessionId: 'self', name: 'self', parentId: 'self' });
    send({ type: '@xstate.actor', sessionId: 'one', name: 'one', parentId: 'two' });
    send({ type: '@xstate.actor', sessionId: 'two', name: 'two', parentId: 'one' });
    send({ type: '@xstate.event', sessionId: 'unknown', event: { type: 'to nobody' } });
    await open.row('unknown').waitFor();
    expect(await open.page.locator('.tree-row').count()).toBe(4);
    socket.terminate();
  });

  test('in a monstrous chart and endless texts leaves the page usable', async () => {
    const { socket, send } = await program();
    const names = Array.from({ length: 300 }, (_, n) => `state${n}`);
    const on = Object.fromEntries(names.map((name) => [`to ${name}`, { target: `#big.${name}` }]));
    const definition = JSON.stringify({ id: 'big', states: Object.fromEntries(names.map((name) => [name, { on }])) });
    send({ type: '@xstate.actor', sessionId: 'big', name: 'big', definition: definition.slice(0, 4_000_000) });
    const text = 'endless '.repeat(400_000);
    send({
      type: '@xstate.snapshot',
      sessionId: 'big',
      snapshot: { value: 'state0', context: { text }, status: 'active' },
    });
    await open.page.getByText('This chart is too large').waitFor();
    await open.page.getByText('more)').first().waitFor();
    const small = JSON.stringify({ id: 'small', initial: 'a', states: { a: {} } });
    send({ type: '@xstate.actor', sessionId: 'small', name: 'small', definition: small });
    await open.row('small').click();
    await open.page.locator('.chart .state').waitFor();
    expect(await open.page.locator('.chart .state').count()).toBe(1);
    socket.terminate();
  });

  test('in a file that is opened is text, and its keys are keys', async () => {
    const { page, row } = open;
    const definition = '{"id":"x","initial":"a","states":{"__proto__":{"on":{"__proto__":"constructor"}},"a":{}}}';
    const message = { id: '__proto__', role: markup, content: [{ type: 'text', text: markup }, null] };
    const messages = [
      ...[null, 1, [], 'x'],
      { type: '@xstate.actor', sessionId: 'toString', name: 'odd', parentId: 'constructor', definition },
      { type: '@xstate.event', sessionId: 'hasOwnProperty', createdAt: '1e999', event: { type: markup } },
      { type: '@xstate.actor', sessionId: 't', name: 'transcript', parentId: 'toString' },
      { type: '@xstate.event', sessionId: 't', event: { type: 'message.appended', message } },
    ];
    const openFile = (text: string) =>
      page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    for (const bad of ['x', '{"messages":{}}', '[]', 'null']) {
      await openFile(bad);
      await page.getByText('This file is no').waitFor();
    }
    await openFile(JSON.stringify({ messages }).replaceAll('"odd"', '"__proto__"'));
    await row('__proto__').waitFor();
    await page.locator('.line-file').waitFor();
    await page.locator('.message', { hasText: 'onerror' }).waitFor();
    await page.locator('.chart .state[data-state="__proto__"]').waitFor();
    await page.keyboard.press('4');
    expect(await page.locator('.sequence-row .time').first().textContent()).toBe('0.000 s');
    expect(await page.evaluate('[window.hacked, Object.keys(Object.prototype).length]')).toEqual([undefined, 0]);
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  test.each([1280, 390, 320])('in names without end stays in its place in a window of %i pixels', async (width) => {
    const { page } = open;
    await page.setViewportSize({ width, height: 700 });
    const { socket, send } = await program();
    const name = 'NameWithoutAnyBreak'.repeat(40);
    const definition = JSON.stringify({
      id: name,
      description: name,
      initial: 'a',
      states: { a: { description: name } },
    });
    send({ type: '@xstate.actor', sessionId: 'r', name, definition });
    send({ type: '@xstate.actor', sessionId: 't', name: 'transcript', parentId: 'r' });
    const snapshot = { value: 'a', status: 'active', context: { [name]: name } };
    send({ type: '@xstate.snapshot', sessionId: 'r', event: { type: name }, snapshot });
    const content = [
      { type: 'text', text: name },
      { type: 'toolCall', id: 'c', name, args: { name } },
    ];
    send({ type: '@xstate.event', sessionId: 't', event: { type: 'message.appended', message: { id: 'm', content } } });
    send({ type: '@xstate.event', sessionId: 't', event: { type: 'turn.completed', error: { message: name } } });
    for (const [key, wanted] of [
      ['1', '.tree-row'],
      ['2', '.chart .state'],
      ['3', '.message'],
      ['4', '.sequence-row'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(wanted).first().waitFor();
      const outside = await page.evaluate(`(() => {
        const found = [];
        for (const panel of document.querySelectorAll('.panel')) {
          const { left, right } = panel.getBoundingClientRect();
          const parts = '.tree-state, .actor-head, .chart, .facts, .facts p, .json, .message, .call-status, .note';
          for (const element of panel.querySelectorAll(parts)) {
            const box = element.getBoundingClientRect();
            if (box.left < left - 1 || box.right > right + 1 || element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX === 'visible' && element.clientWidth > 0)
              found.push(element.className || element.tagName);
          }
        }
        return found;
      })()`);
      expect(outside).toEqual([]);
    }
    socket.terminate();
  });

  test('in thousands of actors is a list of those in sight', async () => {
    const { socket, send } = await program();
    send({ type: '@xstate.actor', sessionId: 'root', name: 'root' });
    for (let n = 0; n < 5_000; n++)
      send({ type: '@xstate.actor', sessionId: `c${n}`, name: `child${n}`, parentId: 'root' });
    await expectSoon(() => open.page.locator('.counts').textContent()).toContain('5,001 actors');
    expect(await open.page.locator('.tree-row').count()).toBeLessThan(60);
    socket.terminate();
  });

  test('of a program that died in the middle stays as it was', async () => {
    const { socket, send } = await program();
    send({ type: '@xstate.actor', sessionId: 'x:0', name: 'dying' });
    send({ type: '@xstate.snapshot', sessionId: 'x:0', snapshot: { value: 'working', status: 'active' } });
    await open.row('dying', 'working').waitFor();
    socket.terminate();
    const { socket: next, send: sendNext } = await program();
    sendNext({ type: '@xstate.actor', sessionId: 'x:0', name: 'reborn' });
    await open.row('reborn').waitFor();
    expect(await open.row('dying', 'working').count()).toBe(1);
    next.terminate();
  });
});

describe('a page of another origin', () => {
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>elsewhere</title>');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://elsewhere.test:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
  });

  test('that knows the address, token and all, can neither read nor write nor frame it', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const url = open.inspector.url;
    const told = await page.evaluate(`(async () => {
      const url = ${JSON.stringify(url)};
      const fetched = await fetch(url).then((response) => 'read ' + response.status, () => 'refused');
      const blind = await fetch(url, { mode: 'no-cors', method: 'POST', body: '{}' }).then(({ type }) => type, () => 'refused');
      const socket = await new Promise((done) => {
        const socket = new WebSocket(url.replace('http:', 'ws:'));
        socket.onopen = () => done('open');
        socket.onerror = () => done('refused');
      });
      const script = await new Promise((done) => {
        const element = document.createElement('img');
        element.onload = () => done('loaded');
        element.onerror = () => done('refused');
        element.src = url;
        document.body.append(element);
      });
      return { fetched, blind: blind === 'opaque' || blind === 'refused', socket, script };
    })()`);
    expect(told).toEqual({ fetched: 'refused', blind: true, socket: 'refused', script: 'refused' });
    const frame = await page.evaluate(`(() => {
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(url)};
      document.body.append(frame);
      return new Promise((done) => { frame.onload = () => done(frame.contentDocument === null); setTimeout(() => done('silent'), 3000); });
    })()`);
    expect(frame).toBe(true);
    expect(page.frames().every((one) => one.url() !== url)).toBe(true);
    await page.close();
  });

  test('whose name was led to the inspector’s own port gets nothing', async () => {
    const { port, pathname } = new URL(open.inspector.url);
    const page = await browser.newPage();
    const response = await page.goto(`http://elsewhere.test:${port}${pathname}`);
    expect(response?.status()).toBe(403);
    await page.close();
  });
});
