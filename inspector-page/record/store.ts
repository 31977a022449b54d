// What the views look at: the log, filled frame by frame so that a flood of messages never stops the page.

import { useSyncExternalStore } from 'react';
import { listen, type LineState } from './connection.ts';
import { MessageLog } from './message-log.ts';

// How long one frame may take messages in; a hidden tab, which gets a moment each second, does so for longer.
const frameMs = 6;
const hiddenMs = 100;
// How often the views are drawn anew at most: between, there is time for whoever uses the page.
const drawMs = 48;
// A page that was left open for a day begins anew with what the inspector still remembers, which is less. One that was
// paused takes nothing any more until it goes live.
const mostMessages = 200_000;
const mostSize = 256 * 1024 * 1024; // UTF-16 units

/** The log with its line to the inspector. */
export class Store {
  log = new MessageLog();
  /** `file`: a recording is shown, and nothing comes. `full`: paused for so long that nothing more is taken. */
  line: LineState | 'file' | 'full' = 'connecting';
  /** Somebody looks at the past: it must not go away. */
  #isHeld = false;
  /** Of the messages since the log began. */
  #size = 0;
  #version = 0;
  #queue: unknown[] = [];
  #taken = 0;
  #isScheduled = false;
  #drawnAt = -Infinity;
  #stop: () => void = () => undefined;
  readonly #listeners = new Set<() => void>();

  start(): void {
    // A frame that was asked for is not given any more once the tab is hidden.
    document.addEventListener('visibilitychange', this.#fillHidden);
    this.#stop = listen({
      take: (message, size) => this.#take(message, size),
      tell: (state) => {
        this.line = state;
        this.#changed();
      },
    });
  }

  /** Somebody begins to look at the past, or has seen enough of it. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && this.line === 'full') this.#beginAnew();
  }

  /** Shows a recording in place of what is live. False when it is none. */
  open(recording: unknown): boolean {
    const messages: unknown = typeof recording === 'object' && recording !== null && Reflect.get(recording, 'messages');
    if (!Array.isArray(messages)) return false;
    this.#stop();
    this.log = new MessageLog();
    this.line = 'file';
    this.#queue = messages;
    this.#taken = 0;
    this.#schedule();
    return true;
  }

  /** What was told, to be opened again. */
  recording(): object {
    return { format: 'turnchart-inspection', version: 1, messages: this.log.messages };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  #take(message: unknown, size: number): void {
    this.#queue.push(message);
    this.#size += size;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Nothing is drawn in a hidden tab, but what comes is remembered.
    if (document.hidden) setTimeout(this.#fill, 50);
    else requestAnimationFrame(this.#fill);
  }

  readonly #fillHidden = (): void => {
    if (document.hidden && this.#isScheduled) setTimeout(this.#fill, 50);
  };

  readonly #fill = (): void => {
    this.#isScheduled = false;
    if (this.line === 'open' && (this.log.entries.length > mostMessages || this.#size > mostSize)) {
      if (!this.#isHeld) return this.#beginAnew();
      this.#stop();
      this.line = 'full';
      this.#queue = [];
      this.#taken = 0;
      return this.#changed();
    }
    const begun = performance.now();
    const until = begun + (document.hidden ? hiddenMs : frameMs);
    while (this.#taken < this.#queue.length && performance.now() < until) this.log.add(this.#queue[this.#taken++]);
    if (this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    }
    const mayDraw = begun - this.#drawnAt >= drawMs;
    if (mayDraw) {
      this.#drawnAt = begun;
      this.#changed();
    }
    if (!mayDraw || this.#queue.length > 0) this.#schedule();
  };

  #beginAnew(): void {
    this.#stop();
    this.log = new MessageLog();
    this.#queue = [];
    this.#taken = 0;
    this.#size = 0;
    this.start();
  }

  #changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

/** Renders anew whenever the store has changed. */
export function useVersion(store: Store): number {
  return useSyncExternalStore(store.subscribe, store.version);
}
