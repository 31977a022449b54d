// What the text of one ignore file leaves out, as git reads it. Pure; called for the rules of a folder.

import { namePattern } from './name-pattern.ts';
import { wayPattern } from './way-pattern.ts';

/** True: left out; false: let in again; undefined: nothing is said. `way` is asked for only where a rule needs more than the name. */
export type IgnoreMatcher = (name: string, isFolder: boolean, way: () => string) => boolean | undefined;

interface Rule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  readonly ofName?: (name: string) => boolean;
  readonly ofWay?: (way: string) => boolean;
}

const wayRules = { dotsAreExplicit: false, hasClasses: true };

/** The last rule that fits decides. Undefined where the text holds none. It says nothing about what is in a folder it leaves out. */
export function ignoreMatcher(text: string, caseCounts: boolean): IgnoreMatcher | undefined {
  const folded = (part: string): string => (caseCounts ? part : part.toLowerCase());
  const rules = text
    .split('\n')
    .flatMap((line) => ruleOf(folded(line)) ?? [])
    .toReversed();
  if (rules.length === 0) return undefined;
  return (name, isFolder, way) => {
    const own = folded(name);
    let whole: string | undefined;
    for (const { isNegated, isForFolders, ofName, ofWay } of rules) {
      if (isForFolders && !isFolder) continue;
      if (ofName?.(own) === true || ofWay?.((whole ??= folded(way()))) === true) return !isNegated;
    }
    return undefined;
  };
}

function ruleOf(line: string): Rule | undefined {
  let pattern = withoutSpaces(line.replace(/\r$/, ''));
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith('/');
  if (isForFolders) pattern = pattern.slice(0, -1);
  if (pattern === '') return undefined;
  const common = { isNegated, isForFolders };
  if (!pattern.includes('/')) {
    const { matches, isOpen } = namePattern(pattern);
    return isOpen ? undefined : { ...common, ofName: matches };
  }
  const { matches, isOpen } = wayPattern(pattern.replace(/^\//, ''), wayRules);
  return isOpen ? undefined : { ...common, ofWay: matches };
}

// Spaces at the end go, but for one behind a backslash.
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
