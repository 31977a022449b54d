// Wraps growing text at words. Pure except for the unfinished row it keeps. Used by the screen.

import { widthOf } from './width.ts';

/** Text that is broken into rows of a terminal. */
export interface Flow {
  /** Adds text, whose only escape sequences are colours, never nested; returns the rows that are now complete. */
  readonly add: (text: string) => readonly string[];
  /** Fits the unfinished row to a new width; returns the rows that are now complete. */
  readonly refit: () => readonly string[];
  /** The unfinished row, colours closed; '' when the text ended with a line end. */
  readonly tail: () => string;
}

interface Cell {
  readonly text: string;
  readonly width: number;
  /** The number of its colour sequence; '' = none. */
  readonly style: string;
}

// oxlint-disable-next-line no-control-regex -- colours are escape sequences
const token = /\u001B\[([\d;]*)m|[^]/gu;
const closing: ReadonlySet<string> = new Set(['', '0', '22', '39']);

/** A flow into rows of at most `columns() - 1`, at least 1: a full row would leave the cursor between two rows. */
export function createFlow(columns: () => number): Flow {
  let cells: Cell[] = [];
  let width = 0;
  let style = '';

  const place = (cell: Cell, rows: string[]): void => {
    const last = cells.at(-1);
    if (cell.width === 0 && last !== undefined) {
      cells[cells.length - 1] = { ...last, text: last.text + cell.text };
      return;
    }
    if (width + cell.width > Math.max(1, columns() - 1) && cells.length > 0) {
      const isSpace = cell.text === ' ';
      const at = isSpace ? cells.length : breakIn(cells);
      rows.push(painted(cells.slice(0, at)).trimEnd());
      cells = cells.slice(at);
      while (cells[0]?.text === ' ') cells.shift();
      width = widthOfAll(cells);
      if (isSpace) return;
    }
    cells.push(cell);
    width += cell.width;
  };

  return {
    add(text) {
      const rows: string[] = [];
      for (const [character, code] of text.matchAll(token)) {
        if (code !== undefined) style = closing.has(code) ? '' : code;
        else if (character === '\n') {
          rows.push(painted(cells));
          cells = [];
          width = 0;
        } else place({ text: character, width: widthOf(character), style }, rows);
      }
      return rows;
    },
    refit() {
      const rows: string[] = [];
      const before = cells;
      cells = [];
      width = 0;
      for (const cell of before) place(cell, rows);
      return rows;
    },
    tail: () => painted(cells),
  };
}

// After the last space, or at the end if there is none after the indentation.
function breakIn(cells: readonly Cell[]): number {
  const indented = cells.findIndex(({ text }) => text !== ' ');
  const space = cells.findLastIndex(({ text }) => text === ' ');
  return space > indented ? space + 1 : cells.length;
}

function widthOfAll(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

function painted(cells: readonly Cell[]): string {
  let text = '';
  let style = '';
  for (const cell of cells) {
    if (cell.style !== style)
      text += `${style === '' ? '' : '\u001B[0m'}${cell.style === '' ? '' : `\u001B[${cell.style}m`}`;
    style = cell.style;
    text += cell.text;
  }
  return style === '' ? text : `${text}\u001B[0m`;
}
