// Removes terminal control sequences from a stream of text. Used for the output of commands.

/** Feed it text piece by piece; sequences may be parted between pieces. */
export interface TerminalText {
  readonly push: (text: string) => string;
  /** What was held back; an unfinished sequence is dropped. */
  readonly end: () => string;
}

const sequences =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])/g;
// oxlint-disable-next-line no-control-regex -- see above
const unfinished = /\u001B(?:\[[0-?]*[ -/]*|\][^\u0007\u001B]*\u001B?|[PX^_][^\u001B]*\u001B?|[ -/]*)$/;
// oxlint-disable-next-line no-control-regex -- see above
const controls = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;
// oxlint-disable-next-line no-control-regex -- see above
const special = /[\u0000-\u0008\u000B-\u001F\u007F]/;
// A title or a link is short; anything longer is not a sequence.
const maxHeld = 4096;

/**
 * Escape sequences and control characters are removed, CRLF becomes LF; tabs, line feeds and lone carriage returns
 * stay.
 */
export function createTerminalText(): TerminalText {
  let held = '';
  const plain = (text: string): string => text.replace(sequences, '').replace(controls, '').replaceAll('\r\n', '\n');
  return {
    push: (piece) => {
      if (held === '' && !special.test(piece)) return piece;
      const text = held + piece;
      const open = unfinished.exec(text.slice(-maxHeld));
      const keep = open?.[0] ?? (text.endsWith('\r') ? '\r' : '');
      held = keep;
      return plain(keep === '' ? text : text.slice(0, -keep.length));
    },
    end: () => {
      const rest = held === '\r' ? held : '';
      held = '';
      return rest;
    },
  };
}
