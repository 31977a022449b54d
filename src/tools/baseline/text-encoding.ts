// Finds out how a file's text is encoded and converts bytes to text and back. Used by Read to show text; Write and Edit
// keep the encoding.

import { isUtf8 } from 'node:buffer';

import { utf16Guess } from './utf16-guess.ts';

/** One way to read and write a file's text. The byte order mark is never part of the text. */
export interface TextCodec {
  /** As shown to models: `UTF-8`, `UTF-16LE`, `windows-1252`, `Shift_JIS`, … */
  readonly name: string;
  /** The file's byte order mark, or no bytes. */
  readonly mark: Buffer;
  /** Bytes per code unit: line ends are looked for on multiples of it. */
  readonly unit: 1 | 2;
  /** True: `decode` gives one character per byte. */
  readonly isBytewise: boolean;
  /** Text to show; what is invalid becomes U+FFFD. */
  readonly view: (bytes: Buffer) => string;
  /** Text to edit, or undefined where `encode` would not give the same bytes back. */
  readonly decode: (bytes: Buffer) => string | undefined;
  /** The bytes of a text that came from `decode` and `fromModel`. */
  readonly encode: (text: string) => Buffer;
  /** A model's text in the form `decode` gives, or undefined where the encoding lacks one of its characters. */
  readonly fromModel: (text: string) => string | undefined;
}

/** The byte order mark of UTF-8. */
export const utf8Mark: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);
const noMark = Buffer.alloc(0);

/**
 * The codec for a file that begins with `sample`. `isWhole` says that the sample is all of it; otherwise its last
 * character may be cut. Loads the tables for older encodings only when the bytes are neither UTF-8 nor UTF-16.
 */
export async function detectEncoding(sample: Buffer, isWhole: boolean): Promise<TextCodec> {
  if (sample.subarray(0, 3).equals(utf8Mark)) {
    const rest = sample.subarray(3);
    return isUtf8(isWhole ? rest : withoutCutCharacter(rest)) ? utf8(utf8Mark) : faultyUtf8(utf8Mark);
  }
  if (sample[0] === 0xff && sample[1] === 0xfe) return utf16('utf-16le', sample.subarray(0, 2));
  if (sample[0] === 0xfe && sample[1] === 0xff) return utf16('utf-16be', sample.subarray(0, 2));
  if (sample.includes(0)) {
    const order = utf16Guess(sample);
    if (order !== undefined) return utf16(order, noMark);
  }
  const text = isWhole ? sample : withoutCutCharacter(sample);
  if (isUtf8(text)) return utf8(noMark);
  return isMostlyUtf8(text) ? faultyUtf8(noMark) : await legacyEncoding(text);
}

/** UTF-8, for files the tools make. */
export function utf8(mark: Buffer = noMark): TextCodec {
  return {
    name: 'UTF-8',
    mark,
    unit: 1,
    isBytewise: false,
    view: (bytes) => bytes.toString('utf8'),
    decode: (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : undefined),
    encode: (text) => Buffer.from(text, 'utf8'),
    fromModel: (text) => (text.isWellFormed() ? text : undefined),
  };
}

// UTF-8 with stray bytes in it: edited byte for byte (one character per byte), so that the strays survive.
function faultyUtf8(mark: Buffer): TextCodec {
  return {
    name: 'UTF-8 with invalid bytes (shown as U+FFFD)',
    mark,
    unit: 1,
    isBytewise: true,
    view: (bytes) => bytes.toString('utf8'),
    decode: (bytes) => bytes.toString('latin1'),
    encode: (text) => Buffer.from(text, 'latin1'),
    fromModel: (text) => (text.isWellFormed() ? Buffer.from(text, 'utf8').toString('latin1') : undefined),
  };
}

