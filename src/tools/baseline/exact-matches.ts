// Finds a text inside another one, character by character, and reports line numbers. Used by edit-text and loose-match.

/** How many places are searched for when there should be only one. */
export const mostOverlapping = 1000;

/**
 * Offsets of `needle` in `text`, ascending. `all`: from left to right without overlap, as `replaceAll` counts;
 * `overlapping`: every place it begins, which is what uniqueness is about; the first `mostOverlapping` of them, since
 * each costs as much as the needle is long.
 */
export function exactMatches(text: string, needle: string, mode: 'all' | 'overlapping'): number[] {
  const starts: number[] = [];
  if (needle === '') return starts;
  const step = mode === 'all' ? needle.length : 1;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + step)) {
    starts.push(at);
    if (mode === 'overlapping' && starts.length === mostOverlapping) break;
  }
  return starts;
}

/** The 1-based line of an offset; lines end with LF. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const namedLines = 20;

/** The lines of ascending offsets as a list for a message: at most 20, then how many more. */
export function linesOfMatches(text: string, starts: readonly number[]): string {
  const lines: number[] = [];
  let line = 1;
  let feed = text.indexOf('\n');
  for (const start of starts.slice(0, namedLines)) {
    for (; feed >= 0 && feed < start; feed = text.indexOf('\n', feed + 1)) line++;
    lines.push(line);
  }
  const more = starts.length - lines.length;
  return more > 0 ? `${lines.join(', ')} and ${more} more` : lines.join(', ');
}
