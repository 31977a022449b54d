/// <reference lib="es2024.string" />
// What one background task wrote, in bounded memory: its beginning and its end. Written by the task, read by snapshots
// and polls. The reference above is for `toWellFormed`.

import type { TaskOutputPart } from '../contracts/background-task.ts';
import { firstBytes, lastBytes, utf8Length } from '../tools/bounded-text.ts';

/** Shows at most `maxBytes`, a notice included, cut between characters; keeps about twice as much. */
export class BackgroundOutput {
  readonly #maxBytes: number;
  readonly #maxHeadBytes: number;
  readonly #maxTailBytes: number;
  // Strings and not lists: adding to one is cheap, and a snapshot is free.
  #head = '';
  #tail = '';
  // Half a surrogate pair at the end: the next piece may bring the other half.
  #half = '';
  /** Of everything that was written, kept or not. */
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
    const isAllInHead = this.#units === this.#head.length;
    this.#units += text.length;
    this.#bytes += utf8Length(text);
    if (this.#bytes <= this.#maxHeadBytes) {
      this.#head += text;
      return;
    }
    const part = isAllInHead ? firstBytes(text, this.#maxHeadBytes - utf8Length(this.#head)) : '';
    this.#head += part;
    this.#tail += text.slice(part.length);
    // Only now and then, so that each character is copied a bounded number of times.
    if (this.#tail.length > 2 * this.#maxTailBytes + 4096) this.#tail = endOf(this.#tail, this.#maxTailBytes);
  }

  /** Nothing more comes: a remaining half of a character is written as U+FFFD. */
  end(): void {
    const rest = this.#half.toWellFormed();
    this.#half = '';
    this.write(rest);
  }

  /** A function that gives the text as it is now, unaffected by later writes. */
  snapshot(): () => string {
    const head = this.#head;
    const tail = this.#tail;
    const total = this.#bytes;
    if (total <= this.#maxBytes) return () => head + tail;
    return () => {
      const end = endOf(tail, this.#maxTailBytes);
      if (this.#maxBytes < 200) return this.#maxBytes < 3 ? '' : `${head}…${end}`;
      const omitted = total - utf8Length(head) - utf8Length(end);
      return `${head}\n\n[… ${omitted} of ${total} bytes left out …]\n\n${end}`;
    };
  }

  /** Everything from a position on; a notice stands for what is no longer kept. */
  read(given: number): TaskOutputPart {
    const from = given > 0 ? given : 0;
    const tailStart = this.#units - this.#tail.length;
    const beginning = this.#head.slice(from);
    const lost = Math.max(0, tailStart - Math.max(from, this.#head.length));
    const notice = lost === 0 ? '' : `\n\n[… ${lost} characters are no longer kept …]\n\n`;
    const end = this.#tail.slice(Math.max(0, from - tailStart));
    return { text: (beginning + notice + end).toWellFormed(), next: this.#units };
  }
}

function endOf(text: string, maxBytes: number): string {
  return maxBytes === 0 ? '' : lastBytes(text, maxBytes);
}
