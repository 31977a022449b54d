/// <reference lib="es2024.string" />
// Texts with an upper size: cuts keep whole characters and say how much is missing. Used for tool results and messages.

let encoder: TextEncoder | undefined;
let decoder: TextDecoder | undefined;
let scratch: Uint8Array | undefined;

/**
 * The text itself, well-formed, when it has at most `maxBytes` bytes as UTF-8; else its beginning and its end around a
 * notice that gives the byte counts. The result has at most `maxBytes` bytes (at least 200) and keeps nothing of a
 * longer text alive in memory.
 */
export function boundedText(text: string, maxBytes: number): string {
  // A UTF-16 unit is at most three bytes, so short texts need no counting.
  if (text.length * 3 <= maxBytes) return text.toWellFormed();
  const total = utf8Length(text);
  if (total <= maxBytes) return text.toWellFormed();
  const room = Math.max(maxBytes, 200) - 100; // the notice has less than 100 bytes
  const tailRoom = Math.floor(room / 2);
  const head = firstBytes(text, room - tailRoom);
  const tail = lastBytes(text, tailRoom);
  const omitted = total - utf8Length(head) - utf8Length(tail);
  return `${head}\n\n[… ${omitted} of ${total} bytes left out …]\n\n${tail}`;
}

/** At most `maxLength` UTF-16 units: the beginning of the text and "…", never half a character. */
export function shortText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed();
  return `${text.slice(0, endOfCharacter(text, maxLength - 1)).toWellFormed()}…`;
}

/** Bytes of the text as UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  encoder ??= new TextEncoder();
  scratch ??= new Uint8Array(3 * 65_536);
  let bytes = 0;
  for (let start = 0; start < text.length;) {
    const end = endOfCharacter(text, start + 65_536);
    bytes += encoder.encodeInto(text.slice(start, end), scratch).written;
    start = end;
  }
  return bytes;
}

function firstBytes(text: string, maxBytes: number): string {
  encoder ??= new TextEncoder();
  decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  const bytes = encoder.encode(text.slice(0, endOfCharacter(text, maxBytes)));
  let end = Math.min(bytes.length, maxBytes);
  while (end < bytes.length && isContinuation(bytes[end])) end--;
  return decoder.decode(bytes.subarray(0, end));
}

function lastBytes(text: string, maxBytes: number): string {
  encoder ??= new TextEncoder();
  decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
  const from = Math.max(0, text.length - maxBytes);
  const bytes = encoder.encode(text.slice(splitsPair(text, from) ? from + 1 : from));
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return decoder.decode(bytes.subarray(start));
}

// The position itself, or one less when it would part a surrogate pair.
function endOfCharacter(text: string, position: number): number {
  if (position >= text.length) return text.length;
  return splitsPair(text, position) ? position - 1 : position;
}

function splitsPair(text: string, position: number): boolean {
  const before = text.charCodeAt(position - 1);
  const after = text.charCodeAt(position);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
