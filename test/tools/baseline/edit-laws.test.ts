// Laws of Edit on random texts, line ends and encodings, against the plainest algorithm that could be right.

import iconv from 'iconv-lite';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { editText } from '../../../src/tools/baseline/edit-text.ts';
import { workbench } from './workbench.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
// Milliseconds, a bound for hangs.
const diskBound = 30_000 + 4_000 * runs;

const word = fc.constantFrom('a', 'b', 'ab', 'é', '$&', '  ', '北', '🏷', 'x y', '"', '');
const ending = fc.constantFrom('\n', '\r\n');
const lines = (endings: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(fc.tuple(word, word, endings), { minLength: 1, maxLength: 12 }).map((all) => all.flat().join(''));
const plainText = lines(fc.constant('\n'));
/** A text and a piece of it. */
const withPiece = (text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; piece: string }> =>
  fc.tuple(text, fc.nat(), fc.nat()).map(([value, from, length]) => {
    const points = Array.from(value);
    const start = from % points.length;
    return { text: value, piece: points.slice(start, start + 1 + (length % 8)).join('') };
  });
const lf = (text: string): string => text.replaceAll('\r\n', '\n');
const occurrences = (text: string, piece: string): number =>
  Array.from({ length: text.length }, (_, at) => text.startsWith(piece, at)).filter(Boolean).length;

it('law: a unique text is replaced as by cutting and joining', () => {
  fc.assert(
    fc.property(withPiece(plainText), plainText, ({ text, piece }, newText) => {
      fc.pre(occurrences(text, piece) === 1 && newText !== piece);
      const [head = '', tail = ''] = text.split(piece);
      expect(editText(text, { oldText: piece, newText, replaceAll: false })).toEqual({
        type: 'edited',
        text: head + newText + tail,
        replaced: 1,
      });
    }),
    { numRuns: 500 * runs },
  );
});

it('law: replace_all replaces and counts as split and join do', () => {
  fc.assert(
    fc.property(withPiece(plainText), plainText, ({ text, piece }, newText) => {
      fc.pre(newText !== piece);
      const parts = text.split(piece);
      expect(editText(text, { oldText: piece, newText, replaceAll: true })).toEqual({
        type: 'edited',
        text: parts.join(newText),
        replaced: parts.length - 1,
      });
    }),
    { numRuns: 500 * runs },
  );
});

it('law: an ambiguous text is refused with the number of its occurrences', () => {
  fc.assert(
    fc.property(withPiece(plainText), ({ text, piece }) => {
      const count = occurrences(text, piece);
      fc.pre(count > 1);
      const outcome = editText(text, { oldText: piece, newText: `${piece}!`, replaceAll: false });
      expect(outcome).toMatchObject({
        type: 'refused',
        message: expect.stringContaining(`occurs ${count} times`) as string,
      });
    }),
    { numRuns: 300 * runs },
  );
});

it('law: line ends of the needle do not matter, and every character outside the match stays', () => {
  fc.assert(
    fc.property(withPiece(lines(ending)), lines(ending), fc.boolean(), ({ text, piece }, newText, pairs) => {
      const needle = lf(piece).replace(/\r/g, '');
      fc.pre(needle !== '' && occurrences(lf(text), needle) === 1 && lf(newText) !== needle);
      const spelled = (value: string): string => (pairs ? lf(value).replaceAll('\n', '\r\n') : lf(value));
      const outcome = editText(text, { oldText: spelled(needle), newText: spelled(newText), replaceAll: false });
      if (outcome.type !== 'edited') throw new Error(outcome.message);
      const start = lf(text).indexOf(needle);
      const head = original(text, start);
      const tail = text.slice(original(text, start + needle.length).length);
      expect(outcome.text.startsWith(head)).toBe(true);
      expect(outcome.text.endsWith(tail)).toBe(true);
      expect(lf(outcome.text)).toBe(lf(head) + lf(newText) + lf(tail));
    }),
    { numRuns: 500 * runs },
  );
});

it('law: in a text with one kind of line end the edit leaves that kind only', () => {
  fc.assert(
    fc.property(withPiece(plainText), plainText, fc.constantFrom('\r\n', '\r'), ({ text, piece }, newText, kind) => {
      fc.pre(occurrences(text, piece) === 1 && newText !== piece);
      const outcome = editText(text.replaceAll('\n', kind), { oldText: piece, newText, replaceAll: false });
      expect(outcome).toMatchObject({ type: 'edited', text: text.split(piece).join(newText).replaceAll('\n', kind) });
    }),
    { numRuns: 500 * runs },
  );
});

it('law: an edit and its inverse give the same text', () => {
  fc.assert(
    fc.property(withPiece(lines(ending)), fc.constantFrom('QQ', 'QQ\nWW', 'Q\r\nQ\nQ'), ({ text, piece }, newText) => {
      const needle = lf(piece).replace(/\r/g, '');
      fc.pre(needle !== '' && occurrences(lf(text), needle) === 1);
      // A match that takes in line ends of both kinds cannot remember them; one line's can.
      fc.pre(!needle.includes('\n'));
      const there = editText(text, { oldText: needle, newText, replaceAll: false });
      if (there.type !== 'edited') throw new Error(there.message);
      expect(editText(there.text, { oldText: newText, newText: needle, replaceAll: false })).toEqual({
        type: 'edited',
        text,
        replaced: 1,
      });
    }),
    { numRuns: 500 * runs },
  );
});

const encodings: readonly [name: string, alphabet: string, encode: (text: string) => Buffer][] = [
  ['UTF-8', 'aé北🏷', (text) => Buffer.from(text)],
  ['UTF-8 with a mark', 'aé北🏷', (text) => Buffer.from(`\u{FEFF}${text}`)],
  ['UTF-16LE with a mark', 'aé北🏷', (text) => Buffer.from(`\u{FEFF}${text}`, 'utf16le')],
  ['UTF-16BE with a mark', 'aé北🏷', (text) => Buffer.from(`\u{FEFF}${text}`, 'utf16le').swap16()],
  ['windows-1252', 'aéüß', (text) => iconv.encode(text, 'windows-1252')],
  ['Shift_JIS', 'a日本の語', (text) => iconv.encode(text, 'Shift_JIS')],
];

it.each(encodings)(
  'law: an edit of a file in %s changes exactly the bytes of the match',
  async (_, alphabet, encode) => {
    const bench = await workbench();
    const letter = fc.constantFrom(...alphabet);
    const text = fc.array(fc.tuple(fc.array(letter, { maxLength: 6 }), ending), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.array(letter, { maxLength: 5 }), async (before, behind, replacement) => {
        const flat = (all: [string[], string][]): string => all.map(([line, end]) => line.join('') + end).join('');
        // Enough of the language around the match to tell the encoding.
        const head = `${alphabet}${alphabet} ${flat(before)}`;
        const tail = `${flat(behind)}${alphabet.slice(1)} ${alphabet}\n`;
        const newText = `<${replacement.join('')}>`;
        await bench.put('law.txt', encode(`${head}[match]${tail}`));
        expect(await bench.read('law.txt')).toMatchObject({ isError: false });
        const answer = await bench.call('Edit', { file_path: 'law.txt', old_string: '[match]', new_string: newText });
        expect(answer).toMatchObject({ isError: false });
        expect((await bench.bytes('law.txt')).equals(encode(head + newText + tail))).toBe(true);
      }),
      { numRuns: 10 * runs },
    );
  },
  diskBound,
);

// The beginning of `text` that has `length` characters when its line ends count as one.
function original(text: string, length: number): string {
  let at = 0;
  for (let count = 0; count < length; count++) at += text.startsWith('\r\n', at) ? 2 : 1;
  return text.slice(0, at);
}
