// A terminal in memory that knows the few escape sequences the screen uses and fails at any other. Rows do not scroll away.

// oxlint-disable-next-line no-control-regex -- escape sequences are what a terminal reads
const anyToken = /\u001B\[\??[\d;]*[A-Za-z]|[^]/gu;
// oxlint-disable-next-line no-control-regex -- as above
const sequence = /^\u001B\[\??([\d;]*)([A-Za-z])$/;

/** What stands on a terminal, and where its cursor is. */
export interface TerminalState {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** What is on the terminal's rows after the output, without empty rows at the end; and where the cursor is. `before`: what stood there at first. */
export function terminalAfter(
  output: string,
  columns: number,
  before: TerminalState = { rows: [''], row: 0, column: 0 },
): TerminalState {
  const rows = before.rows.map((text) => Array.from(text));
  let { row, column } = before;
  let wrapPending = false;
  const rowAt = (index: number): string[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  for (const token of output.match(anyToken) ?? []) {
    const [, digits = '', letter] = sequence.exec(token) ?? [];
    if (letter === 'm' || letter === 'h' || letter === 'l') continue;
    if (letter === undefined && token >= ' ') {
      if (wrapPending) {
        row += 1;
        column = 0;
      }
      rowAt(row)[column] = token;
      wrapPending = column === columns - 1;
      if (!wrapPending) column += 1;
      continue;
    }
    wrapPending = false;
    if (token === '\n') {
      row += 1; // a terminal's line discipline adds the carriage return
      column = 0;
    } else if (token === '\r') column = 0;
    else if (letter === 'K' && digits === '2') rows[row] = [];
    else if (letter === 'J' && digits === '') {
      rowAt(row).length = Math.min(rowAt(row).length, column);
      rows.length = row + 1;
    } else if (letter === 'A') row -= Number(digits);
    else if (letter === 'G') column = Number(digits) - 1;
    else throw new Error(`The emulator does not know ${JSON.stringify(token)}.`);
    if (row < 0 || column < 0 || column >= columns)
      throw new Error(`The cursor left the terminal: row ${row}, column ${column}.`);
  }
  rowAt(row);
  const text = rows.map((cells) => Array.from(cells, (cell) => cell ?? ' ').join(''));
  while (text.at(-1) === '') text.pop();
  return { rows: text, row, column };
}
