// Explains why an edit found nothing: the most similar lines of the file and how they differ. It never matches
// anything.

import { diffLines } from 'diff';

import { cutToLines, cutToUnits } from './cut-text.ts';
import { foldTypography } from './loose-match.ts';

const shownLines = 40;
const shownUnits = 4000;
const comparedLines = 200;
const searchedLines = 50_000;
const keyLength = 120;
const minimumLikeness = 0.5;

/** The report for the model. All texts have LF line ends. */
export function nearMiss(text: string, oldText: string, newText: string): string {
  const parts = ['old_string was not found. Nothing was changed.', ...hints(text, oldText, newText)];
  const lines = text.split('\n').slice(0, searchedLines);
  const wanted = oldText.replace(/\n$/, '').split('\n');
  const first = nearestStart(lines, wanted);
  if (first === undefined) parts.push('Nothing in the file is similar. Read the file again and copy the text from it.');
  else {
    const found = lines.slice(first, first + wanted.length);
    const last = first + found.length;
    const where = found.length === 1 ? `line ${last}` : `lines ${first + 1}-${last}`;
    parts.push(
      `The nearest text is at ${where}. It differs like this (- is old_string, + is the file):`,
      differences(wanted.slice(0, comparedLines), found.slice(0, comparedLines)),
      'Copy the text exactly as the file has it and try again.',
    );
  }
  return parts.join('\n');
}

function hints(text: string, oldText: string, newText: string): string[] {
  const found: string[] = [];
  if (/^ *\d+\t/m.test(oldText)) {
    found.push('old_string seems to hold line numbers as Read shows them: they are not part of the file.');
  }
  if (newText !== '' && newText.length >= 8 && text.includes(newText)) {
    found.push('new_string is already in the file: the change may have been made before.');
  }
  return found;
}

function differences(wanted: readonly string[], found: readonly string[]): string {
  const shown = diffLines(`${wanted.join('\n')}\n`, `${found.join('\n')}\n`)
    .flatMap((change) => {
      const sign = change.added ? '+' : change.removed ? '-' : ' ';
      return change.value
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => sign + visible(cutToUnits(line, 300)));
    })
    .join('\n');
  return cutToUnits(cutToLines(shown, shownLines), shownUnits);
}

// Invisible differences are spelled out.
function visible(line: string): string {
  return line
    .replace(/(?!\t)[\p{Cc}\u00a0\u200b-\u200f\u2028\u2029\ufeff]/gu, (character) => `\\u${hex(character)}`)
    .replace(/[ \t]+$/, (spaces) => spaces.replaceAll(' ', '·').replaceAll('\t', '→'));
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

// Where the wanted lines would begin, by the lines both have in common, else by the one line most alike.
function nearestStart(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const keys = lines.map(lineKey);
  const votes = new Map<number, number>();
  const places = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    if (key === '') continue;
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  for (const [offset, line] of wanted.slice(0, 200).entries()) {
    const known = places.get(lineKey(line)) ?? [];
    if (known.length > 50) continue; // a closing brace says nothing
    for (const index of known) votes.set(index - offset, (votes.get(index - offset) ?? 0) + line.trim().length);
  }
  let best: number | undefined;
  for (const [start, weight] of votes) if (best === undefined || weight > (votes.get(best) ?? 0)) best = start;
  return best === undefined ? mostAlike(keys, wanted) : Math.max(0, best);
}

function mostAlike(keys: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce(
    (best, line, index) => (line.trim().length > (wanted[best]?.trim().length ?? 0) ? index : best),
    0,
  );
  const target = lineKey(wanted[longest] ?? '');
  const pairs = pairsOf(target);
  let best: number | undefined;
  let likeness = minimumLikeness;
  for (const [index, key] of keys.entries()) {
    // Of very different lengths two lines cannot be alike enough.
    if (key.length * 3 < target.length || key.length > target.length * 3) continue;
    const value = alike(pairsOf(key), pairs);
    if (value > likeness) [best, likeness] = [index, value];
  }
  return best === undefined ? undefined : Math.max(0, best - longest);
}

function lineKey(line: string): string {
  return foldTypography(line.trimStart().slice(0, keyLength)).trim().replace(/\s+/g, ' ').toLowerCase();
}

function pairsOf(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}

// The Dice coefficient of two sets of letter pairs.
function alike(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared++;
  return (2 * shared) / (left.size + right.size);
}
