import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFlow } from '../../../src/cli/terminal/flow.ts';
import { createScreen, type Below } from '../../../src/cli/terminal/screen.ts';
import { terminalAfter, type TerminalState } from './emulator.ts';

const runs = { numRuns: 300 * Number(process.env['TURNCHART_RUNS'] ?? 1) };
const texts = fc.array(
  fc.oneof(fc.stringMatching(/^[a-z \n]{0,12}$/), fc.constantFrom('\n', 'abcdefghij', '\u001B[2mdim\u001B[22m')),
  { maxLength: 20 },
);
const inputs = fc.record({ rows: fc.array(fc.stringMatching(/^[A-Z]{1,5}$/), { minLength: 1, maxLength: 3 }) });
const belows: fc.Arbitrary<Below> = fc
  .record({
    status: fc.option(fc.stringMatching(/^[A-Z0-9]{1,30}$/), { nil: undefined }),
    input: fc.option(inputs, { nil: undefined }),
    at: fc.nat(2),
  })
  .map(({ status, input, at }) => ({
    status,
    input: input && { rows: input.rows, row: Math.min(at, input.rows.length - 1), column: at },
  }));
const widths = fc.integer({ min: 7, max: 20 });

/** What the text alone looks like. */
function plain(pieces: readonly string[], columns: number): readonly string[] {
  const flow = createFlow(() => columns);
  const rows = pieces.flatMap((piece) => flow.add(piece));
  return terminalAfter([...rows, flow.tail()].join('\n'), columns).rows;
}

/** What a terminal makes of its rows when its window becomes narrower. */
function narrowed({ rows, row, column }: TerminalState, columns: number): TerminalState {
  const height = (text: string) => Math.max(1, Math.ceil(text.length / columns));
  return {
    rows: rows.flatMap((text) =>
      Array.from({ length: height(text) }, (_, part) => text.slice(part * columns, (part + 1) * columns)),
    ),
    row: rows.slice(0, row).reduce((sum, text) => sum + height(text), 0) + Math.floor(column / columns),
    column: column % columns,
  };
}

describe('createScreen', () => {
  test('draws the status below an unfinished line and takes the text up again after it', () => {
    const screen = createScreen(() => 20);
    const shown = screen.print('Hello') + screen.show({ status: 'STATUS' });
    expect(terminalAfter(shown, 20).rows).toEqual(['Hello', 'STATUS']);
    expect(terminalAfter(shown + screen.print(' there.\n'), 20).rows).toEqual(['Hello there.', 'STATUS']);
  });

  test('keeps what is typed below the status, with the cursor in it', () => {
    const screen = createScreen(() => 20);
    const below = { status: 'STATUS', input: { rows: ['> one', '  two'], row: 0, column: 4 } };
    const shown = screen.print('Hello') + screen.show(below) + screen.print(' there.\nYou') + screen.print(' too');
    expect(terminalAfter(shown, 20)).toEqual({
      rows: ['Hello there.', 'You too', 'STATUS', '> one', '  two'],
      row: 3,
      column: 4,
    });
  });

  test('leaves nothing behind when the status is taken away', () => {
    const screen = createScreen(() => 20);
    const output = screen.show({ status: 'STATUS' }) + screen.print('text\n') + screen.show({});
    expect(terminalAfter(output, 20)).toEqual({ rows: ['text'], row: 1, column: 0 });
  });

  test('writes nothing when what it shows did not change', () => {
    const screen = createScreen(() => 20);
    const below = (): Below => ({ status: 'STATUS', input: { rows: ['> '], row: 0, column: 2 } });
    screen.show(below());
    expect(screen.show(below())).toBe('');
    expect(screen.print('')).toBe('');
    expect(screen.show({ status: 'STATUS', input: { rows: ['> '], row: 0, column: 1 } })).not.toBe('');
  });

  test('cuts the status to the width, counting wide characters twice', () => {
    const screen = createScreen(() => 8);
    expect(screen.show({ status: '北京北京北京' })).toContain('北京北…');
  });

  test('whatever is printed and shown, the text looks as if there had been nothing below', () => {
    fc.assert(
      fc.property(texts, fc.array(belows, { minLength: 1, maxLength: 8 }), widths, (pieces, shown, columns) => {
        const screen = createScreen(() => columns);
        let output = '';
        for (const [index, piece] of pieces.entries())
          output += screen.show(shown[index % shown.length] ?? {}) + screen.print(piece);
        output += screen.show({});
        expect(terminalAfter(output, columns).rows).toEqual(plain(pieces, columns));
      }),
      runs,
    );
  });

  test('what is below is right below the text, with the cursor in its place', () => {
    fc.assert(
      fc.property(texts, belows, widths, (pieces, below, columns) => {
        const screen = createScreen(() => columns);
        const output = screen.show(below) + pieces.map((piece) => screen.print(piece)).join('');
        const text = plain(pieces, columns);
        const end = terminalAfter(output, columns);
        const status = below.status ?? '';
        const drawn = status.length <= columns - 1 ? status : `${status.slice(0, columns - 2)}…`;
        const rows = [...(below.status === undefined ? [] : [drawn]), ...(below.input?.rows ?? [])];
        expect(rows.length === 0 ? [] : end.rows.slice(-rows.length)).toEqual(rows);
        expect(end.rows.slice(0, text.length)).toEqual(text);
        if (below.input !== undefined)
          expect([end.rows.length - end.row, end.column]).toEqual([
            below.input.rows.length - below.input.row,
            below.input.column,
          ]);
      }),
      runs,
    );
  });

  test('a window that becomes narrower loses no text and keeps nothing twice', () => {
    fc.assert(
      fc.property(texts, belows, widths, fc.integer({ min: 7, max: 20 }), (pieces, below, wide, other) => {
        let columns = Math.max(wide, other);
        const screen = createScreen(() => columns);
        const before = screen.show(below) + pieces.map((piece) => screen.print(piece)).join('');
        const state = terminalAfter(before, columns);
        const text = plain(pieces, columns).join('').replaceAll(' ', '');
        columns = Math.min(wide, other);
        const after = terminalAfter(screen.resized({}), columns, narrowed(state, columns));
        expect(after.rows.join('').replaceAll(' ', '')).toBe(text);
      }),
      runs,
    );
  });
});
