// Splits a stream of bytes into lines without keeping more of a line than is wanted. Used by Read for files of any
// size.

import type { LineBreaks } from './line-endings.ts';

/** One line without its ending. `bytes` is its beginning, at most the wanted size; `length` is its full size. */
export interface Line {
  readonly number: number;
  /** Where it begins in the file, and where the next one would (before the LF of a CRLF when a CR ends lines). */
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
  readonly length: number;
  /** False for a last line without a line end. */
  readonly isEnded: boolean;
}

/** How to split. */
export interface SplitterOptions {
  readonly breaks: LineBreaks;
  /** Bytes per code unit and which of them is the low one: 1, or 2 for UTF-16. */
  readonly unit: 1 | 2;
  readonly isBigEndian: boolean;
  /** The first line's number and where it begins. */
  readonly line: number;
  readonly byte: number;
  /** Lines before this one are only counted, which is much cheaper. */
  readonly firstWanted: number;
  /** How many bytes of a line are kept. */
  readonly keepBytes: number;
  /** Called for each wanted line, in order. Returns what to do with the lines after it. */
  readonly onLine: (line: Line) => 'want' | 'count' | 'ignore';
}

/** Feed it chunks; `end` hands out a last line without an end. */
export interface LineSplitter {
  readonly push: (chunk: Buffer) => void;
  readonly end: () => void;
  /**
   * How many lines the file has, once `end` was called and no line was ignored; and whether the last one has an end.
   */
  readonly count: () => { readonly lines: number; readonly isEnded: boolean };
}

const lineFeed = 10;
const carriageReturn = 13;

/** A splitter that begins at a line start. Chunks must begin at a multiple of the unit. */
export function createLineSplitter(options: SplitterOptions): LineSplitter {
  const { unit } = options;
  const find = options.breaks === 'cr' ? findAnyBreak : findLineFeed;
  let number = options.line;
  let start = options.byte;
  let mode: 'want' | 'count' | 'ignore' = options.line < options.firstWanted ? 'count' : 'want';
  let isLastEnded = true;
  let kept: Buffer[] = [];
  let keptLength = 0;
  let length = 0;
  let skipFeed = false; // the last chunk ended in the CR of a CRLF, perhaps

  const keep = (bytes: Buffer): void => {
    const room = options.keepBytes - keptLength;
    if (room > 0 && bytes.length > 0) {
      // A copy: the chunk's memory is used again.
      kept.push(Buffer.from(bytes.subarray(0, room)));
      keptLength += Math.min(room, bytes.length);
    }
    length += bytes.length;
  };
  const pass = (endingLength: number): void => {
    number++;
    start += length + endingLength;
    length = 0;
    if (number === options.firstWanted) mode = 'want';
  };
  const emit = (isEnded: boolean, endingLength: number): void => {
    const [only] = kept;
    let bytes = kept.length === 1 && only !== undefined ? only : Buffer.concat(kept);
    let own = length;
    if (isEnded && options.breaks === 'lf' && length === bytes.length && endsInReturn(bytes)) {
      bytes = bytes.subarray(0, -unit);
      own -= unit;
    }
    const next = options.onLine({ number, start, end: start + length + endingLength, bytes, length: own, isEnded });
    kept = [];
    keptLength = 0;
    pass(endingLength);
    mode = next;
  };
  const endsInReturn = (bytes: Buffer): boolean =>
    bytes.length >= unit && unitAt(bytes, bytes.length - unit) === carriageReturn;
  const unitAt = (bytes: Buffer, at: number): number => {
    if (unit === 1) return bytes[at] ?? -1;
    return options.isBigEndian
      ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
      : (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  };

  function findLineFeed(chunk: Buffer, from: number): number {
    if (unit === 1) return chunk.indexOf(lineFeed, from);
    const low = options.isBigEndian ? 1 : 0;
    for (let at = chunk.indexOf(lineFeed, from); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) {
      if (at % 2 === low && chunk[at + 1 - 2 * low] === 0) return at - low;
    }
    return -1;
  }
  function findAnyBreak(chunk: Buffer, from: number): number {
    for (let at = from; at + unit <= chunk.length; at += unit) {
      const value = unitAt(chunk, at);
      if (value === lineFeed || value === carriageReturn) return at;
    }
    return -1;
  }

  return {
    push: (chunk) => {
      let from = 0;
      if (skipFeed && chunk.length > 0) {
        skipFeed = false;
        if (unitAt(chunk, 0) === lineFeed) {
          from = unit;
          start += unit;
        }
      }
      for (let at = find(chunk, from); at >= 0 && mode !== 'ignore'; at = find(chunk, from)) {
        if (mode === 'want') {
          keep(chunk.subarray(from, at));
          emit(true, unit);
        } else {
          length += at - from;
          pass(unit);
        }
        from = at + unit;
        if (options.breaks !== 'cr' || unitAt(chunk, at) !== carriageReturn) continue;
        if (from >= chunk.length) skipFeed = true;
        else if (unitAt(chunk, from) === lineFeed) {
          from += unit;
          start += unit;
        }
      }
      if (mode === 'want') keep(chunk.subarray(from));
      else length += chunk.length - from;
    },
    end: () => {
      isLastEnded = length === 0;
      if (length === 0) return;
      if (mode === 'want') emit(false, 0);
      else pass(0);
    },
    count: () => ({ lines: number - 1, isEnded: isLastEnded }),
  };
}
