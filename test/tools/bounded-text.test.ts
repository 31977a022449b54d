// Texts with an upper size.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedText, shortText, utf8Length } from '../../src/tools/bounded-text.ts';

const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.array(fc.constantFrom('a', 'é', '…', '🏷', '\ud83c', '\udff7'), { maxLength: 600 }).map((parts) => parts.join('')),
);
const isWellFormed = (text: string) => text.toWellFormed() === text;

describe('boundedText', () => {
  test('keeps a text that fits', () => {
    expect(boundedText('héllo', 200)).toBe('héllo');
  });

  test('keeps a text of exactly the allowed bytes', () => {
    expect(boundedText('é'.repeat(150), 300)).toBe('é'.repeat(150));
  });

  test('keeps beginning and end of a longer text and counts the bytes between', () => {
    const text = `${'a'.repeat(500)}${'z'.repeat(500)}`;
    const cut = boundedText(text, 300);
    expect(cut).toBe(`${'a'.repeat(100)}\n\n[… 800 of 1000 bytes left out …]\n\n${'z'.repeat(100)}`);
  });

  test.each([-1, 0, 20, 199])('takes %i bytes for 200, and never leaves out more than there is', (maxBytes) => {
    for (const length of [1, 60, 120, 200]) expect(boundedText('x'.repeat(length), maxBytes)).toBe('x'.repeat(length));
    expect(boundedText('x'.repeat(201), maxBytes)).toContain('[… 101 of 201 bytes left out …]');
  });

  test('replaces lone surrogates', () => {
    expect(boundedText('a\ud83cb', 200)).toBe('a\ufffdb');
  });

  test('is well-formed, within the bytes, and cuts no character', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 200, max: 700 }), (text, maxBytes) => {
        const cut = boundedText(text, maxBytes);
        expect(isWellFormed(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        if (Buffer.byteLength(text) <= maxBytes) {
          expect(cut).toBe(text.toWellFormed());
        } else {
          const [head = '', tail = ''] = cut.split(/\n\n\[… \d+ of \d+ bytes left out …\]\n\n/);
          expect(text.toWellFormed().startsWith(head)).toBe(true);
          expect(text.toWellFormed().endsWith(tail)).toBe(true);
        }
      }),
      { numRuns: runs },
    );
  });
});

describe('shortText', () => {
  test('ends a longer text with an ellipsis', () => {
    expect(shortText('abcdef', 4)).toBe('abc…');
  });

  test('never ends in half a character', () => {
    expect(shortText('ab🏷cd', 4)).toBe('ab…');
  });
});

describe('utf8Length', () => {
  test('counts as UTF-8 does, also where a pair lies across its chunks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 65_530, max: 65_540 }), anyText, (length, text) => {
        const long = 'x'.repeat(length) + text;
        expect(utf8Length(long)).toBe(Buffer.byteLength(long));
      }),
      { numRuns: runs },
    );
  });
});
