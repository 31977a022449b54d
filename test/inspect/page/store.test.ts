// How much a page keeps that is left open, without a browser: its socket and its frames are the test's.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Store } from '../../../inspector-page/record/store.ts';

// As the page uses it.
class PageSocket {
  static made: PageSocket[] = [];
  readonly url: string;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { readonly data: string }) => void) | null = null;
  isClosed = false;

  constructor(url: URL) {
    this.url = url.href;
    PageSocket.made.push(this);
  }

  close(): void {
    this.isClosed = true;
  }
}

let frames: (() => void)[] = [];
let tab: EventTarget & { hidden: boolean };

beforeEach(() => {
  PageSocket.made = [];
  frames = [];
  vi.stubGlobal('WebSocket', PageSocket);
  vi.stubGlobal('location', { href: 'http://127.0.0.1:7/token/' });
  tab = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', tab);
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
});

afterEach(() => vi.unstubAllGlobals());

const pad = 'x'.repeat(4 * 1024 * 1024);
const messageOf = (n: number, padding = '') =>
  JSON.stringify({ id: `e-${n}`, type: '@xstate.event', sessionId: 'a', event: { type: 'go' }, padding });

function openStore() {
  const store = new Store();
  store.start();
  const socket = () => PageSocket.made.at(-1) ?? expect.fail('no socket');
  socket().onopen?.();
  return {
    store,
    socket,
    take: (...texts: readonly string[]) => {
      for (const data of texts) socket().onmessage?.({ data });
    },
    // Until there is nothing left to do.
    draw: () => {
      for (let n = 0; frames.length > 0 && n < 100_000; n++) frames.shift()?.();
    },
  };
}

// More than a page keeps.
const tooMuch = Array.from({ length: 66 }, (_, n) => messageOf(n, pad));

describe('a page that is left open', () => {
  test('starts over with what the inspector remembers, instead of filling the memory', () => {
    const { store, socket, take, draw } = openStore();
    take(messageOf(0));
    draw();
    expect(store.log.entries).toHaveLength(1);
    take(...tooMuch);
    draw();
    expect(store.log.entries).toHaveLength(0);
    expect(PageSocket.made.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(socket().url).not.toContain('after=');
  });

  test('and paused keeps the past that is shown, takes nothing more, and starts over when it goes live', () => {
    const { store, socket, take, draw } = openStore();
    take(messageOf(0));
    draw();
    store.hold(true);
    const { log } = store;
    take(...tooMuch);
    draw();
    expect([store.line, store.log, socket().isClosed]).toEqual(['full', log, true]);
    store.hold(false);
    socket().onopen?.();
    expect([store.line, store.log.entries.length, PageSocket.made.length]).toEqual(['open', 0, 2]);
  });

  test('in a tab that was hidden before its next frame takes in what comes anyway', () => {
    vi.useFakeTimers();
    const { store, take } = openStore();
    take(messageOf(0)); // waits for a frame that does not come
    tab.hidden = true;
    tab.dispatchEvent(new Event('visibilitychange'));
    take(messageOf(1));
    vi.advanceTimersByTime(1_000);
    expect(store.log.entries).toHaveLength(2);
    vi.useRealTimers();
  });

  test('that was paused for a moment continues with what it has', () => {
    const { store, take, draw } = openStore();
    take(messageOf(0), messageOf(1));
    draw();
    store.hold(true);
    store.hold(false);
    expect(PageSocket.made).toHaveLength(1);
    expect(store.log.entries).toHaveLength(2);
  });
});
