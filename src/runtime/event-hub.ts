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

/** Delivers in order. While it holds, events wait; `release` delivers them, and what they cause, in order. */
export class EventHub {
  readonly #listeners = new Set<(event: OperativeEvent) => void>();
  readonly #onListenerError: (error: unknown) => void;
  #held: Held[] = [];
  #isHolding = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  subscribe(listener: (event: OperativeEvent) => void): () => void {
    // A listener of its own for each call: the same function may subscribe twice.
    const own = (event: OperativeEvent): void => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
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
      try {
        listener(event);
      } catch (thrown) {
        this.#onListenerError(thrown);
      }
    }
  }
}
