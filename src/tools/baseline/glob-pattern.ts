// What a glob pattern means: where to search, and which relative paths match. Called by Glob and Grep.

import { braceAlternatives, hasOpenBrace } from './brace-alternatives.ts';
import { wayPattern, type WayPattern } from './way-pattern.ts';

/** A pattern, taken apart. */
export interface GlobPattern {
  /** The folders before the first wildcard; '' if there are none. */
  readonly base: string;
  /** Whether a path relative to the base, with forward slashes, matches. */
  readonly matches: (way: string) => boolean;
  /** Whether a folder, by its path relative to the base, may contain matches. */
  readonly enters: (way: string) => boolean;
}

const wildcards = /[*?[\]{}\\]/;

/**
 * Letter case counts on every platform. A pattern without a slash matches names in every folder, as in .gitignore. `*`,
 * `?` and `**` match no leading dot: hidden files and folders match only where the pattern has the dot. Brackets are
 * also tried as they stand: `app/[id]/page.tsx` is a real name in many projects. Parentheses always stand for
 * themselves. Undefined where the braces stand for more than a thousand patterns.
 */
export function globPattern(pattern: string): GlobPattern | undefined {
  // A folder: all that is in it.
  const plain = pattern.replace(/^(?:\.\/)+/, '').replace(/\/$/, '/**/*');
  const parts = plain.split('/');
  const firstWild = parts.findIndex((part) => wildcards.test(part));
  const isName = parts.length === 1;
  const baseLength = isName ? 0 : firstWild < 0 ? parts.length - 1 : firstWild;
  const base = parts.slice(0, baseLength).join('/');
  const rest = parts.slice(baseLength).join('/');
  const own = patternsOf(isName ? `**/${rest}` : rest);
  if (own === undefined) return undefined;
  return {
    base: pattern.startsWith('/') && base === '' && baseLength > 0 ? '/' : base,
    matches: (way) => own.some((each) => each.matches(way)),
    enters: (way) => own.some((each) => each.enters(way)),
  };
}

/** A test of whole relative paths, with the rules of `globPattern`; undefined in the same cases. */
export function wayMatcher(pattern: string): ((way: string) => boolean) | undefined {
  const plain = pattern.replace(/^(?:\.\/)+/, '');
  const own = patternsOf(plain.includes('/') ? plain : `**/${plain}`);
  return own === undefined ? undefined : (way) => own.some((each) => each.matches(way));
}

/** The message about a pattern with too many alternatives. */
export const tooManyText = 'The braces of the pattern stand for more than 1000 patterns.';

/** A hint about a pattern that found nothing, as a sentence to add, or an empty string. */
export function globHint(pattern: string): string {
  const found: string[] = [];
  if (hasOpenBrace(pattern)) found.push('a { that is never closed');
  if (wayPattern(pattern, { ...globRules, hasClasses: true }).isOpen)
    found.push('a [ that is never closed or a \\ at the end');
  if (/[@!+*?]\(.*\)/.test(pattern)) found.push('parentheses, which group nothing here (use {a,b})');
  return found.length === 0 ? '' : ` The pattern has ${found.join(' and ')}: such characters stand for themselves.`;
}

const globRules = { dotsAreExplicit: true };

function patternsOf(pattern: string): readonly WayPattern[] | undefined {
  const kinds = pattern.includes('[') ? [true, false] : [true];
  return braceAlternatives(pattern)?.flatMap((each) =>
    kinds.map((hasClasses) => wayPattern(each, { ...globRules, hasClasses })),
  );
}

/** Whether a pattern names a hidden file or folder: one of its parts begins with a dot. */
export function namesHidden(pattern: string): boolean {
  return /(?:^|[/{,(|])\\?\.(?!\.?(?:\/|$))/.test(pattern);
}

/** Whether a part of the path begins with a dot. */
export function isHidden(way: string): boolean {
  return way.startsWith('.') || way.includes('/.');
}
