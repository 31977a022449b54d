// Passes a session's events to its readers. Each reader has its own bounded queue: a slow one loses its oldest audio,
// announced as congestion; other readers are not affected.

import type { RealtimeEvent } from '../contracts/realtime.ts';

/** Limits of the queue of one reader. */
export interface OutletLimits {
  /** Bytes of audio. */
  readonly audioBytes: number;
  /** Bytes of one millisecond of audio, for the announcement. */
  readonly bytesPerMs: number;
  /** Events of any kind except audio: the oldest are dropped first. Default 65,536. */
  readonly events?: number;
}

const mostEvents = 65_536;
const finished = { value: undefined, done: true } as const;

interface Entry {
  readonly event: RealtimeEvent;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** The next entry with audio, for an entry with audio. */
  nextAudio: Entry | undefined;
}

/**
 * Distributes events. The first reader gets everything from the beginning, each further one what comes after it started
 * to read.
 */
export class EventOutlet implements AsyncIterable<RealtimeEvent> {
  readonly #limits: () => OutletLimits;
  #first: Reader | undefined;
  readonly #readers = new Set<Reader>();
  #hasEnded = false;

  /** The limits are read for each event: formats may change. */
  constructor(limits: () => OutletLimits) {
    this.#limits = limits;
    this.#first = this.#newReader();
  }

  /** Dropped after `end`. */
  push(event: RealtimeEvent): void {
    if (this.#hasEnded) return;
    for (const reader of this.#readers) reader.push(event, this.#limits);
  }

  /** Readers end once they have read what is queued. */
  end(): void {
    this.#hasEnded = true;
    for (const reader of this.#readers) reader.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<RealtimeEvent, undefined> {
    const reader = this.#first ?? this.#newReader();
    this.#first = undefined;
    return reader;
  }

  #newReader(): Reader {
    const reader = new Reader(() => this.#readers.delete(reader));
    if (this.#hasEnded) reader.end();
    else this.#readers.add(reader);
    return reader;
  }
}

type Resolve = (result: IteratorResult<RealtimeEvent, undefined>) => void;

class Reader implements AsyncIterator<RealtimeEvent, undefined> {
  readonly #leave: () => void;
  #head: Entry | undefined;
  #tail: Entry | undefined;
  #firstAudio: Entry | undefined;
  #lastAudio: Entry | undefined;
  #audioBytes = 0;
  #others = 0;
  #droppedBytes = 0;
  #perMs = 1;
  #waiting: Resolve[] = [];
  #isOver = false;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(event: RealtimeEvent, limitsNow: () => OutletLimits): void {
    const resolve = this.#waiting.shift();
    if (resolve !== undefined) return resolve({ value: event, done: false });
    this.#append(event);
    const limits = limitsNow();
    this.#perMs = limits.bytesPerMs;
    // The newest audio is kept, however large: a reader that comes back hears what is being said now.
    while (this.#audioBytes > limits.audioBytes && this.#firstAudio !== this.#lastAudio) this.#dropAudio();
    while (this.#others > (limits.events ?? mostEvents)) this.#dropOldest();
  }

  end(): void {
    this.#isOver = true;
    this.#leave();
    for (const resolve of this.#waiting.splice(0)) resolve(finished);
  }

  next(): Promise<IteratorResult<RealtimeEvent, undefined>> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#isOver) return Promise.resolve(finished);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<RealtimeEvent, undefined>> {
    this.#head = this.#tail = this.#firstAudio = this.#lastAudio = undefined;
    this.#droppedBytes = 0;
    this.end();
    return Promise.resolve(finished);
  }

  #take(): RealtimeEvent | undefined {
    if (this.#droppedBytes > 0) {
      const droppedMs = this.#droppedBytes / this.#perMs;
      this.#droppedBytes = 0;
      return { type: 'congestion', direction: 'output', queuedMs: this.#audioBytes / this.#perMs, droppedMs };
    }
    const entry = this.#head;
    if (entry === undefined) return undefined;
    this.#remove(entry);
    return entry.event;
  }

  #append(event: RealtimeEvent): void {
    const entry: Entry = { event, previous: this.#tail, next: undefined, nextAudio: undefined };
    if (this.#tail === undefined) this.#head = entry;
    else this.#tail.next = entry;
    this.#tail = entry;
    if (event.type !== 'audio.delta') {
      this.#others++;
      return;
    }
    if (this.#lastAudio === undefined) this.#firstAudio = entry;
    else this.#lastAudio.nextAudio = entry;
    this.#lastAudio = entry;
    this.#audioBytes += event.audio.byteLength;
  }

  // Audio is only ever removed from its oldest end.
  #remove(entry: Entry): void {
    if (entry.previous === undefined) this.#head = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.#tail = entry.previous;
    else entry.next.previous = entry.previous;
    if (entry.event.type !== 'audio.delta') {
      this.#others--;
      return;
    }
    this.#audioBytes -= entry.event.audio.byteLength;
    this.#firstAudio = entry.nextAudio;
    if (this.#firstAudio === undefined) this.#lastAudio = undefined;
  }

  #dropAudio(): void {
    const entry = this.#firstAudio;
    if (entry?.event.type !== 'audio.delta') return;
    this.#droppedBytes += entry.event.audio.byteLength;
    this.#remove(entry);
  }

  #dropOldest(): void {
    const entry = this.#head;
    if (entry === undefined) return;
    if (entry.event.type === 'audio.delta') this.#dropAudio();
    else this.#remove(entry);
  }
}
