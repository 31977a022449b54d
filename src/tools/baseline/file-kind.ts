// Determines from the first bytes what a file is: text, an image, a PDF, something binary. Read uses it before
// decoding.

import { utf16Guess } from './utf16-guess.ts';

/** The result. `mediaType` is a guess by signature; `reason` says why it is not text. */
export type FileKind =
  | { readonly type: 'text' }
  | { readonly type: 'image'; readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' }
  | { readonly type: 'pdf' }
  | { readonly type: 'binary'; readonly mediaType: string; readonly reason: string };

const imageTypes = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [...Buffer.from('GIF87a')]],
  ['image/gif', [...Buffer.from('GIF89a')]],
] as const;

// Formats that a refusal can name. Text formats (SVG, XML, …) are not in this table.
const binaryTypes: readonly (readonly [mediaType: string, signature: readonly number[]])[] = [
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/zip', [0x50, 0x4b, 0x05, 0x06]],
  ['application/gzip', [0x1f, 0x8b]],
  ['application/zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['application/x-xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['application/x-bzip2', [0x42, 0x5a, 0x68]],
  ['application/x-7z-compressed', [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]],
  ['application/vnd.rar', [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07]],
  ['application/x-elf', [0x7f, 0x45, 0x4c, 0x46]],
  ['application/x-mach-binary', [0xcf, 0xfa, 0xed, 0xfe]],
  ['application/java-vm', [0xca, 0xfe, 0xba, 0xbe]],
  ['application/vnd.microsoft.portable-executable', [0x4d, 0x5a, 0x90, 0x00]],
  ['application/wasm', [0x00, 0x61, 0x73, 0x6d]],
  ['application/vnd.sqlite3', [...Buffer.from('SQLite format 3\0')]],
  ['application/x-ole-storage', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ['audio/mpeg', [0x49, 0x44, 0x33]],
  ['audio/ogg', [0x4f, 0x67, 0x67, 0x53]],
  ['audio/flac', [0x66, 0x4c, 0x61, 0x43]],
  ['image/tiff', [0x49, 0x49, 0x2a, 0x00]],
  ['image/tiff', [0x4d, 0x4d, 0x00, 0x2a]],
  ['image/x-icon', [0x00, 0x00, 0x01, 0x00]],
  ['font/woff2', [0x77, 0x4f, 0x46, 0x32]],
];

// How many bytes from the start are looked at for NUL and control characters.
const kindSampleBytes = 8192;

/** The kind of a file whose first bytes are `head` (at least `kindSampleBytes` of them, or all there are). */
export function fileKind(head: Buffer): FileKind {
  for (const [mediaType, signature] of imageTypes) if (startsWith(head, signature)) return { type: 'image', mediaType };
  if (isRiff(head, 'WEBP')) return { type: 'image', mediaType: 'image/webp' };
  if (head.subarray(0, 5).equals(Buffer.from('%PDF-'))) return { type: 'pdf' };
  const controls = controlFault(head.subarray(0, kindSampleBytes));
  if (controls === undefined) return { type: 'text' };
  return { type: 'binary', mediaType: mediaTypeOf(head), reason: controls };
}

function mediaTypeOf(head: Buffer): string {
  for (const [mediaType, signature] of binaryTypes) if (startsWith(head, signature)) return mediaType;
  if (isRiff(head, 'WAVE')) return 'audio/wav';
  if (head.subarray(4, 8).toString('latin1') === 'ftyp') return 'video/mp4';
  return 'application/octet-stream';
}

function controlFault(sample: Buffer): string | undefined {
  if (hasUtf16Mark(sample))
    return sample.length >= 4 && sample.readUInt16LE(2) === 0 && sample[0] === 0xff ? 'UTF-32 text' : undefined;
  if (sample.includes(0)) return utf16Guess(sample) === undefined ? 'it holds NUL bytes' : undefined;
  let controls = 0;
  for (const byte of sample) if (isControl(byte)) controls++;
  return controls > sample.length * 0.3 ? 'more than 30 % of it are control characters' : undefined;
}

function hasUtf16Mark(sample: Buffer): boolean {
  return (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
}

// Tab, line feed, form feed, carriage return, backspace and escape (coloured logs) belong to text.
function isControl(byte: number): boolean {
  return (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f;
}

function startsWith(head: Buffer, signature: readonly number[]): boolean {
  return head.length >= signature.length && signature.every((byte, index) => head[index] === byte);
}

function isRiff(head: Buffer, form: string): boolean {
  return head.subarray(0, 4).toString('latin1') === 'RIFF' && head.subarray(8, 12).toString('latin1') === form;
}
