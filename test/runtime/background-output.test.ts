/// <reference lib="es2024.string" />
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BackgroundOutput } from '../../src/runtime/background-output.ts';
import { utf8Length } from '../../src/tools/bounded-text.ts';

const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);
// Without the sign that stands for what is left out.
const texts = fc.array(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('…', '.')),
  { maxLength: 30 },
);

function written(pieces: readonly string[], maxBytes: number): BackgroundOutput {
  const output = new BackgroundOutput(maxBytes);
  for (const piece of pieces) output.write(piece);
  output.end();
  return output;
}

describe('the output of a task', () => {
  test('that fits is kept as it is, however it was cut into pieces', () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        const whole = pieces.join('').toWellFormed();
        expect(written(pieces, 10_000).snapshot()()).toBe(whole);
        const units = [...pieces.join('')].flatMap((character) => character.split(''));
        expect(written(units, 10_000).snapshot()()).toBe(whole);
      }),
      { numRuns: runs },
    );
  });

  test('that does not fit keeps beginning and end in whole characters, and counts what is missing', () => {
    fc.assert(
      fc.property(texts, fc.nat({ max: 500 }), (pieces, maxBytes) => {
        const whole = pieces.join('').toWellFormed();
        const total = utf8Length(whole);
        const shown = written(pieces, maxBytes).snapshot()();
        if (total <= maxBytes) {
          expect(shown).toBe(whole);
          return;
        }
        expect(utf8Length(shown)).toBeLessThanOrEqual(maxBytes);
        if (maxBytes < 3) return;
        const notice =
          maxBytes < 200 ? /^([^]*)…([^]*)$/u : /^([^]*?)\n\n\[… \d+ of \d+ bytes left out …\]\n\n([^]*)$/u;
        const [, head = '-', tail = '-'] = notice.exec(shown) ?? [];
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        const left = /… (\d+) of (\d+) bytes/.exec(shown);
        if (left !== null) expect(utf8Length(head) + utf8Length(tail) + Number(left[1])).toBe(total);
      }),
      { numRuns: runs },
    );
  });

  test('read in steps gives everything once, as long as nothing was lost between two steps', () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        const output = new BackgroundOutput(100_000);
        let position = 0;
        let seen = '';
        for (const piece of [...pieces, '']) {
          const { text, next } = output.read(position);
          seen += text;
          position = next;
          output.write(piece);
        }
        output.end();
        expect(seen + output.read(position).text).toBe(pieces.join('').toWellFormed());
      }),
      { numRuns: runs },
    );
  });

  test('read from a position that is no longer kept says how much is missing', () => {
    const output = written(['beginning', 'x'.repeat(20_000), 'end'], 20);
    const { text, next } = output.read(10);
    expect(next).toBe(20_012);
    expect(text).toMatch(/^\n\n\[… \d+ characters are no longer kept …\]\n\nx*end$/);
    expect(output.read(next).text).toBe('');
  });

  test('read from the beginning has the beginning, the notice and the end', () => {
    const { text } = written(['beginning', 'x'.repeat(20_000), 'end'], 20).read(0);
    expect(text).toMatch(/^beginningx*\n\n\[… \d+ characters are no longer kept …\]\n\nx*end$/);
  });

  test.each([
    [Number.MAX_SAFE_INTEGER, ''],
    [-5, 'abc'],
    [Number.NaN, 'abc'],
    [1, 'bc'],
  ])('read from %s is %j', (from, text) => {
    expect(written(['abc'], 100).read(from)).toEqual({ text, next: 3 });
  });

  test('stays bounded while 128 MiB are written', () => {
    const output = new BackgroundOutput(1_000);
    const piece = 'y'.repeat(1 << 20);
    for (let n = 0; n < 128; n++) output.write(piece);
    expect(output.read(0).text.length).toBeLessThan(8_000);
    expect(output.read(0).next).toBe(2 ** 27);
  });
});
