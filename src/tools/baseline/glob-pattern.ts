// What a glob pattern means: where to look, and which ways from there match. Called by Glob and Grep.

import picomatch from 'picomatch';

/** A pattern, taken apart. */
export interface GlobPattern {
  /** The folders it begins with, before the first wildcard; '' where there are none. */
  readonly base: string;
  /** Whether a way from the base, with forward slashes, matches. */
  readonly matches: (way: string) => boolean;
  /** Whether a folder, by its way from the base, may hold matches. */
  readonly enters: (way: string) => boolean;
}

const wildcards = /[*?[\]{}()!+@\\|]/;

/**
 * Letter case counts on every platform. A pattern without a slash matches names in every folder, as in .gitignore. `*`,
 * `?` and `**` match no leading dot: hidden files and folders match only where the pattern has the dot. Brackets are
 * also tried as they stand: `app/[id]/page.tsx` is a real name in many projects.
 */
export function globPattern(pattern: string): GlobPattern {
  const parts = pattern.replace(/^(?:\.\/)+/, '').split('/');
  const firstWild = parts.findIndex((part) => wildcards.test(part));
  const isName = parts.length === 1;
  const baseLength = isName ? 0 : firstWild < 0 ? parts.length - 1 : firstWild;
  const base = parts.slice(0, baseLength).join('/');
  const rest = parts.slice(baseLength).join('/') || '**/*'; // a folder: all that is in it
  const own = isName ? `**/${rest}` : rest;
  const namesDot = namesHidden(rest);
  const isDeep = own.includes('**');
  const depth = own.split('/').length;
  return {
    base: pattern.startsWith('/') && base === '' && baseLength > 0 ? '/' : base,
    matches: matcherOf(own),
    enters: (way) => {
      if (!isDeep && !/[{(]/.test(own) && way.split('/').length >= depth) return false;
      return namesDot || !isHidden(way);
    },
  };
}

/** A test of whole ways, with the rules of `globPattern`. */
export function wayMatcher(pattern: string): (way: string) => boolean {
  const plain = pattern.replace(/^(?:\.\/)+/, '');
  return matcherOf(plain.includes('/') ? plain : `**/${plain}`);
}

function matcherOf(own: string): (way: string) => boolean {
  const escaped = own.replace(/[[\]()]/g, '\\$&');
  const matchers = [...new Set([own, escaped])].map((each) => picomatch(each, { nonegate: true }));
  return (way) => matchers.some((matches) => matches(way));
}

/** Whether a pattern names a hidden file or folder: one of its parts has the dot in front. */
export function namesHidden(pattern: string): boolean {
  return /(?:^|[/{,(|])\\?\.(?!\.?(?:\/|$))/.test(pattern);
}

/** Whether a part of the way begins with a dot. */
export function isHidden(way: string): boolean {
  return way.startsWith('.') || way.includes('/.');
}
