// The user's audio on its way to the server: a bounded queue that waits while the session connects or the socket
// stalls. Called by the session for each chunk; the chart receives only the first chunk and congestion.

import type { Host } from '../contracts/host.ts';
import type { WireCommand, WireLink } from './wire.ts';

/** What the queue needs. */
export interface MicrophoneParts {
  readonly host: Host;
  /** Bytes of one millisecond. Read each time: the server may change the format. */
  readonly bytesPerMs: () => number;
  readonly capacityMs: number;
  readonly highWaterBytes: number;
  /** Audio waits or was dropped. `droppedMs` counts since the previous report. */
  readonly report: (queuedMs: number, droppedMs: number) => void;
  /** The socket takes no more, or takes again. */
  readonly stalled: (isStalled: boolean) => void;
}

// A native WebSocket does not report when it has sent something; other sockets report only what they were asked about.
const pollMs = 20;
const hasRoom: Promise<void> = Promise.resolve();
const reportEveryMs = 1_000;

/** Audio in order, and the commands that must not overtake it. */
export class Microphone {
  readonly #parts: MicrophoneParts;
  #link: WireLink | undefined;
  // Taken from the front by moving `#taken`: shift() would move a long list for each. Taken chunks are released at
  // once: each is some kilobytes.
  #queue: (WireCommand | undefined)[] = [];
  #taken = 0;
  #queuedBytes = 0;
  #unwrittenBytes = 0;
  // Those who wait for room.
  #waiting: (() => void)[] = [];
  #droppedBytes = 0;
  #isStalled = false;
  #poll: unknown;
  #nextReport: unknown;
  #epoch = 0;
  #isPumping = false;
  #isClosed = false;

  constructor(parts: MicrophoneParts) {
    this.#parts = parts;
  }

  get queuedMs(): number {
    return this.#queuedBytes / this.#parts.bytesPerMs();
  }

  /** Sends what waited; from now on everything is sent at once. */
  open(link: WireLink): void {
    this.#link = link;
    this.#unwrittenBytes = 0;
    this.#stall(false); // the previous link was slow, not this one
    this.#epoch++;
    this.#pump();
  }

