// Reads the lines ripgrep prints without ever keeping more of one than is shown. Called by Grep.

/** One line of an answer. `text` is a stretch of a long line; `cut` then says which bytes of how many. */
export interface SearchLine {
  readonly path: string;
  readonly number: number;
  readonly isMatch: boolean;
  readonly text: string;
  readonly cut?: { readonly from: number; readonly to: number; readonly of: number };
}

/** Feed it chunks of the output. */
export interface SearchLineReader {
  readonly push: (chunk: Buffer) => void;
  readonly end: () => void;
}

const maxTextBytes = 500;
// What is shown in front of the match where a line is cut.
const leadBytes = 100;
// A line's header (path and numbers) ends within this.
const headerBytes = 16_384;
const lineFeed = 10;

/**
 * Calls `onLine` for each line `path NUL number:column:text` (a match) or `path NUL number-text` (beside one), and
 * `onGap` for `--` between groups. Other lines are parts of a path that holds line feeds.
 */
export function createSearchLineReader(onLine: (line: SearchLine) => void, onGap: () => void): SearchLineReader {
  let kept: Buffer[] = []; // of the line under way, from its start or from where its stretch begins
  let keptLength = 0;
  let length = 0; // of the line so far
  let long: { readonly header: Header; readonly from: number; readonly end: number } | undefined;
  let path = ''; // the beginning of a path with a line feed in it

  const take = (bytes: Buffer): void => {
    if (long === undefined) {
      kept.push(bytes);
      keptLength += bytes.length;
      length += bytes.length;
      if (keptLength <= headerBytes) return;
      const start = Buffer.concat(kept);
      const header = headerOf(start);
      if (header === undefined) return; // goes on collecting: no path is that long, so this is bounded by the next line
      const from = stretchStart(header);
      long = { header, from, end: from + maxTextBytes + 8 };
      kept = [];
      keptLength = 0;
      length = 0;
      take(start);
      return;
    }
    const first = Math.max(0, long.from - length);
    const last = Math.min(bytes.length, long.end - length);
    if (first < last) kept.push(Buffer.from(bytes.subarray(first, last)));
    length += bytes.length;
  };
  const finish = (): void => {
    const bytes = kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept);
    const header = long?.header ?? headerOf(bytes);
    if (header === undefined) {
      if (bytes.equals(Buffer.from('--'))) onGap();
      else path += `${bytes.toString()}\n`;
    } else {
      const from = long?.from ?? stretchStart(header, length);
      const total = length - header.textAt;
      const text = long === undefined ? bytes.subarray(from) : bytes;
      onLine(lineOf({ ...header, path: path + header.path }, text, from - header.textAt, total));
      path = '';
    }
    kept = [];
    keptLength = 0;
    length = 0;
    long = undefined;
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        take(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      if (from < chunk.length) take(Buffer.from(chunk.subarray(from)));
    },
    end: () => {
      if (length > 0) finish();
    },
  };
}

interface Header {
  readonly path: string;
  readonly number: number;
  readonly isMatch: boolean;
  /** Where the text begins, and the match in it (0-based, in bytes). */
  readonly textAt: number;
  readonly matchAt: number;
}

function headerOf(bytes: Buffer): Header | undefined {
  const nul = bytes.indexOf(0);
  if (nul < 0) return undefined;
  const found = /^(\d+)(?:(:)(?:(\d+):)?|-)/.exec(bytes.toString('latin1', nul + 1, nul + 48));
  if (found === null) return undefined;
  const isMatch = found[2] !== undefined;
  return {
    path: bytes.toString('utf8', 0, nul),
    number: Number(found[1]),
    isMatch,
    textAt: nul + 1 + found[0].length,
    matchAt: isMatch ? Math.max(0, Number(found[3] ?? 1) - 1) : 0,
  };
}

// Where the shown stretch begins, from the start of the output line. A line that fits is shown whole.
function stretchStart({ textAt, matchAt }: Header, length = Number.POSITIVE_INFINITY): number {
  if (length - textAt <= maxTextBytes) return textAt;
  return textAt + Math.max(0, matchAt - leadBytes);
}

function lineOf({ path, number, isMatch }: Header, bytes: Buffer, from: number, total: number): SearchLine {
  if (from === 0 && total <= maxTextBytes) {
    return { path, number, isMatch, text: bytes.toString('utf8').replace(/\r$/, '').toWellFormed() };
  }
  let start = 0;
  while (from > 0 && start < 4 && isContinuation(bytes[start])) start++;
  let end = Math.min(bytes.length, start + maxTextBytes);
  while (end > start && end < bytes.length && isContinuation(bytes[end])) end--;
  const text = bytes.toString('utf8', start, end);
  return { path, number, isMatch, text, cut: { from: from + start, to: from + end, of: total } };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
