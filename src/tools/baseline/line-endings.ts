// Converts line ends to LF and maps positions back, so that edits keep every line's own ending. Used by Edit, Write,
// Read.

/** What ends a line. */
export type LineEnding = '\n' | '\r\n' | '\r';

/**
 * `cr`: the text uses a lone CR to end lines (it holds some, and no LF). Everywhere else a lone CR is an ordinary
 * character, as it is for search programs, so that line numbers agree with theirs.
 */
export type LineBreaks = 'lf' | 'cr';

// How many characters from the start decide between `lf` and `cr`.
const lineBreakSample = 65_536;

/** A text whose line ends are all LF, with the original positions of its characters. */
export interface NormalisedText {
  readonly text: string;
  /** The offset in the original text for an offset in `text`; ends of lines map to before their whole ending. */
  readonly toOriginal: (offset: number) => number;
}

/** Which of the two ways to end lines the text follows. */
export function lineBreaksOf(text: string): LineBreaks {
  const sample = text.slice(0, lineBreakSample);
  return sample.includes('\r') && !sample.includes('\n') ? 'cr' : 'lf';
}

/** `text` with every line end turned into LF. */
export function withLineFeeds(text: string, breaks: LineBreaks): string {
  if (!text.includes('\r')) return text;
  return text.replace(breaks === 'cr' ? /\r\n?/g : /\r\n/g, '\n');
}

/** `withLineFeeds` with the way back to the original offsets. */
export function normaliseLineEndings(original: string, breaks: LineBreaks): NormalisedText {
  const text = withLineFeeds(original, breaks);
  if (text.length === original.length) return { text, toOriginal: (offset) => offset };
  // Offsets in `text` of the line feeds that were two characters long: everything after one is shifted by one more.
  const pairs: number[] = [];
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return { text, toOriginal: (offset) => offset + countBelow(pairs, offset) };
}

/** The ending most lines of `text` have, or undefined if it has none. If equal, the first one. */
export function dominantEnding(text: string, breaks: LineBreaks): LineEnding | undefined {
  const counts = new Map<LineEnding, number>();
  for (const ending of endingsOf(text, breaks)) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  let best: LineEnding | undefined;
  for (const [ending, count] of counts) if (best === undefined || count > (counts.get(best) ?? 0)) best = ending;
  return best;
}

/** Every line ending of `text`, in order. */
export function endingsOf(text: string, breaks: LineBreaks): LineEnding[] {
  const pattern = breaks === 'cr' ? /\r\n|\n|\r/g : /\r\n|\n/g;
  return Array.from(text.matchAll(pattern), (match) =>
    match[0] === '\r\n' ? '\r\n' : match[0] === '\r' ? '\r' : '\n',
  );
}

/** `text` (LF only) with its line ends replaced one by one by `endings`; those beyond the list get `rest`. */
export function withEndings(text: string, endings: readonly LineEnding[], rest: LineEnding): string {
  if (rest === '\n' && endings.every((ending) => ending === '\n')) return text;
  let line = 0;
  return text.replace(/\n/g, () => endings[line++] ?? rest);
}

/** A short word for notes: `LF`, `CRLF`, `CR`. */
export function endingName(ending: LineEnding): string {
  return ending === '\n' ? 'LF' : ending === '\r' ? 'CR' : 'CRLF';
}

// How many of the ascending `values` are below `limit`.
function countBelow(values: readonly number[], limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
