// Delivers the events of an operative's turns: each to its turn's readers and to every listener, and none in the middle
// of a step in which the chart changes its state. Two things make events wait: `hold` until `release`, around such a
// step, and `together`, around a change that has several events. Events that a listener causes wait too.

import type { OperativeEvent } from '../contracts/events.ts';
import { Broadcaster } from '../services/broadcast.ts';
import type { EventSink } from '../services/transcript.ts';
import { quietly } from './quietly.ts';

/** The events of one turn. */
export class TurnChannel implements EventSink {
  readonly #broadcaster = new Broadcaster<OperativeEvent>();
  readonly #hub: EventHub;
  #hasEnded = false;

  constructor(hub: EventHub) {
    this.#hub = hub;
  }

  /** Events after `end` are dropped: nobody hears of a turn that is over. */
  push(event: OperativeEvent): void {
    if (!this.#hasEnded) this.#hub.publish(event, this.#broadcaster);
  }

  together(work: () => void): void {
    this.#hub.together(work);
  }

  end(): void {
    this.#hasEnded = true;
    this.#hub.publish(undefined, this.#broadcaster);
  }

  /** The events from now on, to be iterated once. */
  read(): AsyncIterable<OperativeEvent> {
    return this.#broadcaster.read();
  }
}

interface Held {
  /** Undefined ends the channel. */
  readonly event: OperativeEvent | undefined;
  readonly broadcaster: Broadcaster<OperativeEvent> | undefined;
}

/**
 * Delivers events in the same order to all. While it holds, they wait; `release` delivers them, and what they cause, in
 * order.
 */
export class EventHub {
  /** Called with what listeners throw; each engine that an operative uses may bring another. */
  onListenerError: (error: unknown) => void;
  // Replaced, never changed: whoever subscribes during a delivery starts with the next event.
  #listeners: readonly ((event: OperativeEvent) => void)[] = [];
  #held: Held[] = [];
  #isHolding = false;
  // An event is being delivered, or several are being gathered: further ones wait, so that all hear the same order.
  #isBusy = false;

  constructor(onListenerError: (error: unknown) => void) {
    this.onListenerError = onListenerError;
  }

  subscribe(listener: (event: OperativeEvent) => void): () => void {
    const hear = quietly(listener, (thrown) => this.onListenerError(thrown));
    this.#listeners = [...this.#listeners, hear];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== hear);
    };
  }

  /** Publishes on a channel, or without one to the listeners alone. */
  publish(event: OperativeEvent | undefined, broadcaster?: Broadcaster<OperativeEvent>): void {
    if (this.#isHolding || this.#isBusy) {
      this.#held.push({ event, broadcaster });
      return;
    }
    this.#deliver(event, broadcaster);
    if (this.#held.length > 0) this.#deliverHeld();
  }

  hold(): void {
    this.#isHolding = true;
  }

  release(): void {
    this.#isHolding = false;
    if (this.#held.length > 0) this.#deliverHeld();
  }

  /** Holds while `work` runs. */
  together(work: () => void): void {
    const wasBusy = this.#isBusy;
    this.#isBusy = true;
    try {
      work();
    } finally {
      this.#isBusy = wasBusy;
      this.#deliverHeld();
    }
  }

  #deliverHeld(): void {
    if (this.#isHolding || this.#isBusy) return;
    // Also what listeners add meanwhile.
    for (const { event, broadcaster } of this.#held) this.#deliver(event, broadcaster);
    this.#held = [];
  }

  #deliver(event: OperativeEvent | undefined, broadcaster: Broadcaster<OperativeEvent> | undefined): void {
    if (event === undefined) return broadcaster?.end();
    broadcaster?.push(event);
    const listeners = this.#listeners;
    if (listeners.length === 0) return;
    this.#isBusy = true;
    for (const hear of listeners) {
      // A listener that was removed during the delivery does not hear the event.
      if (listeners === this.#listeners || this.#listeners.includes(hear)) hear(event);
    }
    this.#isBusy = false;
  }
}

/** Events that have already ended. */
export function noEvents(): AsyncIterable<OperativeEvent> {
  const over = new Broadcaster<OperativeEvent>();
  over.end();
  return over.read();
}
