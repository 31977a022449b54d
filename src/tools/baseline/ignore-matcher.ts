// The rules of one ignore file, as git reads them. Pure; called for the rules of a folder.

import { namePattern } from './name-pattern.ts';
import { wayPattern } from './way-pattern.ts';

/**
 * True: left out; false: let in again; undefined: nothing is said. `way` is asked for only where a rule needs more than
 * the name.
 */
export type IgnoreMatcher = (name: string, isFolder: boolean, way: () => string) => boolean | undefined;

interface Rule {
  /** Which line: a later one counts more. */
  readonly place: number;
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Where it is about one name only. */
  readonly literal?: string;
  readonly ofName?: (name: string) => boolean;
  readonly ofWay?: (way: string) => boolean;
}

const wayRules = { dotsAreExplicit: false, hasClasses: true };
// No path is as long.
const maxLineUnits = 8_192;

/**
 * The last rule that fits decides. Undefined where the text holds none. It says nothing about what is in a folder it
 * leaves out.
 */
export function ignoreMatcher(text: string, caseCounts: boolean): IgnoreMatcher | undefined {
  const folded = (part: string): string => (caseCounts ? part : part.toLowerCase());
  const rules = text.split('\n').flatMap((line, place) => ruleOf(folded(line), place) ?? []);
  if (rules.length === 0) return undefined;
  // Most rules are plain names: of those only the last one of its name counts, and it is looked up.
  const ofFolders = lastOfName(rules);
  const ofFiles = lastOfName(rules.filter(({ isForFolders }) => !isForFolders));
  const others = rules.filter(({ literal }) => literal === undefined).toReversed();
  return (name, isFolder, way) => {
    const own = folded(name);
    const named = (isFolder ? ofFolders : ofFiles).get(own);
    let whole: string | undefined;
    for (const rule of others) {
      if (named !== undefined && rule.place < named.place) break;
      if (rule.isForFolders && !isFolder) continue;
      if (rule.ofName?.(own) === true || rule.ofWay?.((whole ??= folded(way()))) === true) return !rule.isNegated;
    }
    return named === undefined ? undefined : !named.isNegated;
  };
}

function lastOfName(rules: readonly Rule[]): ReadonlyMap<string, Rule> {
  return new Map(rules.flatMap((rule) => (rule.literal === undefined ? [] : [[rule.literal, rule] as const])));
}

function ruleOf(line: string, place: number): Rule | undefined {
  if (line.length > maxLineUnits) return undefined;
  let pattern = withoutSpaces(line.replace(/\r$/, ''));
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith('/');
  if (isForFolders) pattern = pattern.slice(0, -1);
  if (pattern === '') return undefined;
  const common = { place, isNegated, isForFolders };
  if (!pattern.includes('/')) {
    const { matches, literal, isOpen } = namePattern(pattern);
    if (isOpen) return undefined;
    return literal === undefined ? { ...common, ofName: matches } : { ...common, literal };
  }
  const { matches, isOpen } = wayPattern(pattern.replace(/^\//, ''), wayRules);
  return isOpen ? undefined : { ...common, ofWay: matches };
}

// Trailing spaces are dropped, except one after a backslash.
function withoutSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(line: string, at: number): boolean {
  let backslashes = 0;
  while (line[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
