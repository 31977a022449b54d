// The events of one turn: a linked list with a cursor per reader. Pushing costs the same for any number of readers.

import { TurnchartError } from '../contracts/errors.ts';

// A link without an event is the beginning or the end of the list.
interface Link<Event> {
  readonly event: Event | undefined;
  next: Link<Event> | undefined;
}

/** Hands events to any number of readers, each from the moment it was made, and to one listener at once. */
export class Broadcaster<Event> {
  #tail: Link<Event> = { event: undefined, next: undefined };
  #waiting: Reader<Event>[] = [];
  #ended = false;
  readonly #listener: ((event: Event) => void) | undefined;

  /** `listener` is called within `push`; what it throws is the caller's to catch. */
  constructor(listener?: (event: Event) => void) {
    this.#listener = listener;
  }

  /** Appends one event. After `end` it is dropped. */
  push(event: Event): void {
    if (this.#ended) return;
    this.#append({ event, next: undefined });
    this.#listener?.(event);
  }

  /** No event will follow: readers end once they have seen what there is. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#append({ event: undefined, next: undefined });
  }

  /** One-shot events from now on. A reader that is dropped costs nothing. */
  read(): AsyncIterable<Event> {
    return new EventStream(new Reader(this.#tail, this.#wait));
  }

  #append(link: Link<Event>): void {
    this.#tail.next = link;
    this.#tail = link;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const reader of waiting) reader.wake();
  }

  readonly #wait = (reader: Reader<Event>): void => {
    this.#waiting.push(reader);
  };
}

class EventStream<Event> implements AsyncIterable<Event> {
  #reader: Reader<Event> | undefined;

  constructor(reader: Reader<Event>) {
    this.#reader = reader;
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    const reader = this.#reader;
    if (reader === undefined) {
      throw new TurnchartError(
        'events.consumed',
        'These events were iterated already; they can be read once. Subscribe, or take the events of another call.',
      );
    }
    this.#reader = undefined; // drops the list's beginning, so that read events can be freed
    return reader;
  }
}

const finished = { value: undefined, done: true } as const;

class Reader<Event> implements AsyncIterator<Event, undefined> {
  #cursor: Link<Event> | undefined;
  #pending: ((result: IteratorResult<Event, undefined>) => void)[] = [];
  readonly #wait: (reader: Reader<Event>) => void;

  constructor(cursor: Link<Event>, wait: (reader: Reader<Event>) => void) {
    this.#cursor = cursor;
    this.#wait = wait;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    const result = this.#pending.length === 0 ? this.#advance() : undefined;
    if (result !== undefined) return Promise.resolve(result);
    return new Promise((resolve) => {
      if (this.#pending.push(resolve) === 1) this.#wait(this);
    });
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#cursor = undefined;
    this.wake();
    return Promise.resolve(finished);
  }

  /** Serves as many waiting `next()` calls as there are events. */
  wake(): void {
    while (this.#pending.length > 0) {
      const result = this.#advance();
      if (result === undefined) return this.#wait(this);
      this.#pending.shift()?.(result);
    }
  }

  #advance(): IteratorResult<Event, undefined> | undefined {
    if (this.#cursor === undefined) return finished;
    const link = this.#cursor.next;
    if (link === undefined) return undefined;
    if (link.event === undefined) {
      this.#cursor = undefined;
      return finished;
    }
    this.#cursor = link;
    return { value: link.event, done: false };
  }
}
