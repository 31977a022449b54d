// The edit itself, from text to text: finds the old text, replaces it, keeps every byte outside and each line's ending.
// Pure; called by Edit and its preview.

import { exactMatches, lineAt, linesOfMatches, mostOverlapping } from './exact-matches.ts';
import {
  endingsOf,
  lineBreaksOf,
  normaliseLineEndings,
  withEndings,
  withLineFeeds,
  type LineBreaks,
  type LineEnding,
  type NormalisedText,
} from './line-endings.ts';
import { looseMatch } from './loose-match.ts';
import { nearMiss } from './near-miss.ts';

/** What to replace with what. Line ends may be written either way. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** The new text, or why the edit failed, in words for the model. `difference` says what an inexact match ignored. */
export type EditOutcome =
  | { readonly type: 'edited'; readonly text: string; readonly replaced: number; readonly difference?: string }
  | { readonly type: 'refused'; readonly message: string };

// The maximum size of files that are edited.
const maxUnits = 64 * 1024 * 1024;

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces the one occurrence of `oldText` in `original`, or all of them. Every character outside stays as it is. */
export function editText(original: string, edit: TextEdit): EditOutcome {
  const breaks = lineBreaksOf(original);
  const oldText = withLineFeeds(edit.oldText, breaks);
  const newText = withLineFeeds(edit.newText, breaks);
  if (oldText === newText) return refused(sameTexts(edit));
  const file = normaliseLineEndings(original, breaks);
  const starts = exactMatches(file.text, oldText, edit.replaceAll ? 'all' : 'overlapping');
  if (starts.length > 1 && !edit.replaceAll) return refused(ambiguous(file.text, starts));
  const length = original.length + starts.length * (newText.length - oldText.length);
  if (length > maxUnits) return refused(tooLong(starts.length, length));
  if (starts.length > 0) {
    const replacements = starts.map((start) => ({ start, end: start + oldText.length, text: newText }));
    return { type: 'edited', text: applied(original, file, breaks, replacements), replaced: starts.length };
  }
  const loose = looseMatch(file.text, oldText, newText);
  if (loose.type === 'none') return refused(nearMiss(file.text, oldText, newText));
  if (loose.type === 'several') return refused(severalLoose(file.text, loose.difference, loose.starts));
  if (file.text.slice(loose.start, loose.end) === loose.text) {
    return refused(`The text at line ${lineAt(file.text, loose.start)} already is new_string. Nothing was changed.`);
  }
  return { type: 'edited', text: applied(original, file, breaks, [loose]), replaced: 1, difference: loose.difference };
}

// Replacements are ascending and do not overlap.
function applied(
  original: string,
  file: NormalisedText,
  breaks: LineBreaks,
  replacements: readonly Replacement[],
): string {
  const parts: string[] = [];
  let done = 0;
  for (const replacement of replacements) {
    const { start, end, text } = narrowed(file.text, replacement);
    const from = file.toOriginal(start);
    const to = file.toOriginal(end);
    const endings = endingsOf(original.slice(from, to), breaks);
    const rest = endings.at(-1) ?? neighbouringEnding(original, from, to, breaks);
    parts.push(original.slice(done, from), withEndings(text, endings, rest));
    done = to;
  }
  parts.push(original.slice(done));
  return parts.join('');
}

// Without the beginning and the end that stay the same, so that lines which do not change keep their own endings.
function narrowed(file: string, { start, end, text }: Replacement): Replacement {
  const room = Math.min(end - start, text.length);
  let head = 0;
  while (head < room && file.charCodeAt(start + head) === text.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < room - head && file.charCodeAt(end - 1 - tail) === text.charCodeAt(text.length - 1 - tail)) tail++;
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}

// The ending of new lines if no old line end is replaced: that of the line they are put into, else of the line before.
function neighbouringEnding(original: string, from: number, to: number, breaks: LineBreaks): LineEnding {
  if (breaks === 'cr') return '\r';
  const behind = original.indexOf('\n', to);
  const feed = behind >= 0 || from === 0 ? behind : original.lastIndexOf('\n', from - 1);
  return feed > 0 && original[feed - 1] === '\r' ? '\r\n' : '\n';
}

function sameTexts(edit: TextEdit): string {
  return edit.oldText === edit.newText
    ? 'old_string and new_string are the same: there is nothing to change.'
    : 'old_string and new_string differ only in their line ends, which Edit leaves as the file has them: there is nothing to change.';
}

function ambiguous(text: string, starts: readonly number[]): string {
  return (
    `old_string occurs ${countOf(starts)} times, at lines ${linesOfMatches(text, starts)}. Nothing was changed. ` +
    'Add surrounding lines to old_string until it is unique, or set replace_all to change every occurrence.'
  );
}

function tooLong(count: number, length: number): string {
  return (
    `${count === 1 ? 'The replacement' : `All ${count} replacements`} would make the file ${length} characters long; ` +
    `Edit writes ${maxUnits} at most. Nothing was changed.`
  );
}

function severalLoose(text: string, difference: string, starts: readonly number[]): string {
  return (
    `old_string was not found exactly; but for ${difference} it occurs ${countOf(starts)} times, at lines ${linesOfMatches(text, starts)}. ` +
    'Nothing was changed. Copy the text exactly as the file has it, with enough lines around it to be unique.'
  );
}

function countOf(starts: readonly number[]): string {
  return starts.length === mostOverlapping ? `at least ${mostOverlapping}` : String(starts.length);
}

function refused(message: string): EditOutcome {
  return { type: 'refused', message };
}
