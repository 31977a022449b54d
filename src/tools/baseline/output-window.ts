// The beginning and the end of a command's output, however long it is, as text a model can read.

import { StringDecoder } from 'node:string_decoder';

import { utf8Length } from '../bounded-text.ts';
import { cutToUnits } from './cut-text.ts';
import { createRepeatedLines } from './repeated-lines.ts';
import { createTerminalText } from './terminal-text.ts';

/** Collects output. Memory stays bounded. */
export interface OutputWindow {
  /** Takes bytes as they come and returns them as clean text. */
  readonly push: (bytes: Buffer) => string;
  /**
   * Everything collected. If it is longer than the window, repeated lines appear once with a count, and a notice in the
   * middle says how much is left out there.
   */
  readonly shown: (fullTextIn: string | undefined) => string;
  /** True once the text is longer than the window: time to keep the full output elsewhere. */
  readonly isFull: () => boolean;
}

/**
 * A window of `maxUnits` UTF-16 units, half for the beginning and half for the end, cut between characters. Invalid
 * bytes become U+FFFD; terminal sequences are left out and not counted.
 */
export function createOutputWindow(maxUnits: number): OutputWindow {
  const decoder = new StringDecoder('utf8');
  const terminal = createTerminalText();
  // A background process that repeats itself must not push out the command's own output.
  const lines = createRepeatedLines();
  const ends = createHeadAndTail(maxUnits);
  let whole: string | undefined = ''; // until it is longer than the window
  let totalUnits = 0;
  let totalBytes = 0;

  const collect = (text: string): void => {
    totalUnits += text.length;
    totalBytes += Buffer.byteLength(text);
    if (whole === undefined) return ends.add(lines.push(text));
    whole += text;
    if (totalUnits <= maxUnits) return;
    ends.add(lines.push(whole));
    whole = undefined;
  };

  return {
    push: (bytes) => {
      const text = terminal.push(decoder.write(bytes));
      collect(text);
      return text;
    },
    shown: (fullTextIn) => {
      collect(terminal.push(decoder.end()) + terminal.end());
      if (whole !== undefined) return whole.toWellFormed();
      ends.add(lines.end());
      const { head, left, tail } = ends.taken();
      const where = fullTextIn === undefined ? '' : `; the full output is in ${fullTextIn}`;
      const shown =
        left === 0
          ? `${(head + tail).replace(/\n$/, '')}\n[Lines that repeat are shown once${where}.]`
          : `${head}\n\n[… ${left} of ${totalBytes} bytes left out${where} …]\n\n${tail}`;
      return shown.toWellFormed();
    },
    isFull: () => totalUnits > maxUnits,
  };
}

/** The beginning and the end of a text; `left` counts the bytes in between. */
function createHeadAndTail(maxUnits: number) {
  const headUnits = Math.ceil(maxUnits / 2);
  const tailUnits = maxUnits - headUnits;
  let head = '';
  let tail = '';
  let units = 0;
  let bytes = 0;
  return {
    add: (text: string): void => {
      units += text.length;
      bytes += Buffer.byteLength(text);
      let rest = text;
      if (tail === '' && head.length < headUnits) {
        const room = cutToUnits(rest, headUnits - head.length);
        head += room;
        rest = rest.slice(room.length);
      }
      if (rest === '') return;
      tail += rest;
      // Trimmed now and then, so that each byte is copied a bounded number of times.
      if (tail.length > 4 * tailUnits + 4096) tail = tail.slice(-2 * tailUnits - 2);
    },
    taken: () => {
      if (units <= maxUnits) return { head, left: 0, tail };
      const end = tail.slice(tailUnits === 0 ? tail.length : -tailUnits);
      const last = startsInsidePair(tail, tail.length - end.length) ? end.slice(1) : end;
      return { head, left: bytes - utf8Length(head) - utf8Length(last), tail: last };
    },
  };
}

function startsInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
