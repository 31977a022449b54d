/// <reference lib="es2024.string" />
// Texts of limited size: cuts keep whole characters and say how much is missing. Used for tool results and messages.

import { utf8Length } from '../conversation/tokens.ts';

export { utf8Length };

/**
 * The text itself, well-formed, if it has at most `maxBytes` bytes as UTF-8; otherwise its beginning and its end around
 * a notice with the byte counts. `maxBytes` is at least 200: less counts as 200. The result keeps no longer text in
 * memory.
 */
export function boundedText(text: string, maxBytes: number): string {
  const most = Math.max(maxBytes, 200);
  // A UTF-16 unit is at most three bytes, so short texts need no counting.
  if (text.length * 3 <= most) return text.toWellFormed();
  const total = utf8Length(text);
  if (total <= most) return text.toWellFormed();
  const room = most - 100; // the notice has less than 100 bytes
  const tailRoom = Math.floor(room / 2);
  const head = firstBytes(text, room - tailRoom);
  const tail = lastBytes(text, tailRoom);
  const omitted = total - utf8Length(head) - utf8Length(tail);
  return `${head}\n\n[… ${omitted} of ${total} bytes left out …]\n\n${tail}`;
}

/** At most `maxLength` UTF-16 units: the beginning of the text and "…", never half a character. */
export function shortText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text.toWellFormed();
  return `${text
    .slice(0, maxLength - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()}…`;
}

/**
 * The longest beginning of at most `maxBytes` (UTF-8), in whole characters. A copy: it keeps no longer text in memory.
 */
export function firstBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text.slice(0, maxBytes)).subarray(0, maxBytes);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }); // without a cut character
}

/** Like `firstBytes`, but the end; `maxBytes` must be above 0. */
export function lastBytes(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text.slice(-maxBytes)).subarray(-maxBytes);
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80); // without a character cut at the beginning
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start < 0 ? bytes.length : start));
}
