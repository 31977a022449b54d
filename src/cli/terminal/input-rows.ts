// Lays out the line being typed on rows of the terminal. Pure; the console draws them.

import type { LineEditor } from './line-editor.ts';
import type { InputRows } from './screen.ts';
import { widthOf } from './width.ts';

/** The available space. */
export interface Room {
  readonly columns: number;
  /** Most rows; a longer text is shown around the cursor. */
  readonly rows: number;
}

/** The prompt and the text after it; further rows are indented to the text. Every row leaves the last column free. */
export function inputRows(prompt: string, { text, cursor }: LineEditor, room: Room): InputRows {
  const indent = ' '.repeat(prompt.length);
  const limit = Math.max(prompt.length + 2, room.columns - 1);
  const rows: string[] = [];
  let row = prompt;
  let width = prompt.length;
  let at = 0;
  let place = { row: 0, column: width };
  const breakRow = () => {
    rows.push(row);
    row = indent;
    width = indent.length;
  };
  for (const character of text) {
    if (character !== '\n' && width + widthOf(character) > limit) breakRow();
    if (at === cursor) place = { row: rows.length, column: width };
    at += character.length;
    if (character === '\n') breakRow();
    else {
      row += character;
      width += widthOf(character);
    }
  }
  if (cursor >= at) place = { row: rows.length, column: width };
  rows.push(row);
  const first = Math.max(0, Math.min(place.row - room.rows + 1, rows.length - room.rows));
  return { rows: rows.slice(first, first + room.rows), row: place.row - first, column: place.column };
}
