// How much of the model's speech was received and how much was heard: the ledger that makes interruptions truthful.
// Called by the session with audio, with reports of the player, and when something is cut off.

import type { Host } from '../contracts/host.ts';
import type { PlaybackClock } from '../contracts/realtime.ts';
import { atOnce } from '../contracts/at-once.ts';

/** How much was heard of what was cut off, and what to report to the server. */
export interface PlaybackCut {
  /** The item that was being heard or was next. */
  readonly heard: HeardItem | undefined;
  /** Keep this much of an item: 0 < `audioEndMs` ≤ what was received. */
  readonly truncate:
    | { readonly itemId: string; readonly contentIndex: number; readonly audioEndMs: number }
    | undefined;
  /** Items of which nothing was heard. */
  readonly unheard: readonly string[];
}

/** How far an item was heard. Whole milliseconds, rounded down. */
export interface HeardItem {
  readonly responseId: string;
  readonly itemId: string;
  readonly contentIndex: number;
  readonly playedMs: number;
  readonly receivedMs: number;
  readonly estimated: boolean;
}

/** What the ledger needs. */
export interface PlaybackParts {
  readonly host: Host;
  readonly bytesPerMs: () => number;
  /** `estimate`: the wall clock, until the first report. */
  readonly clock: PlaybackClock | 'estimate';
  /** Everything that was received was heard, and no more will come. */
  readonly finished: () => void;
  readonly onClockError: (error: unknown) => void;
}

interface Segment {
  readonly responseId: string;
  readonly itemId: string;
  readonly contentIndex: number;
  receivedMs: number;
  playedMs: number;
  /** No more audio of it will come. */
  isDone: boolean;
  /** Sequence number of its first delta, and where each delta ends, for players that report by marks. */
  readonly ends: { readonly sequence: number; readonly ms: number }[];
}

// Milliseconds are sums of fractions.
const tolerance = 1e-6;
const mostKnown = 256;
const shortestPollMs = 20;
const longestWaitMs = 3_600_000; // then the rest is checked again

/** The segments that were received and not yet heard to their end, in the order in which they are played. */
export class PlaybackLedger {
  readonly #parts: PlaybackParts;
  #segments: Segment[] = [];
  #hasReports = false;
  // Items with recent audio: a report about any other is ignored.
  readonly #known = new Set<string>();
  #lastSequence = 0;
  // The imagined player of the estimate: it plays whatever has arrived, without a pause.
  #estimatedAt = 0;
  #timer: unknown;

