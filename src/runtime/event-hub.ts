// Where the events of an operative's turns go: each to its turn's readers and to every listener, and none in the middle of
// a chart's step that has not yet left its state.

import type { OperativeEvent } from '../contracts/events.ts';
import { Broadcaster } from '../services/broadcast.ts';
import type { EventSink } from '../services/transcript.ts';

/** The events of one turn. */
export class TurnChannel implements EventSink {
  readonly #broadcaster = new Broadcaster<OperativeEvent>();
  readonly #hub: EventHub;

  constructor(hub: EventHub) {
    this.#hub = hub;
  }

  push(event: OperativeEvent): void {
    this.#hub.publish(event, this.#broadcaster);
  }

  end(): void {
    this.#hub.publish(undefined, this.#broadcaster);
  }

  /** One-shot events from now on. */
  read(): AsyncIterable<OperativeEvent> {
    return this.#broadcaster.read();
  }
}

interface Held {
  /** Undefined ends the channel. */
  readonly event: OperativeEvent | undefined;
  readonly broadcaster: Broadcaster<OperativeEvent> | undefined;
}

interface Listener {
  readonly hear: (event: OperativeEvent) => void;
  isOff: boolean;
}

/** Delivers in order. While it holds, events wait; `release` delivers them, and what they cause, in order. */
export class EventHub {
  // Replaced, never changed: whoever subscribes while an event is told hears of the next one first.
  #listeners: readonly Listener[] = [];
  readonly #onListenerError: (error: unknown) => void;
  #held: Held[] = [];
  #isHolding = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  subscribe(listener: (event: OperativeEvent) => void): () => void {
    const own: Listener = { hear: listener, isOff: false };
    this.#listeners = [...this.#listeners, own];
    return () => {
      own.isOff = true;
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Publishes on a channel, or without one to the listeners alone. */
  publish(event: OperativeEvent | undefined, broadcaster?: Broadcaster<OperativeEvent>): void {
    if (this.#isHolding) this.#held.push({ event, broadcaster });
    else this.#deliver(event, broadcaster);
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    if (!this.#isHolding) return;
    // What listeners cause meanwhile lines up behind, so it keeps holding until the line is empty.
    for (let held = this.#held.shift(); held !== undefined; held = this.#held.shift()) {
      this.#deliver(held.event, held.broadcaster);
    }
    this.#isHolding = false;
  }

  #deliver(event: OperativeEvent | undefined, broadcaster: Broadcaster<OperativeEvent> | undefined): void {
    if (event === undefined) return broadcaster?.end();
    broadcaster?.push(event);
    for (const listener of this.#listeners) {
      if (listener.isOff) continue;
      try {
        listener.hear(event);
      } catch (thrown) {
        this.#onListenerError(thrown);
      }
    }
  }
}
