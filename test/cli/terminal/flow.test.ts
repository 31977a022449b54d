import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFlow } from '../../../src/cli/terminal/flow.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';

const runs = { numRuns: 300 * Number(process.env['TURNCHART_RUNS'] ?? 1) };

function rowsOf(columns: number, ...pieces: readonly string[]): readonly string[] {
  const flow = createFlow(() => columns);
  const rows = pieces.flatMap((piece) => flow.add(piece));
  return [...rows, flow.tail()];
}

const width = (text: string) => Array.from(text).reduce((sum, character) => sum + widthOf(character), 0);

describe('createFlow', () => {
  test('breaks after the last word that fits and drops the space there', () => {
    expect(rowsOf(11, 'one two three four')).toEqual(['one two', 'three four']);
    expect(rowsOf(8, 'one two three')).toEqual(['one two', 'three']);
  });

  test('breaks a word that is longer than a row', () => {
    expect(rowsOf(5, 'abcdefghij')).toEqual(['abcd', 'efgh', 'ij']);
  });

  test('keeps indentation and empty lines', () => {
    expect(rowsOf(20, '  indented\n\ntext')).toEqual(['  indented', '', 'text']);
    expect(rowsOf(6, '    abcdef')).toEqual(['    a', 'bcdef']);
  });

  test('counts wide characters twice and combining ones not at all', () => {
    expect(rowsOf(6, '北京北京')).toEqual(['北京', '北京']);
    expect(rowsOf(4, 'e\u0301e\u0301e\u0301e')).toEqual(['e\u0301e\u0301e\u0301', 'e']);
  });

  test('closes a colour at the end of each row and takes it up again in the next', () => {
    expect(rowsOf(8, '\u001B[2mone ', 'two three\u001B[22m four')).toEqual([
      '\u001B[2mone two\u001B[0m',
      '\u001B[2mthree\u001B[0m',
      'four',
    ]);
  });

  test('fits the unfinished row to a narrower window', () => {
    let columns = 40;
    const flow = createFlow(() => columns);
    flow.add('one two three');
    columns = 8;
    expect([flow.refit(), flow.tail()]).toEqual([['one two'], 'three']);
  });

  test('does not wrap where there is no terminal', () => {
    expect(rowsOf(Number.POSITIVE_INFINITY, 'x'.repeat(1_000))).toEqual(['x'.repeat(1_000)]);
  });

  test('loses no letter, makes no row too wide, and does not depend on how the text was cut into pieces', () => {
    const pieces = fc.array(fc.stringMatching(/^[a-z北 \n]{0,12}$/), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 3, max: 14 }), (texts, columns) => {
        const rows = rowsOf(columns, ...texts);
        expect(rows.join('').replaceAll(' ', '')).toBe(texts.join('').replaceAll(/[ \n]/g, ''));
        expect(Math.max(...rows.map(width))).toBeLessThan(columns);
        expect(rowsOf(columns, texts.join(''))).toEqual(rows);
      }),
      runs,
    );
  });
});