  constructor(parts: PlaybackParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  /** What waits to be heard, in order. */
  get queue(): readonly { readonly responseId: string; readonly itemId: string }[] {
    return this.#segments;
  }

  /** Asks the player for its position. It is user code and may call back into the session before this returns. */
  askPlayer(): void {
    if (this.#parts.clock !== 'estimate') this.#ask(this.#parts.clock);
  }

  /** Adds a delta. True if it is the first of what is to be heard now. */
  receive(responseId: string, itemId: string, contentIndex: number, bytes: number, sequence: number): boolean {
    const begins = this.#segments.length === 0;
    this.#lastSequence = sequence;
    if (begins) this.#estimatedAt = this.#parts.host.now();
    else this.#estimate();
    let segment = this.#segments.at(-1);
    if (segment?.itemId !== itemId || segment.contentIndex !== contentIndex) {
      segment = this.#find(itemId, contentIndex) ?? this.#add(responseId, itemId, contentIndex);
    }
    segment.receivedMs += bytes / this.#parts.bytesPerMs();
    segment.ends.push({ sequence, ms: segment.receivedMs });
    this.#stopClock();
    return begins;
  }

  /** No more audio comes of this content, or, without an item, of this response. */
  finishReceiving(responseId: string, itemId?: string, contentIndex?: number): void {
    for (const segment of this.#segments) {
      if (segment.responseId !== responseId) continue;
      if (itemId !== undefined && (segment.itemId !== itemId || segment.contentIndex !== contentIndex)) continue;
      segment.isDone = true;
    }
    this.#look();
  }

  /**
   * The player reports how much of an item it has played. Ignored for audio that is not waiting to be heard or never
   * arrived.
   */
  report(itemId: string, contentIndex: number, playedMs: number): void {
    if (!this.#known.has(itemId)) return;
    this.#hasReports = true;
    const index = this.#segments.findIndex((one) => one.itemId === itemId && one.contentIndex === contentIndex);
    if (index < 0 || !(playedMs >= 0)) return;
    this.#note(index, playedMs);
    this.#look();
  }

  reportBytes(itemId: string, contentIndex: number, playedBytes: number): void {
    this.report(itemId, contentIndex, playedBytes / this.#parts.bytesPerMs());
  }

  /** Everything up to and including the delta with that sequence number was played. */
  reportMark(sequence: number): void {
    if (!(sequence >= 1 && sequence <= this.#lastSequence)) return; // not a delta of this session
    this.#hasReports = true;
    for (const { itemId, contentIndex, ends } of this.#segments.toReversed()) {
      const end = ends.findLast((one) => one.sequence <= sequence);
      if (end !== undefined) return this.report(itemId, contentIndex, end.ms);
    }
  }

  /**
   * Forgets everything and returns what was heard of it. What was heard completely needs nothing; what was heard in
   * part is truncated, and what was not heard at all is deleted: a truncation at 0 is refused (livekit/agents#6157).
   * `playedMs` overrides what is known of the item being heard.
   */
  cut(playedMs?: number): PlaybackCut {
    this.#advance();
    this.#stopClock();
    const segments = this.#segments;
    this.#segments = [];
    const index = segments.findIndex((segment) => !isHeard(segment));
    const current = segments[index];
    if (current === undefined) return { heard: undefined, truncate: undefined, unheard: [] };
    if (playedMs !== undefined && playedMs >= 0) current.playedMs = Math.min(playedMs, current.receivedMs);
    const { responseId, itemId, contentIndex } = current;
    const played = Math.floor(current.playedMs + tolerance);
    const heard: HeardItem = {
      responseId,
      itemId,
      contentIndex,
      playedMs: played,
      receivedMs: Math.floor(current.receivedMs + tolerance),
      estimated: this.#isEstimated && playedMs === undefined,
    };
    const later = new Set(segments.slice(index + 1).map((segment) => segment.itemId));
    later.delete(itemId);
    // An item of which an earlier part was heard is not deleted.
    const wasHeard = played > 0 || segments.slice(0, index).some((segment) => segment.itemId === itemId);
    const isOver = current.isDone && current.playedMs >= current.receivedMs - tolerance;
    return {
      heard,
      truncate: played > 0 && !isOver ? { itemId, contentIndex, audioEndMs: played } : undefined,
      unheard: wasHeard ? [...later] : [itemId, ...later],
    };
  }

  get #isEstimated(): boolean {
    return this.#parts.clock === 'estimate' && !this.#hasReports;
  }

  #find(itemId: string, contentIndex: number): Segment | undefined {
    return this.#segments.find((one) => one.itemId === itemId && one.contentIndex === contentIndex);
  }

  #add(responseId: string, itemId: string, contentIndex: number): Segment {
    this.#dropHeard();
    this.#known.add(itemId);
    const [oldest] = this.#known;
    if (this.#known.size > mostKnown && oldest !== undefined) this.#known.delete(oldest);
    const segment = { responseId, itemId, contentIndex, receivedMs: 0, playedMs: 0, isDone: false, ends: [] };
    this.#segments.push(segment);
    return segment;
  }

  // What was heard to its end needs no report; an item whose other parts are still to come stays.
  #dropHeard(): void {
    const index = this.#segments.findIndex((segment) => !isHeard(segment));
    const itemId = this.#segments[index]?.itemId;
    if (index > 0 && this.#segments[index - 1]?.itemId !== itemId) this.#segments = this.#segments.slice(index);
  }

  // Updates the playback position.
  #advance(): void {
    this.askPlayer();
    this.#estimate();
  }

  #estimate(): void {
    const now = this.#parts.host.now();
    let elapsed = Math.max(0, now - this.#estimatedAt);
    this.#estimatedAt = now;
    if (!this.#isEstimated) return;
    for (const segment of this.#segments) {
      const step = Math.min(elapsed, segment.receivedMs - segment.playedMs);
      segment.playedMs += step;
      elapsed -= step;
    }
  }

  #ask(clock: PlaybackClock): void {
    for (const [index, segment] of this.#segments.entries()) {
      if (isHeard(segment)) continue;
      try {
        const played: unknown = atOnce(clock.playedMs(segment.itemId, segment.contentIndex), 'The playback clock');
        if (typeof played !== 'number' || !(played >= 0)) continue;
        if (played > 0) this.#note(index, played);
      } catch (thrown) {
        this.#parts.onClockError(thrown);
        return;
      }
    }
  }

  // A player plays in order: everything earlier has been heard.
  #note(index: number, playedMs: number): void {
    for (const before of this.#segments.slice(0, index)) before.playedMs = before.receivedMs;
    const segment = this.#segments[index];
    if (segment !== undefined) segment.playedMs = Math.min(Math.max(playedMs, segment.playedMs), segment.receivedMs);
  }

  // Reports the end, or checks again when it may have come. A player that reports may take as long as it likes.
  #look(): void {
    this.#stopClock();
    if (this.#segments.length === 0 || this.#segments.some(({ isDone }) => !isDone)) return;
    this.#advance();
    const missing = this.#segments.reduce((sum, { receivedMs, playedMs }) => sum + receivedMs - playedMs, 0);
    if (missing <= tolerance * this.#segments.length) {
      this.#segments = [];
      this.#parts.finished();
      return;
    }
    if (this.#parts.clock === 'estimate' && this.#hasReports) return;
    const wait = this.#isEstimated ? Math.ceil(missing) : Math.max(shortestPollMs, Math.ceil(missing));
    this.#timer = this.#parts.host.setTimeout(
      () => {
        this.#timer = undefined;
        this.#look();
      },
      Math.min(wait, longestWaitMs),
    );
  }

  #stopClock(): void {
    if (this.#timer !== undefined) this.#parts.host.clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function isHeard({ isDone, playedMs, receivedMs }: Segment): boolean {
  return isDone && playedMs >= receivedMs - tolerance;
}
