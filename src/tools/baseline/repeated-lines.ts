// Shows a line that repeats only once, with a count. Used if output is too long to be shown whole.

/** Feed it text piece by piece; lines may be parted between pieces. */
export interface RepeatedLines {
  /** Returns what is to be shown as far as it is known. Never more, in all, than it was given. */
  readonly push: (text: string) => string;
  /** What was held back. */
  readonly end: () => string;
}

// A longer line never counts as repeated.
const maxLineUnits = 1_000;

/** Of a run of equal lines the first stays, followed by `[… the line above N more times …]` if that is shorter. */
export function createRepeatedLines(): RepeatedLines {
  let line: string | undefined; // the last one, with its line feed
  let repeats = 0;
  let open = ''; // the beginning of the next one
  let isLong = false; // its beginning was handed on already

  const counted = (): string => {
    if (line === undefined || repeats === 0) return '';
    const note = `[… the line above ${repeats} more times …]\n`;
    const text = repeats * line.length > note.length ? note : line.repeat(repeats);
    repeats = 0;
    return text;
  };
  return {
    push: (piece) => {
      const text = open + piece;
      let shown = '';
      let from = 0;
      for (;;) {
        if (line !== undefined && !isLong && text.startsWith(line, from)) {
          repeats++;
          from += line.length;
          continue;
        }
        const end = text.indexOf('\n', from) + 1;
        if (end === 0) break;
        const next = text.slice(from, end);
        shown += counted() + next;
        line = isLong || next.length > maxLineUnits ? undefined : next;
        isLong = false;
        from = end;
      }
      open = text.slice(from);
      if (isLong || open.length > maxLineUnits) {
        shown += counted() + open;
        isLong = true;
        open = '';
      }
      return shown;
    },
    end: () => counted() + open,
  };
}
