// The events of one turn: a linked list with a cursor per reader. Pushing costs the same for any number of readers.

import { TurnchartError } from '../contracts/errors.ts';

// A link without an event is the beginning or the end of the list.
interface Link<Event> {
  readonly event: Event | undefined;
  next: Link<Event> | undefined;
}

/** Hands events to any number of readers, each from the moment it was created, and synchronously to one listener. */
export class Broadcaster<Event> {
  #tail: Link<Event> = { event: undefined, next: undefined };
  // Nearly always there is one reader: it gets a field of its own, the rest share an array.
  #waiting: Reader<Event> | undefined;
  #moreWaiting: Reader<Event>[] = [];
  #ended = false;
  readonly #listener: ((event: Event) => void) | undefined;

  /** `listener` is called within `push`; what it throws is thrown to the caller of `push`. */
  constructor(listener?: (event: Event) => void) {
    this.#listener = listener;
  }

  /** Appends one event; without an event it is `end`. Events after the end are dropped. */
  push(event?: Event): void {
    if (this.#ended) return;
    this.#ended = event === undefined;
    const link = { event, next: undefined };
    this.#tail.next = link;
    this.#tail = link;
    const reader = this.#waiting;
    if (reader !== undefined) {
      this.#waiting = undefined;
      reader.wake();
      if (this.#moreWaiting.length > 0) for (const other of this.#moreWaiting.splice(0)) other.wake();
    }
    if (event !== undefined) this.#listener?.(event);
  }

  /** No event will follow: readers end once they have seen what there is. */
  end(): void {
    this.push();
  }

  /** The events from now on, to be iterated once. A reader that is dropped costs nothing. */
  read(): AsyncIterable<Event> {
    const before = this.#ended ? { event: undefined, next: this.#tail } : this.#tail; // the tail is then the end itself
    return new Reader(before, this);
  }

  /** Called by a reader that has seen everything: it is woken once by the next event. */
  wait(reader: Reader<Event>): void {
    if (this.#waiting === undefined) this.#waiting = reader;
    else this.#moreWaiting.push(reader);
  }
}

const finished = { value: undefined, done: true } as const;

type Resolve<Event> = (result: IteratorResult<Event, undefined>) => void;

class Reader<Event> implements AsyncIterable<Event>, AsyncIterator<Event, undefined> {
  #cursor: Link<Event> | undefined;
  #isTaken = false;
  #resolve: Resolve<Event> | undefined;
  // Calls of next() made while one is open, which no for-await loop does.
  #more: Resolve<Event>[] | undefined;
  readonly #source: Broadcaster<Event>;
  // Made once: a reader waits for nearly every event.
  readonly #open = (resolve: Resolve<Event>): void => {
    if (this.#resolve !== undefined) {
      (this.#more ??= []).push(resolve);
      return;
    }
    this.#resolve = resolve;
    this.#source.wait(this);
  };

  constructor(cursor: Link<Event>, source: Broadcaster<Event>) {
    this.#cursor = cursor;
    this.#source = source;
  }

  [Symbol.asyncIterator](): AsyncIterator<Event, undefined> {
    if (this.#isTaken) {
      throw new TurnchartError(
        'events.consumed',
        'These events were iterated already; they can be read only once. Subscribe, or take the events of another call.',
      );
    }
    this.#isTaken = true;
    return this;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    const result = this.#resolve === undefined ? this.#advance() : undefined;
    return result === undefined ? new Promise(this.#open) : Promise.resolve(result);
  }

  return(): Promise<IteratorResult<Event, undefined>> {
    this.#cursor = undefined;
    this.wake();
    return Promise.resolve(finished);
  }

  /** Serves as many open `next()` calls as there are events. */
  wake(): void {
    while (this.#resolve !== undefined) {
      const result = this.#advance();
      if (result === undefined) return this.#source.wait(this);
      const resolve = this.#resolve;
      this.#resolve = this.#more?.shift();
      resolve(result);
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
