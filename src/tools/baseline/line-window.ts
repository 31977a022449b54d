// Takes a window of lines out of a file of any size, reading no more than it must. Called by Read.

import type { FileHandle } from 'node:fs/promises';

import { cutToUnits } from './cut-text.ts';
import type { LineBreaks } from './line-endings.ts';
import { createLineSplitter, type Line } from './line-splitter.ts';
import type { LinePosition } from './read-ledger.ts';
import type { TextCodec } from './text-encoding.ts';

/** The source of the bytes: a buffer with the whole file, or a handle that is read piece by piece. */
export type ByteSource =
  | { readonly type: 'whole'; readonly bytes: Buffer }
  | { readonly type: 'handle'; readonly handle: FileHandle; readonly size: number };

/** Which lines, and within which limits. */
export interface WindowRequest {
  readonly codec: TextCodec;
  readonly breaks: LineBreaks;
  /** A line start at or before the first wanted line. */
  readonly from: LinePosition;
  /** 1-based. */
  readonly offset: number;
  readonly limit: number;
  /** UTF-8 bytes of all shown lines; the first line is shown whatever it takes. */
  readonly maxBytes: number;
  /** UTF-16 units of one line. */
  readonly maxLineUnits: number;
  readonly signal: AbortSignal;
}

/** A line as shown. `cutFrom`: it was cut and really has this many bytes. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly cutFrom?: number;
}

/** The window, and what is known about the rest. */
export interface LineWindow {
  readonly lines: readonly ShownLine[];
  /** The first line that is not shown any more; absent at the end of the file. */
  readonly next?: LinePosition;
  /** The number of lines of the file; absent if counting them would mean reading much more. */
  readonly total?: number;
  readonly stoppedBy?: 'limit' | 'bytes';
  /** False when the file does not end in a line end. */
  readonly isEnded: boolean;
}

const firstChunkBytes = 128 * 1024;
const chunkBytes = 1024 * 1024;
// Lines after the window are still counted if no more than this is left.
const countableBytes = 8 * 1024 * 1024;

/** Throws what the file system throws, and the signal's reason when it is aborted. */
export async function lineWindow(source: ByteSource, request: WindowRequest): Promise<LineWindow> {
  const { codec, from, offset, limit, maxBytes, maxLineUnits } = request;
  const lines: ShownLine[] = [];
  let bytes = 0;
  let stop: { readonly at: LinePosition; readonly by: 'limit' | 'bytes' } | undefined;
  const stopAt = (line: number, byte: number, by: 'limit' | 'bytes'): 'count' | 'ignore' => {
    stop = { at: { line, byte }, by };
    return isWorthCounting(source, byte) ? 'count' : 'ignore';
  };
  const splitter = createLineSplitter({
    breaks: request.breaks,
    unit: codec.unit,
    isBigEndian: codec.name === 'UTF-16BE',
    line: from.line,
    byte: from.byte,
    firstWanted: offset,
    keepBytes: maxLineUnits * 4 + 4,
    onLine: (line) => {
      const shown = shownLine(line, codec, maxLineUnits);
      const size = Buffer.byteLength(shown.text) + 1;
      if (lines.length > 0 && bytes + size > maxBytes) return stopAt(line.number, line.start, 'bytes');
      bytes += size;
      lines.push(shown);
      return lines.length >= limit ? stopAt(line.number + 1, line.end, 'limit') : 'want';
    },
  });
  const isAtEnd = await feed(source, from.byte, splitter, request.signal, () => stop?.at.byte);
  const count = isAtEnd ? splitter.count() : undefined;
  const isMore = stop !== undefined && (count === undefined || count.lines >= stop.at.line);
  return {
    lines,
    ...(isMore && stop !== undefined ? { next: stop.at, stoppedBy: stop.by } : {}),
    ...(count === undefined ? {} : { total: count.lines }),
    isEnded: count?.isEnded ?? true,
  };
}

function isWorthCounting(source: ByteSource, from: number): boolean {
  return source.type === 'whole' || source.size - from <= countableBytes;
}

function shownLine(line: Line, codec: TextCodec, maxUnits: number): ShownLine {
  const isCut = line.bytes.length < line.length;
  const text = codec.view(line.bytes);
  if (!isCut && text.length <= maxUnits) return { number: line.number, text };
  return { number: line.number, text: cutToUnits(text, maxUnits), cutFrom: line.length };
}

// Pushes the file from `position` on until its end, or until the window is full and the rest is too long to be counted.
// False: the end was not reached.
async function feed(
  source: ByteSource,
  position: number,
  splitter: { readonly push: (chunk: Buffer) => void; readonly end: () => void },
  signal: AbortSignal,
  fullAt: () => number | undefined,
): Promise<boolean> {
  if (source.type === 'whole') {
    splitter.push(source.bytes.subarray(position));
    splitter.end();
    return true;
  }
  // Most windows are small: the first read is, too.
  let chunk = Buffer.allocUnsafe(firstChunkBytes);
  for (let at = position; ;) {
    signal.throwIfAborted();
    const full = fullAt();
    if (full !== undefined && !isWorthCounting(source, full)) return false;
    const bytesRead = await readFully(source.handle, chunk, at);
    splitter.push(chunk.subarray(0, bytesRead));
    at += bytesRead;
    if (bytesRead < chunk.length) break;
    if (chunk.length < chunkBytes) chunk = Buffer.allocUnsafe(chunkBytes);
  }
  splitter.end();
  return true;
}

// A read may give less than asked for before the end of the file.
async function readFully(handle: FileHandle, chunk: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < chunk.length) {
    const { bytesRead } = await handle.read(chunk, filled, chunk.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