  append(audio: Uint8Array): void {
    if (this.#isClosed) return;
    const command: WireCommand = { type: 'audio.append', audio };
    if (this.#queue.length === 0 && this.#mayWrite()) return this.#write(command, audio.byteLength);
    this.#queue.push(command);
    this.#queuedBytes += audio.byteLength;
    this.#stall(true);
    this.#trim();
  }

  /** Resolves when the queue is at most half full. A caller that awaits it before the next chunk loses nothing. */
  room(): Promise<void> {
    return this.#isCrowded ? new Promise((resolve) => this.#waiting.push(resolve)) : hasRoom;
  }

  /** Sends a command after the audio that was appended before it. */
  follow(command: WireCommand): void {
    if (this.#isClosed) return;
    if (this.#queue.length === 0 && this.#link !== undefined) this.#link.send(command);
    else this.#queue.push(command);
  }

  /** Whether that event waits for audio before it. */
  holds(eventId: string): boolean {
    return this.#queue.some((command) => command !== undefined && 'eventId' in command && command.eventId === eventId);
  }

  /** Sends at once, before waiting audio but after waiting commands. */
  afterCommands(command: WireCommand): void {
    const waits = this.#queue.some((waiting) => waiting !== undefined && waiting.type !== 'audio.append');
    if (waits) this.follow(command);
    else this.#link?.send(command);
  }

  /** Drops the waiting audio on request. Commands after it stay. */
  clear(): void {
    const kept = this.#queue.slice(this.#taken).filter((command) => command?.type !== 'audio.append');
    this.#queue = kept;
    this.#taken = 0;
    this.#queuedBytes = 0;
    this.#pump();
  }

  /** The link is gone; waiting audio stays until the next one opens. */
  detach(): void {
    this.#link = undefined;
    this.#stopClock();
  }

  close(): void {
    this.#isClosed = true;
    this.detach();
    this.#queue = [];
    this.#taken = 0;
    this.#queuedBytes = 0;
    this.#wake();
    this.#parts.host.clearTimeout(this.#nextReport);
    this.#nextReport = undefined;
  }

  get #isCrowded(): boolean {
    return this.queuedMs > this.#parts.capacityMs / 2;
  }

  #wake(): void {
    if (this.#waiting.length === 0 || this.#isCrowded) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #mayWrite(): boolean {
    const link = this.#link;
    if (link === undefined) return false;
    const waiting = link.tellsWritten ? Math.max(this.#unwrittenBytes, link.bufferedBytes) : link.bufferedBytes;
    return waiting < this.#parts.highWaterBytes;
  }

  #write(command: WireCommand, bytes: number): void {
    const link = this.#link;
    if (link === undefined) return;
    if (!link.tellsWritten) return link.send(command);
    const epoch = this.#epoch;
    this.#unwrittenBytes += bytes;
    link.send(command, () => {
      if (epoch !== this.#epoch) return; // belongs to a link that is gone
      this.#unwrittenBytes -= bytes;
      if (this.#taken < this.#queue.length) this.#pump();
    });
  }

  // A link may say `written` before its `send` returns.
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    while (this.#taken < this.#queue.length) {
      const command = this.#queue[this.#taken];
      if (command === undefined || this.#link === undefined) break;
      const bytes = command.type === 'audio.append' ? command.audio.byteLength : 0;
      // Commands are never dropped, but they wait for the audio before them.
      if (bytes > 0 && !this.#mayWrite()) break;
      this.#queue[this.#taken++] = undefined;
      this.#queuedBytes -= bytes;
      if (command.type === 'audio.append') this.#write(command, bytes);
      else this.#link.send(command);
    }
    this.#isPumping = false;
    this.#compact();
    this.#wake();
    if (this.#queue.length === 0) this.#stall(false);
    else this.#startPolling();
  }

  #compact(): void {
    if (this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    } else if (this.#taken > 1_000) {
      this.#queue = this.#queue.slice(this.#taken);
      this.#taken = 0;
    }
  }

  // Whole chunks, the oldest first; what was appended last is kept, however large.
  #trim(): void {
    const capacity = this.#parts.capacityMs * this.#parts.bytesPerMs();
    while (this.#queuedBytes > capacity) {
      let index = this.#taken;
      while (index < this.#queue.length && this.#queue[index]?.type !== 'audio.append') index++;
      const command = this.#queue[index];
      if (command?.type !== 'audio.append' || index === this.#queue.length - 1) break;
      if (index === this.#taken) this.#queue[this.#taken++] = undefined;
      else this.#queue.splice(index, 1);
      this.#queuedBytes -= command.audio.byteLength;
      this.#droppedBytes += command.audio.byteLength;
    }
    this.#compact();
    if (this.#droppedBytes > 0) this.#reportSoon();
  }

  #stall(isStalled: boolean): void {
    if (this.#link === undefined || isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    if (isStalled) this.#startPolling();
    else this.#stopClock();
    this.#report();
    this.#parts.stalled(isStalled);
  }

  // Chunks are dropped one by one: the first is reported at once, then one report a second.
  #reportSoon(): void {
    if (this.#nextReport !== undefined) return;
    this.#report();
    this.#nextReport = this.#parts.host.setTimeout(() => {
      this.#nextReport = undefined;
      if (this.#droppedBytes > 0) this.#reportSoon();
    }, reportEveryMs);
  }

  #report(): void {
    const droppedMs = this.#droppedBytes / this.#parts.bytesPerMs();
    this.#droppedBytes = 0;
    this.#parts.report(this.queuedMs, droppedMs);
  }

  #startPolling(): void {
    if (this.#poll !== undefined || this.#link === undefined) return;
    this.#poll = this.#parts.host.setTimeout(() => {
      this.#poll = undefined;
      this.#pump();
    }, pollMs);
  }

  #stopClock(): void {
    if (this.#poll !== undefined) this.#parts.host.clearTimeout(this.#poll);
    this.#poll = undefined;
  }
}
