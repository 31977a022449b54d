// Collects what a search finds and writes the answer: pages, order, limits. Called by Grep for both of its engines.

import { resolve } from 'node:path';

import { modeOf, type GrepArguments } from './grep-arguments.ts';
import { linkStat } from './quiet-stat.ts';
import type { SearchLine } from './search-lines.ts';
import { printablePath } from './shown-path.ts';

/** Takes what is found, as paths the engine prints. */
export interface SearchAnswer {
  /** Whether what is in this file may be shown and was asked for. */
  readonly accepts: (path: string) => boolean;
  /** False once nothing more is wanted. */
  readonly addLine: (line: SearchLine) => boolean;
  readonly addGap: () => void;
  readonly addFile: (path: string) => void;
  readonly addCount: (path: string, count: number) => void;
  /** Whether nothing was found. */
  readonly isEmpty: () => boolean;
  /** The answer, followed by `notes`. */
  readonly text: (notes: readonly string[]) => string;
}

const defaultLimit = 250;
// The longest useful answer; beyond it, the answer names the offset to continue with.
const maxUnits = 100_000;

/** Paths are relative to `folder`. */
export function createSearchAnswer(
  args: GrepArguments,
  folder: string,
  isWanted: (path: string) => boolean,
): SearchAnswer {
  const offset = args.offset ?? 0;
  const limit = args.head_limit === 0 ? Number.POSITIVE_INFINITY : (args.head_limit ?? defaultLimit);
  const known = new Map<string, boolean>();
  const files: { readonly shown: string; readonly time: number }[] = [];
  const counts: { readonly shown: string; readonly count: number }[] = [];
  const shown: string[] = [];
  let seen = 0;
  let units = 0;
  let hasMore = false;
  let isGap = false;

  const accepts = (path: string): boolean => {
    let verdict = known.get(path);
    if (verdict === undefined) {
      verdict = isWanted(path);
      known.set(path, verdict);
    }
    return verdict;
  };
  const addLine = (line: SearchLine): boolean => {
    if (!accepts(line.path)) return true;
    if (seen++ < offset) return true;
    if (shown.length - gaps >= limit || units > maxUnits) {
      hasMore = true;
      return false;
    }
    if (isGap && shown.length > 0) {
      shown.push('--');
      gaps++;
    }
    isGap = false;
    const text = lineText(line, args['-n'] !== false);
    units += text.length;
    shown.push(text);
    return true;
  };
  let gaps = 0;

  const listed = (): readonly string[] => {
    switch (modeOf(args)) {
      case 'files_with_matches':
        return files
          .toSorted((left, right) => right.time - left.time || (left.shown < right.shown ? -1 : 1))
          .map(({ shown: path }) => path);
      case 'count':
        return counts
          .toSorted((left, right) => right.count - left.count || (left.shown < right.shown ? -1 : 1))
          .map(({ shown: path, count }) => `${path}:${count}`);
      case 'content':
        return [];
    }
  };
  const page = (all: readonly string[]): string[] => {
    const from = all.slice(offset, offset + limit);
    const cut: string[] = [];
    for (const line of from) {
      if (units > maxUnits) break;
      units += line.length;
      cut.push(line);
    }
    const end = offset + cut.length;
    if (end < all.length) cut.push(`[Files ${offset + 1}-${end} of ${all.length}. Continue with offset=${end}.]`);
    else if (offset > 0 && cut.length > 0) cut.push(`[Files ${offset + 1}-${end} of ${all.length}.]`);
    return cut;
  };

  return {
    accepts,
    addLine,
    addGap: () => (isGap = true),
    // What can be done at once is: the engine is still searching then.
    addFile: (path) => {
      if (accepts(path))
        files.push({ shown: printablePath(path), time: linkStat(resolve(folder, path))?.mtimeMs ?? 0 });
    },
    addCount: (path, count) => {
      if (accepts(path)) counts.push({ shown: printablePath(path), count });
    },
    isEmpty: () => seen === 0 && files.length === 0 && counts.length === 0,
    text: (notes) => {
      const isContent = modeOf(args) === 'content';
      const all = listed();
      const lines = isContent ? [...shown] : page(all);
      const total = isContent ? seen : all.length;
      if (lines.length === 0) {
        const past = total > 0 ? `offset ${offset} is past the end: there are ${total}` : '';
        lines.push(past === '' ? 'No matches found' : `No matches shown: ${past}.`);
      } else if (isContent && hasMore) {
        const end = offset + shown.length - gaps;
        lines.push(`[Lines ${offset + 1}-${end} of more. Continue with offset=${end}.]`);
      }
      if (modeOf(args) === 'count' && counts.length > 0) {
        const sum = counts.reduce((all, { count }) => all + count, 0);
        lines.push(`[${sum} matching lines in ${counts.length} files]`);
      }
      return [...lines, ...notes].join('\n').toWellFormed();
    },
  };
}

function lineText({ path, number, isMatch, text, cut }: SearchLine, isNumbered: boolean): string {
  const mark = isMatch ? ':' : '-';
  const head = `${printablePath(path)}${mark}${isNumbered ? `${number}${mark}` : ''}`;
  if (cut === undefined) return head + text;
  const before = cut.from > 0 ? '…' : '';
  const after = cut.to < cut.of ? '…' : '';
  return `${head}${before}${text}${after} [cut: bytes ${cut.from + 1}-${cut.to} of a line of ${cut.of}]`;
}
