// Growing text, and below it what is redrawn in place: the unfinished row, a status line, the line being typed. Pure: it
// returns what to write.

import { createFlow } from './flow.ts';
import { fitted, widthOf } from './width.ts';

/** The rows of the input, none wider than the terminal, and the cursor's place in them. */
export interface InputRows {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** What is shown below the text. */
export interface Below {
  /** One row, cut to the terminal's width. */
  readonly status?: string | undefined;
  readonly input?: InputRows | undefined;
}

/** What is on a terminal. Each method returns the text to write. */
export interface Screen {
  /** Adds text (its only escape sequences: colours), wrapped at words. */
  readonly print: (text: string) => string;
  /** Puts whole lines above the row that is still growing. */
  readonly insert: (lines: string) => string;
  /** Replaces what is below the text. */
  readonly show: (below: Below) => string;
  /** To be called when the window was resized, with what is to be below the text. */
  readonly resized: (below: Below) => string;
}

/** What was drawn below the finished rows. */
interface Drawn {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

const nothing: Drawn = { rows: [], row: 0, column: 0 };

/** An empty screen with the cursor in the first column. `columns` is called at each use. `paint` may colour the status. */
export function createScreen(columns: () => number, paint: (status: string) => string = String): Screen {
  const flow = createFlow(columns);
  let below: Below = {};
  let drawn = nothing;

  const erase = (reflowed: boolean): string => {
    const up = reflowed ? rowsAbove(drawn, columns()) : drawn.row;
    const isBlank = drawn.rows.length === 0 && drawn.column === 0;
    drawn = nothing;
    return isBlank ? '' : `\r${up > 0 ? `\u001B[${up}A` : ''}\u001B[J`;
  };
  const draw = (): string => {
    const tail = flow.tail();
    const { status, input } = below;
    const rows = [
      ...(tail === '' ? [] : [tail]),
      ...(status === undefined ? [] : [paint(fitted(status, columns() - 1))]),
    ];
    if (input === undefined) {
      // The cursor stays after the text, so that what others print continues there.
      const column = widthOfRow(tail);
      const back = status === undefined ? '' : `${tail === '' ? '\r' : '\u001B[1A'}\u001B[${column + 1}G`;
      drawn = { rows, row: 0, column };
      return rows.join('\n') + back;
    }
    const up = input.rows.length - 1 - input.row;
    drawn = { rows: [...rows, ...input.rows], row: rows.length + input.row, column: input.column };
    return `${drawn.rows.join('\n')}${up > 0 ? `\u001B[${up}A` : ''}\u001B[${input.column + 1}G`;
  };
  const withRows = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

  return {
    print(text) {
      if (text === '') return '';
      const before = erase(false);
      return before + withRows(flow.add(text)) + draw();
    },
    insert(lines) {
      const other = createFlow(columns);
      const rows = other.add(lines.endsWith('\n') ? lines : `${lines}\n`);
      const before = erase(false);
      return before + withRows(rows) + draw();
    },
    show(next) {
      if (isSame(below, next)) return '';
      const before = erase(false);
      below = next;
      return before + draw();
    },
    resized(next) {
      const before = erase(true);
      below = next;
      return before + withRows(flow.refit()) + draw();
    },
  };
}

// A terminal that becomes narrower wraps its rows again.
function rowsAbove({ rows, row, column }: Drawn, columns: number): number {
  const above = rows.slice(0, row).reduce((sum, text) => sum + Math.max(1, Math.ceil(widthOfRow(text) / columns)), 0);
  return above + Math.floor(column / columns);
}

function widthOfRow(row: string): number {
  let width = 0;
  // oxlint-disable-next-line no-control-regex -- colours are escape sequences
  for (const character of row.replaceAll(/\u001B\[[\d;]*m/g, '')) width += widthOf(character);
  return width;
}

function isSame(left: Below, right: Below): boolean {
  if (left.status !== right.status || left.input === right.input) return left.status === right.status;
  const [one, other] = [left.input, right.input];
  if (one === undefined || other === undefined) return false;
  const hasSameRows = one.rows.length === other.rows.length && one.rows.every((row, at) => row === other.rows[at]);
  return hasSameRows && one.row === other.row && one.column === other.column;
}
