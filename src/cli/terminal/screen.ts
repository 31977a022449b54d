// Text that only grows, with one status line below it that is redrawn in place. Pure: it returns what to write.

import { fitted, widthOf } from './width.ts';

/** A terminal as seen by what is printed on it. */
export interface Screen {
  /** Adds text (its only escape sequences: colours) and keeps the status line below it. */
  readonly print: (text: string) => string;
  /** Shows another status line; undefined takes it away. It is cut to the terminal's width. */
  readonly show: (status: string | undefined) => string;
}

const eraseLine = '\r\u001B[2K';

/** A fresh screen with the cursor in the first column. `columns` is asked at each use: the window may change its size. `paint` may colour the status. */
export function createScreen(columns: () => number, paint: (status: string) => string = String): Screen {
  let column = 0; // of the unfinished line; equal to the width = the terminal will wrap at the next character
  let status: string | undefined;
  let drawn: 'no' | 'here' | 'below' = 'no';

  const erase = (): string => {
    const back = drawn === 'below' ? `${eraseLine}\u001B[1A\u001B[${column + 1}G` : drawn === 'here' ? eraseLine : '';
    drawn = 'no';
    return back;
  };
  const draw = (): string => {
    // Where a line is exactly full there is no way back to "will wrap": the status waits for the next character.
    if (status === undefined || column >= columns()) return '';
    drawn = column === 0 ? 'here' : 'below';
    return `${drawn === 'below' ? '\n\r' : ''}${paint(fitted(status, columns() - 1))}`;
  };

  return {
    print(text) {
      const before = erase();
      column = columnAfter(text, column, columns());
      return before + text + draw();
    },
    show(next) {
      if (next === status) return '';
      const before = erase();
      status = next;
      return before + draw();
    },
  };
}

function columnAfter(text: string, from: number, columns: number): number {
  let column = from;
  // oxlint-disable-next-line no-control-regex -- colours are escape sequences
  for (const character of text.replaceAll(/\u001B\[[\d;]*m/g, '')) {
    if (character === '\n') column = 0;
    else column = column + widthOf(character) > columns ? widthOf(character) : column + widthOf(character);
  }
  return column;
}
