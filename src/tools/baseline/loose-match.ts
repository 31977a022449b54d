// The only inexact matches Edit accepts: the same text except for trailing whitespace, typographic quotes and spaces,
// or one uniform shift of indentation. Each must be unique; nothing is ever matched by similarity. Called by edit-text.

import { diffArrays, diffChars } from 'diff';

import { exactMatches, mostOverlapping } from './exact-matches.ts';

/** A unique place and the text to put there, several places, or none. `difference` names what was ignored. */
export type LooseMatch =
  | {
      readonly type: 'one';
      readonly start: number;
      readonly end: number;
      readonly text: string;
      readonly difference: string;
    }
  | { readonly type: 'several'; readonly starts: readonly number[]; readonly difference: string }
  | { readonly type: 'none' };

interface Place {
  readonly start: number;
  readonly end: number;
  readonly fit: () => string;
}

/** Tries the three rules in order; the first that matches anywhere decides. All texts have LF line ends. */
export function looseMatch(text: string, oldText: string, newText: string): LooseMatch {
  if (oldText.trim() === '') return { type: 'none' };
  const lines = text.split('\n');
  const rules: readonly [difference: string, places: () => Place[]][] = [
    ['trailing whitespace', () => linePlaces(lines, oldText, newText, sameButTrailingSpace)],
    ['typographic quotes, dashes and spaces', () => foldedPlaces(text, oldText, newText)],
    ['indentation', () => linePlaces(lines, oldText, newText, indentationShift)],
  ];
  for (const [difference, find] of rules) {
    const places = find();
    const [place, another] = places;
    if (place === undefined) continue;
    if (another !== undefined) return { type: 'several', starts: places.map(({ start }) => start), difference };
    return { type: 'one', start: place.start, end: place.end, text: place.fit(), difference };
  }
  return { type: 'none' };
}

/** Typographic quotes, dashes and spaces as ASCII, one character for one. */
export function foldTypography(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

function foldedPlaces(text: string, oldText: string, newText: string): Place[] {
  const needle = foldTypography(oldText);
  return exactMatches(foldTypography(text), needle, 'overlapping').map((start) => {
    const end = start + needle.length;
    return { start, end, fit: () => fittedCharacters(text.slice(start, end), oldText, newText) };
  });
}

// What the edit keeps of `oldText` stays as the file spells it: both have the same length.
function fittedCharacters(actual: string, oldText: string, newText: string): string {
  const changes = diffChars(oldText, newText, { maxEditLength: 2000 });
  if (changes === undefined) return newText;
  let at = 0;
  let fitted = '';
  for (const change of changes) {
    if (change.added) fitted += change.value;
    else {
      if (!change.removed) fitted += actual.slice(at, at + change.value.length);
      at += change.value.length;
    }
  }
  return fitted;
}

/** How a line added by the edit must be changed to fit, or undefined if the lines do not match. */
type LineRule = (actual: readonly string[], wanted: readonly string[]) => ((added: string) => string) | undefined;

function sameButTrailingSpace(
  actual: readonly string[],
  wanted: readonly string[],
): ((added: string) => string) | undefined {
  return actual.every((line, index) => line.trimEnd() === wanted[index]?.trimEnd()) ? (added) => added : undefined;
}

// The same run of whitespace added to, or missing from, the front of every non-blank line.
function indentationShift(
  actual: readonly string[],
  wanted: readonly string[],
): ((added: string) => string) | undefined {
  let more: string | undefined;
  let less: string | undefined;
  for (const [index, line] of actual.entries()) {
    const asked = wanted[index] ?? '';
    if (line.trim() === '' && asked.trim() === '') continue;
    if (line.trim() !== asked.trim()) return undefined;
    if (more === undefined && less === undefined) {
      if (indentOf(line).endsWith(indentOf(asked)))
        more = indentOf(line).slice(0, -indentOf(asked).length || undefined);
      else if (indentOf(asked).endsWith(indentOf(line)))
        less = indentOf(asked).slice(0, -indentOf(line).length || undefined);
      else return undefined;
    }
    const shifted =
      more !== undefined ? more + asked : asked.startsWith(less ?? '') ? asked.slice(less?.length) : undefined;
    if (shifted?.trimEnd() !== line.trimEnd()) return undefined;
  }
  return (added) => {
    if (added.trim() === '') return added;
    if (more !== undefined) return more + added;
    return added.slice(commonLength(added, less ?? ''));
  };
}

function linePlaces(lines: readonly string[], oldText: string, newText: string, rule: LineRule): Place[] {
  // A final line end belongs to the match but does not make another line.
  const closed = oldText.endsWith('\n');
  const wanted = (closed ? oldText.slice(0, -1) : oldText).split('\n');
  const key = wanted.findIndex((line) => line.trim() !== '');
  const needle = wanted[key]?.trim();
  const places: Place[] = [];
  let start = 0;
  for (let first = 0; first + wanted.length <= lines.length && places.length < mostOverlapping; first++) {
    const actual = lines[first + key]?.trim() === needle ? lines.slice(first, first + wanted.length) : undefined;
    const hasEnd = first + wanted.length < lines.length;
    const adapt = actual && (hasEnd || !closed) ? rule(actual, wanted) : undefined;
    if (actual && adapt) {
      const end = start + actual.join('\n').length + (closed ? 1 : 0);
      places.push({ start, end, fit: () => fittedLines(actual, wanted, newText, closed, adapt) });
    }
    start += (lines[first]?.length ?? 0) + 1;
  }
  return places;
}

// Lines the edit keeps stay as the file has them; lines it adds are adapted.
function fittedLines(
  actual: readonly string[],
  wanted: readonly string[],
  newText: string,
  closed: boolean,
  adapt: (added: string) => string,
): string {
  if (newText === '') return '';
  const newClosed = closed && newText.endsWith('\n');
  const lines = (newClosed ? newText.slice(0, -1) : newText).split('\n');
  const end = newClosed ? '\n' : '';
  const changes = diffArrays([...wanted], lines, { maxEditLength: 2000 });
  if (changes === undefined) return lines.map(adapt).join('\n') + end;
  const fitted: string[] = [];
  let at = 0;
  for (const change of changes) {
    if (change.added) fitted.push(...change.value.map(adapt));
    else {
      if (!change.removed) fitted.push(...actual.slice(at, at + change.value.length));
      at += change.value.length;
    }
  }
  return fitted.join('\n') + end;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < right.length && left[length] === right[length]) length++;
  return length;
}
