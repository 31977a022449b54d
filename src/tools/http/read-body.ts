// The body of a response as text for the model: bounded while it streams, decoded by its charset, JSON formatted, HTML
// without tags. Binary data is not read at all.

import { firstBytes as firstBytesOf } from '../bounded-text.ts';
import { pageText } from './page-text.ts';

/** A body that was read, or why it was not. */
export type ReadBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Removes secrets from a text; `isCut`: the text may end in the middle of one. */
export type Hide = (text: string, isCut: boolean) => string;

/** Reads at most `maxBytes` bytes after decompression; the text says what was cut off. Cuts only after `hide`. */
export async function readBody(response: Response, maxBytes: number, hide: Hide): Promise<ReadBody> {
  const type = mediaType(response);
  if (response.body === null) return { kind: 'text', text: '' };
  if (isBinaryType(type)) return refuse(response, `is ${type}`);
  const { bytes, isCut } = await firstBytes(response.body, maxBytes);
  const decoder = decoderFor(response, type, bytes);
  // Whatever its type says: no text has such bytes, except in encodings with characters wider than a byte.
  if (bytes.includes(0) && !decoder.encoding.startsWith('utf-16'))
    return { kind: 'refused', reason: notShown('is binary', sizeOf(response, bytes, isCut)) };
  const text = decoder.decode(bytes, { stream: isCut }); // drops half a character at the cut
  const notice = isCut ? `\n\n[cut after ${maxBytes} bytes; the body is longer${ofTotal(response)}]` : '';
  return { kind: 'text', text: `${await laidOut(text, type, { maxBytes, isCut, hide })}${notice}` };
}

async function refuse(response: Response, what: string): Promise<ReadBody> {
  const length = lengthOf(response);
  if (length !== undefined) {
    await response.body?.cancel().catch(() => undefined);
    return { kind: 'refused', reason: notShown(what, `${length} bytes`) };
  }
  // The length is unknown: count, without keeping any of it.
  let count = 0;
  let isWhole = false;
  const reader = response.body?.getReader();
  const leaveOff = (): void => void reader?.cancel().catch(() => undefined);
  let isLeft = false;
  const timer = setTimeout(() => {
    isLeft = true;
    leaveOff();
  }, countingMs);
  try {
    while (!isWhole && count < maxCounted) {
      const part = await reader?.read();
      isWhole = part?.done !== false;
      count += part?.value?.byteLength ?? 0;
    }
  } finally {
    clearTimeout(timer);
    leaveOff();
  }
  return { kind: 'refused', reason: notShown(what, isWhole && !isLeft ? `${count} bytes` : `${count} bytes or more`) };
}

const maxCounted = 16 * 1024 * 1024;

// A live stream, such as a radio, has no end.
const countingMs = 2_000;

function notShown(what: string, size: string): string {
  return `The body ${what} (${size}) and cannot be shown as text.`;
}

function sizeOf(response: Response, bytes: Uint8Array, isCut: boolean): string {
  return isCut ? `more than ${bytes.byteLength} bytes${ofTotal(response)}` : `${bytes.byteLength} bytes`;
}

function ofTotal(response: Response): string {
  const length = lengthOf(response);
  return length === undefined ? '' : `, ${length} bytes in all`;
}

// The stated length of a compressed body that another fetch has unpacked means nothing.
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null || !/^\d+$/.test(length) || headers.has('content-encoding') ? undefined : Number(length);
}

async function firstBytes(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isCut: boolean }> {
  const parts: Uint8Array[] = [];
  let room = maxBytes;
  let isCut = false;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (part.value.byteLength > room) {
      parts.push(part.value.slice(0, room));
      isCut = true;
      await reader.cancel().catch(() => undefined);
      break;
    }
    parts.push(part.value);
    room -= part.value.byteLength;
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return { bytes, isCut };
}

function mediaType(response: Response): string {
  // By the Fetch standard: of several types the last valid one; invalid ones are ignored.
  const types = (response.headers.get('content-type') ?? '')
    .split(',')
    .map((type) => type.split(';', 1).join('').trim().toLowerCase());
  return types.findLast((type) => /^[\w.!#$&^+-]+\/[\w.!#$&^+-]+$/.test(type)) ?? '';
}

const textTypes =
  /^(?:text\/.*|(?:.*\+|application\/(?:x-)?|image\/svg\+)(?:json|xml|yaml|toml|sql)|application\/(?:(?:x-)?(?:javascript|ecmascript|ndjson|json5|sh|httpd-php)|jsonlines|jsonl|json-seq|jwt|graphql|csv|x-csv|(?:x-)?(?:la)?tex|markdown|n-triples|n-quads|sparql-query|x-www-form-urlencoded|typescript|rtf|pgp-signature|x-pem-file|x-subrip)|multipart\/.*|message\/.*)$/;

function isBinaryType(type: string): boolean {
  return type !== '' && !textTypes.test(type);
}

const charsetOf = /charset\s*=\s*["']?([\w.:-]+)/i;

function decoderFor(response: Response, type: string, bytes: Uint8Array): TextDecoder {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  const said =
    charsetOf.exec(response.headers.get('content-type') ?? '')?.[1] ??
    // Pages declare it in their first kilobyte.
    (isMarkup(type) ? charsetOf.exec(new TextDecoder('latin1').decode(bytes.subarray(0, 1024)))?.[1] : undefined);
  try {
    return new TextDecoder(said ?? 'utf-8');
  } catch {
    return new TextDecoder(); // an unknown charset
  }
}

function isMarkup(type: string): boolean {
  return type === 'text/html' || type === 'application/xhtml+xml';
}

interface LayingOut {
  readonly maxBytes: number;
  readonly isCut: boolean;
  readonly hide: Hide;
}

// Formatting may multiply the size: then JSON stays unchanged, and only the beginning of a page is shown.
async function laidOut(text: string, type: string, { maxBytes, isCut, hide }: LayingOut): Promise<string> {
  if (isMarkup(type)) {
    // Both before (headings become capitals, and links move behind their text) and after (tags are gone).
    const page = hide(await pageText(hide(text, isCut)), isCut);
    return page.length <= maxBytes ? page : `${firstBytesOf(page, maxBytes)}…`;
  }
  if (isCut) return hide(text, true);
  const isJson = /^(?:application|text)\/(?:.*\+|x-)?json$/.test(type);
  const pretty = isJson ? prettyJson(text) : text;
  return pretty.length <= maxBytes ? pretty : text;
}

/** Formatted with two spaces; the text itself if it is not JSON. Numbers keep every digit. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, exactNumber), null, 2);
  } catch {
    return text;
  }
}

// Newer than TypeScript's declarations; without it, long numbers are rounded like in JavaScript.
const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  const isRounded = typeof value === 'number' && source !== undefined && String(value) !== source;
  return isRounded && typeof rawJson === 'function' ? Reflect.apply(rawJson, JSON, [source]) : value;
}
