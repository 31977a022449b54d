// A text file as Read shows it: a window of numbered lines, and a note that says where to go on and what is special.

import { lineBreaksOf } from './line-endings.ts';
import { lineWindow, type ByteSource, type LineWindow } from './line-window.ts';
import type { LinePosition, LineRange } from './read-ledger.ts';
import { detectEncoding, type TextCodec } from './text-encoding.ts';

/** What to show of which bytes. */
export interface TextRequest {
  readonly source: ByteSource;
  /** The first bytes, at least 64 KiB or all of them. */
  readonly head: Buffer;
  readonly size: number;
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
  /** A known beginning of a line, to start from instead of the first. */
  readonly positionBefore: (line: number) => LinePosition | undefined;
  readonly signal: AbortSignal;
}

/** The text and what the ledger should keep of it; or that there is no such line, without the file's name in front. */
export type ShownText =
  | {
      readonly type: 'shown';
      readonly text: string;
      readonly record: { readonly range?: LineRange; readonly isWhole: boolean; readonly next?: LinePosition };
    }
  | { readonly type: 'pastEnd'; readonly message: string };

const maxLineUnits = 2000;

/** Shows the window. Throws what the file system throws, and the signal's reason. */
export async function readText(request: TextRequest): Promise<ShownText> {
  const { source, head, offset } = request;
  const codec = source.type === 'whole' ? await detectEncoding(source.bytes, true) : await detectEncoding(head, false);
  const sample = codec.view(head.subarray(codec.mark.length));
  const breaks = lineBreaksOf(sample);
  const start = { line: 1, byte: codec.mark.length };
  const window = await lineWindow(source, {
    codec,
    breaks,
    from: request.positionBefore(offset) ?? start,
    offset,
    limit: request.limit,
    maxBytes: request.maxBytes,
    maxLineUnits,
    signal: request.signal,
  });
  const { lines, total } = window;
  const first = lines[0];
  const last = lines.at(-1);
  if (first === undefined || last === undefined) {
    if (total === 0)
      return { type: 'shown', text: 'The file is empty but for a byte order mark.', record: { isWhole: true } };
    return { type: 'pastEnd', message: `has ${plural(total ?? 0, 'line')}: offset ${offset} is past the end.` };
  }
  const isWhole = first.number === 1 && window.next === undefined && lines.every((line) => line.cutFrom === undefined);
  const body = lines.map((line) => `${line.number}\t${line.text}${cutNote(line)}`).join('\n');
  const notes = [
    rangeNote(window, first.number, last.number, request.size),
    formatNote(codec, sample),
    endNote(window),
  ];
  return {
    type: 'shown',
    text: [body.toWellFormed(), ...notes.filter((note) => note !== '')].join('\n'),
    record: {
      range: { first: first.number, last: last.number },
      isWhole,
      // If CR ends lines, the place after a CR may still be inside a CRLF.
      ...(window.next === undefined || breaks === 'cr' ? {} : { next: window.next }),
    },
  };
}

function cutNote(line: { readonly text: string; readonly cutFrom?: number }): string {
  return line.cutFrom === undefined
    ? ''
    : `… [cut: ${line.text.length} characters shown of a line of ${line.cutFrom} bytes]`;
}

function rangeNote(window: LineWindow, first: number, last: number, size: number): string {
  const { next, total } = window;
  if (next === undefined) return first === 1 ? '' : `[Lines ${first}-${last} of ${last}: the end of the file.]`;
  const of = total === undefined ? ` of more: the file has ${size} bytes, its lines were not counted` : ` of ${total}`;
  const why = window.stoppedBy === 'bytes' ? ' (as much as is shown at once)' : '';
  return `[Lines ${first}-${last}${of}${why}. Continue with offset=${next.line}.]`;
}

function formatNote(codec: TextCodec, sample: string): string {
  const feeds = sample.match(/(?<!\r)\n/g)?.length ?? 0;
  const pairs = sample.match(/\r\n/g)?.length ?? 0;
  const endings = pairs > 0 ? (feeds > 0 ? 'mixed CRLF and LF' : 'CRLF') : lineBreaksOf(sample) === 'cr' ? 'CR' : '';
  const facts = [
    codec.name === 'UTF-8' ? '' : `encoding ${codec.name}`,
    codec.mark.length > 0 ? 'byte order mark' : '',
    endings === '' ? '' : `line ends ${endings}`,
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? '' : `[Format: ${facts.join(', ')}. Edit and Write keep it.]`;
}

function endNote(window: LineWindow): string {
  return window.next === undefined && !window.isEnded ? '[The last line has no line end.]' : '';
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
