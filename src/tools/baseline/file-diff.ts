// The difference between two states of a file as a unified diff, at a cost bounded by the changed part. Used for
// previews and for the results of tools that change files.

import { structuredPatch } from 'diff';

import { cutToLines, cutToUnits } from './cut-text.ts';

/** `text` holds hunks only (no file header); added and removed count lines. */
export interface FileDiff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const context = 3;
const maxEdits = 1500;
const longestLine = 500;

/** Line ends of both texts are LF. At most `maxLines` lines of diff; the counts are of the whole. */
export function fileDiff(before: string, after: string, maxLines: number): FileDiff {
  const { head, tail } = commonLines(before, after);
  const oldPart = before.slice(head, before.length - tail);
  const newPart = after.slice(head, after.length - tail);
  const skipped = countLines(before.slice(0, head));
  const patch = structuredPatch('', '', oldPart, newPart, '', '', { context, maxEditLength: maxEdits });
  const hunks = patch?.hunks ?? plainHunks(linesOf(oldPart), linesOf(newPart));
  let added = 0;
  let removed = 0;
  const lines: string[] = [];
  for (const hunk of hunks) {
    lines.push(
      `@@ -${range(hunk.oldStart + skipped, hunk.oldLines)} +${range(hunk.newStart + skipped, hunk.newLines)} @@`,
    );
    for (const line of hunk.lines) {
      if (line.startsWith('+')) added++;
      else if (line.startsWith('-')) removed++;
      lines.push(line.length > longestLine ? `${cutToUnits(line, longestLine)}…` : line);
    }
  }
  return { text: cutToLines(lines.join('\n'), maxLines).toWellFormed(), added, removed };
}

// By convention of the format, a range without lines begins at the line before it.
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

// Lengths of what both begin and end with, in whole lines and without the lines the diff shows around a change.
function commonLines(before: string, after: string): { head: number; tail: number } {
  const room = Math.min(before.length, after.length);
  let same = 0;
  while (same < room && before.charCodeAt(same) === after.charCodeAt(same)) same++;
  let head = same;
  for (let line = 0; line <= context && head > 0; line++) head = before.lastIndexOf('\n', head - 2) + 1;
  let tail = 0;
  while (
    tail < room - same &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  let from = before.length - tail;
  for (let line = 0; line <= context && from < before.length; line++) {
    const end = before.indexOf('\n', from);
    from = end < 0 ? before.length : end + 1;
  }
  return { head, tail: before.length - from };
}

// For texts with too many changes to search for the shortest diff. If the number of lines is the same, differing lines
// count as changed in place; otherwise everything is removed and added.
function plainHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  if (before.length !== after.length) return [hunkOf(before, after, 0)];
  const hunks: Hunk[] = [];
  for (let from = 0; from < before.length; from++) {
    let to = from;
    while (to < before.length && before[to] !== after[to]) to++;
    if (to > from) hunks.push(hunkOf(before.slice(from, to), after.slice(from, to), from));
    from = to;
  }
  return hunks;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function hunkOf(before: readonly string[], after: readonly string[], skipped: number): Hunk {
  return {
    oldStart: skipped + 1,
    oldLines: before.length,
    newStart: skipped + 1,
    newLines: after.length,
    lines: [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)],
  };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
