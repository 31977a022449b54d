// The beginning and the end of a command's output, however long it is, as text a model can read.

import { StringDecoder } from 'node:string_decoder';

import { utf8Length } from '../bounded-text.ts';
import { cutToUnits } from './cut-text.ts';
import { createTerminalText } from './terminal-text.ts';

/** Collects output. Memory stays bounded. */
export interface OutputWindow {
  /** Takes bytes as they come and returns them as clean text. */
  readonly push: (bytes: Buffer) => string;
  /** Everything collected; with a notice in the middle where it is longer than the window. */
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
  const headUnits = Math.ceil(maxUnits / 2);
  const tailUnits = maxUnits - headUnits;
  let head = '';
  let tail = '';
  let totalUnits = 0;
  let totalBytes = 0;

  const collect = (text: string): void => {
    totalUnits += text.length;
    totalBytes += Buffer.byteLength(text);
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
  };

  return {
    push: (bytes) => {
      const text = terminal.push(decoder.write(bytes));
      collect(text);
      return text;
    },
    shown: (fullTextIn) => {
      const last = terminal.push(decoder.end()) + terminal.end();
      collect(last);
      if (totalUnits <= maxUnits) return (head + tail).toWellFormed();
      const end = tail.slice(tailUnits === 0 ? tail.length : -tailUnits);
      const lastPart = startsInsidePair(tail, tail.length - end.length) ? end.slice(1) : end;
      const left = totalBytes - utf8Length(head) - utf8Length(lastPart);
      const where = fullTextIn === undefined ? '' : `; the full output is in ${fullTextIn}`;
      return `${head}\n\n[… ${left} of ${totalBytes} bytes left out${where} …]\n\n${lastPart}`.toWellFormed();
    },
    isFull: () => totalUnits > maxUnits,
  };
}

function startsInsidePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
}
