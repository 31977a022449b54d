/// <reference lib="es2024.string" />
// What one background task wrote, in bounded memory: its beginning and its end. Written by the task, read by snapshots
// and polls.

import type { TaskOutputPart } from '../contracts/background-task.ts';
import { firstBytes, lastBytes, utf8Length } from '../tools/bounded-text.ts';

/** Shows at most `maxBytes`, a notice included, cut between characters; keeps about twice as much. */
export class BackgroundOutput {
  readonly #maxBytes: number;
  readonly #maxHeadBytes: number;
  readonly #maxTailBytes: number;
  // Strings and not lists: adding to one is cheap, and a snapshot is free.
  #head = '';
  #headBytes = 0;
  #tail = '';
  #tailBytes = 0;
  // A later piece may bring the other half of a character.
  #half = '';
  #units = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    const room = Math.max(0, maxBytes - (maxBytes < 200 ? 3 : 100)); // for the notice
    this.#maxBytes = maxBytes;
    this.#maxHeadBytes = Math.ceil(room / 2);
    this.#maxTailBytes = Math.floor(room / 2);
  }

  write(given: string): void {
    const whole = this.#half + given;
    this.#half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : '';
    const text = (this.#half === '' ? whole : whole.slice(0, -1)).toWellFormed();
    const bytes = utf8Length(text);
    this.#units += text.length;
    this.#bytes += bytes;
    if (this.#tailBytes > 0 || this.#bytes > this.#maxHeadBytes) return this.#addToTail(text, bytes);
    this.#head += text;
    this.#headBytes += bytes;
  }

  /** Nothing more comes: half a character is written as what it is. */
  end(): void {
    const rest = this.#half.toWellFormed();
    this.#half = '';
    this.write(rest);
  }

  /** A way to the text as it is now, which later writes do not change. */
  snapshot(): () => string {
    const head = this.#head;
    const tail = this.#tail;
    const total = this.#bytes;
    if (total <= this.#maxBytes) return () => head + tail;
    const headBytes = this.#headBytes;
    const maxTailBytes = this.#maxTailBytes;
    if (this.#maxBytes < 200) return () => (this.#maxBytes < 3 ? '' : `${head}…${endOf(tail, maxTailBytes)}`);
    return () => {
      const end = endOf(tail, maxTailBytes);
      return `${head}\n\n[… ${total - headBytes - utf8Length(end)} of ${total} bytes left out …]\n\n${end}`;
    };
  }

  /** Everything from a position on; what is no longer kept is told by a notice. */
  read(given: number): TaskOutputPart {
    const from = given > 0 ? given : 0;
    const tailStart = this.#units - this.#tail.length;
    const beginning = this.#head.slice(from);
    const lost = Math.max(0, tailStart - Math.max(from, this.#head.length));
    const notice = lost === 0 ? '' : `\n\n[… ${lost} characters are no longer kept …]\n\n`;
    const end = this.#tail.slice(Math.max(0, from - tailStart));
    return { text: (beginning + notice + end).toWellFormed(), next: this.#units };
  }

  #addToTail(text: string, bytes: number): void {
    const room = this.#maxHeadBytes - this.#headBytes;
    const isFirst = this.#tailBytes === 0 && this.#units === this.#head.length + text.length;
    const part = isFirst && room > 0 ? firstBytes(text, room) : '';
    const partBytes = utf8Length(part);
    this.#head += part;
    this.#headBytes += partBytes;
    this.#tail += text.slice(part.length);
    this.#tailBytes += bytes - partBytes;
    // Only now and then, so that each byte is copied a bounded number of times.
    if (this.#tailBytes <= 2 * this.#maxTailBytes + 4096) return;
    this.#tail = endOf(this.#tail, this.#maxTailBytes);
    this.#tailBytes = utf8Length(this.#tail);
  }
}

function endOf(text: string, maxBytes: number): string {
  return maxBytes === 0 ? '' : lastBytes(text, maxBytes);
}
