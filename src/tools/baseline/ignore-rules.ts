// The rules of .gitignore files, folder by folder, as git reads them. Called by the file walker.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';

import { ignoreMatcher, type IgnoreMatcher } from './ignore-matcher.ts';
import { targetStat } from './quiet-stat.ts';

/** Folders a walk does not enter, whatever the ignore files say; a walk can start in or below them. */
export const leftOutFolders: readonly string[] = ['.git', '.hg', '.svn', '.jj', 'node_modules'];

/** The rules that hold in one folder: its own files' and those of the folders above it, the nearest first. */
export interface IgnoreRules {
  readonly folder: string;
  readonly above: IgnoreRules | undefined;
  readonly matcher: IgnoreMatcher | undefined;
}

// As in ripgrep, .ignore files count as well and override .gitignore.
const ruleFiles = ['.gitignore', '.ignore'];
const maxFileBytes = 4 * 1024 * 1024;
const caseCounts = process.platform !== 'win32' && process.platform !== 'darwin';

/**
 * The root of the repository a folder lies in: the nearest folder upwards with a `.git`; undefined where there is none.
 */
export function repositoryRoot(folder: string): string | undefined {
  for (let each = folder; ; each = dirname(each)) {
    if (existsSync(join(each, '.git'))) return each;
    if (dirname(each) === each) return undefined;
  }
}

/**
 * The rules for a walk that starts at `folder`: its own, those of the folders above it up to the repository's root (or,
 * outside of any, up to `top`), of `.git/info/exclude` and of git's default global file. The start itself is never
 * ignored.
 */
export function rulesAt(folder: string, top: string): IgnoreRules {
  const root = repositoryRoot(folder);
  const chain = foldersBetween(root ?? top, folder);
  let rules: IgnoreRules = { folder: chain[0] ?? folder, above: undefined, matcher: matcherOf(globalRules()) };
  if (root !== undefined) {
    rules = { folder: root, above: rules, matcher: matcherOf([textOf(join(root, '.git', 'info', 'exclude'))]) };
  }
  for (const each of chain) rules = rulesBelow(rules, each, ruleFiles);
  return rules;
}

// From `top` down to `folder`; only `folder` where it does not lie in it.
function foldersBetween(top: string, folder: string): string[] {
  const chain = [folder];
  for (let each = folder; each !== top; each = dirname(each)) {
    if (dirname(each) === each) return [folder];
    chain.unshift(dirname(each));
  }
  return chain;
}

/** The rules inside a folder; `names` are the entries of the folder, which say if it has rules of its own. */
export function rulesBelow(rules: IgnoreRules, folder: string, names: readonly string[]): IgnoreRules {
  const own = ruleFiles.filter((name) => names.includes(name));
  if (own.length === 0) return rules;
  const matcher = matcherOf(own.map((name) => textOf(join(folder, name))));
  return matcher === undefined ? rules : { folder, above: rules, matcher };
}

/**
 * Whether an entry of a folder that is not itself left out is left out. The nearest rule that says something decides.
 */
export function isIgnored(rules: IgnoreRules, path: string, name: string, isFolder: boolean): boolean {
  for (let each: IgnoreRules | undefined = rules; each !== undefined; each = each.above) {
    const { folder, matcher } = each;
    const verdict = matcher?.(name, isFolder, () => wayFrom(folder, path));
    if (verdict !== undefined) return verdict;
  }
  return false;
}

function wayFrom(folder: string, path: string): string {
  const way = path.slice(folder.endsWith(sep) ? folder.length : folder.length + 1);
  return sep === '/' ? way : way.split(sep).join('/');
}

function matcherOf(texts: readonly string[]): IgnoreMatcher | undefined {
  return ignoreMatcher(texts.join('\n'), caseCounts);
}

function globalRules(): string[] {
  const base = process.env['XDG_CONFIG_HOME'];
  const folder = base === undefined || base === '' ? join(homedir(), '.config') : base;
  return [textOf(join(folder, 'git', 'ignore'))];
}

// Anything that is not a regular file (such as a pipe that never ends) or is unreasonably large has no rules.
function textOf(path: string): string {
  try {
    const stat = targetStat(path);
    if (stat === undefined || !stat.isFile() || stat.size > maxFileBytes) return '';
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    return ''; // closed
  }
}
