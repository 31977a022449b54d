// A pattern for a whole relative path: parts between slashes, ** for any number of folders (at the end: for all that is
// in one). Used for globs and for ignore files.

import { namePattern, type NamePattern } from './name-pattern.ts';

/** A pattern, taken apart. */
export interface WayPattern {
  readonly matches: (way: string) => boolean;
  /** Whether something below this folder may match. */
  readonly enters: (way: string) => boolean;
  /** See `NamePattern`. */
  readonly isOpen: boolean;
}

/** How it is read. */
export interface WayRules {
  /** A dot at the beginning of a name is matched only by a dot in the pattern. */
  readonly dotsAreExplicit: boolean;
  /** Brackets make classes; otherwise they are literal. */
  readonly hasClasses: boolean;
}

type Part = NamePattern | 'deep';

/** Paths have forward slashes and none at either end. The time is bounded by the product of both lengths. */
export function wayPattern(pattern: string, rules: WayRules): WayPattern {
  const parts = pattern
    .split('/')
    .filter((part, index, all) => !(part === '**' && all[index - 1] === '**'))
    .map((part): Part => (part === '**' ? 'deep' : namePattern(part, rules.hasClasses)));
  const isOpen = parts.some((part) => part !== 'deep' && part.isOpen);
  const [first, second] = parts;
  const last = parts.at(-1);
  const reached = (way: string): ReadonlySet<number> => positionsAfter(parts, way.split('/'), rules);
  return {
    isOpen,
    enters: (way) =>
      (first === 'deep' && !(rules.dotsAreExplicit && isHidden(way))) ||
      [...reached(way)].some((position) => position < parts.length),
    matches:
      parts.length === 2 && first === 'deep' && second !== undefined && second !== 'deep'
        ? (way) => isNameMatch(second, way, rules)
        : (way) =>
            (last === undefined || last === 'deep' || last.matches(way.slice(way.lastIndexOf('/') + 1))) &&
            reached(way).has(parts.length),
  };
}

function isHidden(way: string): boolean {
  return way.startsWith('.') || way.includes('/.');
}

// A name in any folder: by far the most frequent pattern.
function isNameMatch(part: NamePattern, way: string, { dotsAreExplicit }: WayRules): boolean {
  const name = way.slice(way.lastIndexOf('/') + 1);
  if (dotsAreExplicit) {
    if (!part.hasLeadingDot && name.startsWith('.')) return false;
    if (way.length > name.length && (way.startsWith('.') || way.lastIndexOf('/.', way.length - name.length - 2) >= 0))
      return false;
  }
  return part.matches(name);
}

// How many parts of the pattern may be used up once the names are.
function positionsAfter(parts: readonly Part[], names: readonly string[], rules: WayRules): ReadonlySet<number> {
  const end = parts.length - 1;
  let positions = new Set<number>();
  const reach = (set: Set<number>, position: number): void => {
    set.add(position);
    if (parts[position] === 'deep' && position < end) set.add(position + 1);
  };
  reach(positions, 0);
  for (const name of names) {
    const isHidden = rules.dotsAreExplicit && name.startsWith('.');
    const next = new Set<number>();
    for (const position of positions) {
      const part = parts[position];
      if (part === 'deep') {
        if (isHidden) continue;
        reach(next, position);
        if (position === end) next.add(position + 1);
      } else if (part !== undefined && (!isHidden || part.hasLeadingDot) && part.matches(name))
        reach(next, position + 1);
    }
    if (next.size === 0) return next;
    positions = next;
  }
  return positions;
}