function utf16(order: 'utf-16le' | 'utf-16be', mark: Buffer): TextCodec {
  const swap = order === 'utf-16be';
  const decode = (bytes: Buffer): string => (swap ? swapped(bytes) : bytes).toString('utf16le');
  return {
    name: swap ? 'UTF-16BE' : 'UTF-16LE',
    mark,
    unit: 2,
    isBytewise: false,
    view: (bytes) => decode(bytes).toWellFormed(),
    decode: (bytes) => (bytes.length % 2 === 0 ? decode(bytes) : undefined),
    encode: (text) => (swap ? swapped(Buffer.from(text, 'utf16le')) : Buffer.from(text, 'utf16le')),
    fromModel: (text) => (text.isWellFormed() ? text : undefined),
  };
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

// chardet's guess is used only if it is certain and the bytes are valid in that encoding.
const trusted: readonly string[] = [
  'Shift_JIS',
  'EUC-JP',
  'EUC-KR',
  'GB18030',
  'Big5',
  'windows-1251',
  'KOI8-R',
  'ISO-8859-2',
  'ISO-8859-5',
  'ISO-8859-7',
  'windows-1250',
  'windows-1253',
  'ISO-8859-8',
  'windows-1255',
  'ISO-8859-9',
  'windows-1254',
];
const sureConfidence = 50;

async function legacyEncoding(sample: Buffer): Promise<TextCodec> {
  const [{ default: iconv }, { default: chardet }] = await Promise.all([import('iconv-lite'), import('chardet')]);
  const codec = (name: string): TextCodec => {
    const decode = (bytes: Buffer): string => iconv.decode(bytes, name, { stripBOM: false });
    const encode = (text: string): Buffer => iconv.encode(text, name);
    return {
      name,
      mark: noMark,
      unit: 1,
      isBytewise: false,
      view: (bytes) => decode(bytes).toWellFormed(),
      decode: (bytes) => readsBack(bytes, decode, encode),
      encode,
      fromModel: (text) => (decode(encode(text)) === text ? text : undefined),
    };
  };
  const whole = trimmedTail(sample);
  const isValid = (candidate: TextCodec): boolean => !candidate.view(whole).includes('\u{FFFD}');
  const japanese = codec('Shift_JIS');
  if (hasKana(japanese.view(whole)) && isValid(japanese)) return japanese;
  for (const guess of chardet.analyse(telling(sample))) {
    if (guess.confidence < sureConfidence || !trusted.includes(guess.name)) continue;
    const candidate = codec(guess.name);
    if (isValid(candidate)) return candidate;
  }
  const western = codec('windows-1252');
  return western.decode(sample) === undefined ? codec('ISO-8859-1') : western;
}

function readsBack(
  bytes: Buffer,
  decode: (bytes: Buffer) => string,
  encode: (text: string) => Buffer,
): string | undefined {
  const text = decode(bytes);
  return encode(text).equals(bytes) ? text : undefined;
}

// Japanese text has kana nearly always; their lead bytes are control characters in the Western encodings.
function hasKana(text: string): boolean {
  return /[\u3041-\u30fe]/u.test(text);
}

// The part a guess is made from: what stands around the first byte that is not ASCII.
function telling(sample: Buffer): Buffer {
  const first = sample.findIndex((byte) => byte >= 0x80);
  const from = Math.max(0, first - 4096);
  return sample.subarray(from, from + 65_536);
}

// Up to the last line end, where no two-byte character can be cut.
function trimmedTail(sample: Buffer): Buffer {
  const end = sample.lastIndexOf(10);
  return end > 0 ? sample.subarray(0, end + 1) : sample;
}

// The sample without a last character of which some bytes are missing.
function withoutCutCharacter(sample: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= sample.length; back++) {
    const byte = sample[sample.length - back] ?? 0;
    if (byte < 0x80) return sample;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? sample.subarray(0, sample.length - back) : sample;
    }
  }
  return sample;
}

// More valid multi-byte characters than stray bytes: damaged UTF-8 rather than an older encoding.
function isMostlyUtf8(sample: Buffer): boolean {
  let strays = 0;
  let characters = 0;
  for (const character of sample.toString('utf8')) {
    if (character === '\u{FFFD}') strays++;
    else if (character > '\u{7F}') characters++;
  }
  return characters > strays;
}
