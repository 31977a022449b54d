import fc from 'fast-check';
import { expect, it } from 'vitest';

import { createLineSplitter, type Line } from '../../../src/tools/baseline/line-splitter.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

// U+0A0A and U+0D0A hold the bytes of line ends, U+010A ends in one.
const letter = fc.constantFrom('a', 'é', 'ਊ', 'ഊ', 'Ċ', '🏷', '\n', '\r\n', '\r');
const text = fc.array(letter, { maxLength: 30 }).map((letters) => letters.join(''));
const codecs = [
  { unit: 1, isBigEndian: false, encode: (value: string) => Buffer.from(value) },
  { unit: 2, isBigEndian: false, encode: (value: string) => Buffer.from(value, 'utf16le') },
  { unit: 2, isBigEndian: true, encode: (value: string) => Buffer.from(value, 'utf16le').swap16() },
] as const;

/** The plain way: split the text, then encode the pieces. */
function expectedLines(value: string, breaks: 'lf' | 'cr'): { pieces: string[]; isEnded: boolean } {
  const pieces = value.split(breaks === 'lf' ? /\r?\n/ : /\r\n|\r|\n/);
  const isEnded = pieces.at(-1) === '';
  if (isEnded) pieces.pop();
  return { pieces, isEnded: isEnded || value === '' };
}

it('law: however the bytes come in pieces, the lines, their places and their number are those of the text', () => {
  const breaks = fc.constantFrom('lf' as const, 'cr' as const);
  const cuts = fc.array(fc.nat(80), { maxLength: 6 });
  fc.assert(
    fc.property(text, breaks, fc.constantFrom(...codecs), cuts, fc.integer({ min: 1, max: 6 }), (...drawn) => {
      const [value, kind, { unit, isBigEndian, encode }, at, firstWanted] = drawn;
      const bytes = encode(value);
      const lines: Line[] = [];
      const splitter = createLineSplitter({
        breaks: kind,
        unit,
        isBigEndian,
        line: 1,
        byte: 0,
        firstWanted,
        keepBytes: 1000,
        onLine: (line) => {
          lines.push(line);
          return 'want';
        },
      });
      const places = [0, ...at.map((cut) => Math.min(bytes.length, cut * unit)), bytes.length];
      const ordered = places.toSorted((left, right) => left - right);
      for (const [index, from] of ordered.entries()) splitter.push(bytes.subarray(from, ordered[index + 1] ?? from));
      splitter.end();
      const { pieces, isEnded } = expectedLines(value, kind);
      expect(lines.map((line) => line.bytes)).toEqual(pieces.slice(firstWanted - 1).map(encode));
      expect(lines.map((line) => line.number)).toEqual(
        pieces.slice(firstWanted - 1).map((_, index) => firstWanted + index),
      );
      expect(splitter.count()).toEqual({ lines: pieces.length, isEnded });
      for (const line of lines) {
        expect(bytes.subarray(line.start, line.start + line.length)).toEqual(line.bytes);
        if (kind === 'lf')
          expect(bytes.subarray(line.end, line.end + 4)).toEqual(restAfter(value, line.number, encode));
      }
    }),
    { numRuns: 500 * runs },
  );
});

it('counts lines after the wanted ones, and stops where they do not matter', () => {
  const count = (next: 'count' | 'ignore'): number => {
    const splitter = createLineSplitter({
      breaks: 'lf',
      unit: 1,
      isBigEndian: false,
      line: 1,
      byte: 0,
      firstWanted: 1,
      keepBytes: 10,
      onLine: () => next,
    });
    splitter.push(Buffer.from('1\n2\n3\n'));
    splitter.end();
    return splitter.count().lines;
  };
  expect(count('count')).toBe(3);
  expect(count('ignore')).toBeLessThan(3);
});

// The first bytes after line `number`.
function restAfter(value: string, number: number, encode: (text: string) => Buffer): Buffer {
  let rest = value;
  for (let line = 0; line < number; line++) rest = rest.includes('\n') ? rest.slice(rest.indexOf('\n') + 1) : '';
  return encode(rest).subarray(0, 4);
}
