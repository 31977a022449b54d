import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createScreen } from '../../../src/cli/terminal/screen.ts';
import { terminalAfter } from './emulator.ts';

const runs = { numRuns: 300 * Number(process.env['TURNCHART_RUNS'] ?? 1) };
const pieces = fc.array(
  fc.oneof(fc.stringMatching(/^[a-z \n]{0,12}$/), fc.constantFrom('\n', 'abcdefghij', '\u001B[2mdim\u001B[22m')),
  { maxLength: 20 },
);
const statuses = fc.array(fc.option(fc.stringMatching(/^[A-Z0-9]{1,30}$/), { nil: undefined }), {
  minLength: 1,
  maxLength: 8,
});
const widths = fc.integer({ min: 2, max: 14 });

describe('createScreen', () => {
  test('draws the status below an unfinished line and takes the text up again behind it', () => {
    const screen = createScreen(() => 20);
    const shown = screen.print('Hello') + screen.show('STATUS');
    expect(terminalAfter(shown, 20).rows).toEqual(['Hello', 'STATUS']);
    expect(terminalAfter(shown + screen.print(' there.\n'), 20).rows).toEqual(['Hello there.', 'STATUS']);
  });

  test('leaves nothing behind when the status is taken away', () => {
    const screen = createScreen(() => 20);
    const output = screen.show('STATUS') + screen.print('text\n') + screen.show(undefined);
    expect(terminalAfter(output, 20)).toEqual({ rows: ['text'], row: 1, column: 0 });
  });

  test('writes nothing for a status that did not change', () => {
    const screen = createScreen(() => 20);
    screen.show('STATUS');
    expect(screen.show('STATUS')).toBe('');
  });

  test('cuts the status to the width, counting wide characters twice', () => {
    const screen = createScreen(() => 8);
    expect(screen.show('北京北京北京')).toContain('北京北…');
  });

  test('waits with the status where a line is exactly full', () => {
    const screen = createScreen(() => 5);
    const full = screen.show('S') + screen.print('abcde');
    expect(terminalAfter(full, 5).rows).toEqual(['abcde']);
    expect(terminalAfter(full + screen.print('f'), 5).rows).toEqual(['abcde', 'f', 'S']);
  });

  test('whatever is printed and shown, the text stands there as if there had been no status', () => {
    fc.assert(
      fc.property(pieces, statuses, widths, (texts, shown, columns) => {
        const screen = createScreen(() => columns);
        let output = '';
        for (const [index, text] of texts.entries())
          output += screen.show(shown[index % shown.length]) + screen.print(text);
        output += screen.show(undefined);
        expect(terminalAfter(output, columns)).toEqual(terminalAfter(texts.join(''), columns));
      }),
      runs,
    );
  });

  test('the status stands below the text on one row, or waits for a full line', () => {
    fc.assert(
      fc.property(pieces, fc.stringMatching(/^[A-Z]{1,30}$/), widths, (texts, status, columns) => {
        const screen = createScreen(() => columns);
        const output = texts.map((text) => screen.print(text)).join('') + screen.show(status);
        const plain = terminalAfter(texts.join(''), columns);
        const { rows } = terminalAfter(output, columns);
        const drawn = status.length <= columns - 1 ? status : `${status.slice(0, columns - 2)}…`;
        const isFull = rows.length === plain.rows.length;
        expect(isFull ? plain.column : rows.at(-1)).toBe(isFull ? columns - 1 : drawn);
      }),
      runs,
    );
  });
});
