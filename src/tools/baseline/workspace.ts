// The part of the file system the tools may touch: roots, read-only roots and denied patterns, with paths made
// canonical. Every baseline tool that takes a path asks here first.

import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

import { invalidOption } from '../../contracts/option-table.ts';
import { canonicalPath, isWithin } from './canonical-path.ts';
import { ignoreMatcher } from './ignore-matcher.ts';
import { pathFault } from './path-fault.ts';

/** Where the tools may work. Paths in options may be relative to `cwd`. */
export interface WorkspaceOptions {
  /** The base of the model's relative paths. Absolute. */
  readonly cwd: string;
  /** Folders the tools may read and change. Default: `[cwd]`. */
  readonly roots?: readonly string[];
  /** Folders the tools may only read. Of nested roots, the innermost decides. */
  readonly readOnlyRoots?: readonly string[];
  /**
   * What the tools may neither read nor change: patterns as in .gitignore, relative to each root, letter case ignored;
   * `!` allows again. Default: `defaultDenied`; `[]` denies nothing.
   */
  readonly denied?: readonly string[];
}

/** Secrets, and files that make other programs run commands. */
export const defaultDenied: readonly string[] = [
  '.env',
  '.env.*',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '**/.git/hooks',
  '**/.git/config',
  '.ssh',
  '.gnupg',
  '.netrc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
];

/** What a path may be used for. */
export type PathUse = 'read' | 'write';

/** A path the tools may use, or a refusal for the model that reveals nothing about what lies outside. */
export type ResolvedPath =
  | {
      readonly type: 'path';
      /** Canonical and absolute. */ readonly path: string;
      /** As the model wrote it. */ readonly shown: string;
    }
  | { readonly type: 'refused'; readonly message: string };

/** Answers what the tools may touch. */
export interface Workspace {
  readonly cwd: string;
  /** The canonical path of what the model named, with links followed even if the last parts do not exist yet. */
  readonly resolve: (named: string, use: PathUse) => Promise<ResolvedPath>;
  /** For walkers, one per walk: a test that is true for canonical paths that are denied or lie outside every root. */
  readonly hiddenPaths: () => (path: string) => boolean;
}

interface Root {
  readonly path: string;
  readonly writable: boolean;
}

// Their entries are not ordinary files: reading can block, change things or never end.
const specialTrees = ['/proc', '/sys', '/dev'];

/** Throws `options.invalid` when `cwd` is not absolute. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  // For callers without types: a missing cwd is reported like a wrong one.
  if (typeof options.cwd !== 'string' || !isAbsolute(options.cwd)) {
    throw invalidOption('cwd', 'an absolute path', options.cwd);
  }
  const cwd = resolve(options.cwd);
  const named = [
    ...(options.roots ?? [cwd]).map((path) => ({ path: resolve(cwd, path), writable: true })),
    ...(options.readOnlyRoots ?? []).map((path) => ({ path: resolve(cwd, path), writable: false })),
  ];
  const denied = options.denied ?? defaultDenied;
  const matcher = ignoreMatcher(denied.map((pattern) => withinRoot(pattern, named)).join('\n'), false);

  // Asked each time: a root may be created, or be a link that moves.
  const roots = (): Root[] => named.map(({ path, writable }) => ({ path: realOr(path), writable }));
  const isDeniedWay = (way: string, isFolder: boolean): boolean => {
    const names = way === '' ? [] : way.split('/');
    return names.some(
      (name, index) =>
        matcher?.(name, isFolder || index < names.length - 1, () => names.slice(0, index + 1).join('/')) === true,
    );
  };
  const isDenied = (path: string, root: string): boolean => isDeniedWay(wayWithin(path, root), false);
  const outside = (shown: string): ResolvedPath => {
    const present = named.filter(({ path, writable }) => writable || existsSync(path));
    const list = present.map(({ path, writable }) => (writable ? path : `${path} (read only)`)).join(', ');
    return { type: 'refused', message: `${shown} is outside the folders the tools may use: ${list}.` };
  };

  const resolvePath = async (name: string, use: PathUse): Promise<ResolvedPath> => {
    const shown = shortened(name);
    const fault = pathFault(name, process.platform);
    if (fault !== undefined) return { type: 'refused', message: `${shown} cannot be used as a path: ${fault}.` };
    const lexical = resolve(cwd, name);
    const found = await canonicalPath(lexical);
    const known = roots();
    const root = innermost(known, found.path);
    if (root === undefined || isSpecial(found.path, root.path)) return outside(shown);
    const spelledRoot = innermost(named, lexical) ?? innermost(known, lexical);
    if (
      known.some(({ path }) => isWithin(found.path, path) && isDenied(found.path, path)) ||
      (spelledRoot !== undefined && isDenied(lexical, spelledRoot.path))
    ) {
      return { type: 'refused', message: `${shown} is denied: the tools may neither read nor change it.` };
    }
    if (found.fault !== undefined) return { type: 'refused', message: `${shown} cannot be reached: ${found.fault}.` };
    if (use === 'write' && !root.writable) {
      return { type: 'refused', message: `${shown} lies in a folder the tools may only read: ${root.path}.` };
    }
    return { type: 'path', path: found.path, shown };
  };

  return {
    cwd,
    resolve: resolvePath,
    hiddenPaths: () => {
      const known = roots();
      const isHidden = (path: string): boolean => {
        const root = innermost(known, path);
        if (root === undefined || isSpecial(path, root.path)) return true;
        return known.some((each) => isWithin(path, each.path) && isDenied(path, each.path));
      };
      // Walks ask for many files of each folder.
      const testIn = (folder: string): ((name: string) => boolean) => {
        const root = innermost(known, folder);
        if (root === undefined) return (name) => isHidden(folder + sep + name); // a root may lie in it
        const ways = known.filter(({ path }) => isWithin(folder, path)).map(({ path }) => wayWithin(folder, path));
        if (isSpecial(folder, root.path) || ways.some((way) => isDeniedWay(way, true))) return () => true;
        const starts = ways.map((way) => (way === '' ? '' : `${way}/`));
        return (name) => starts.some((start) => matcher?.(name, false, () => start + name) === true);
      };
      const tests = new Map<string, (name: string) => boolean>();
      return (path) => {
        const end = path.lastIndexOf(sep);
        if (end <= 0) return isHidden(path);
        const folder = path.slice(0, end);
        let test = tests.get(folder);
        if (test === undefined) tests.set(folder, (test = testIn(folder)));
        return test(path.slice(end + 1));
      };
    },
  };
}

// With forward slashes; '' for the root itself and outside of it.
function wayWithin(path: string, root: string): string {
  const way = relative(root, path).split(sep).join('/');
  return way === '..' || way.startsWith('../') ? '' : way;
}

// Of two roots at the same path the later, read-only one wins.
function innermost<Candidate extends Root>(roots: readonly Candidate[], path: string): Candidate | undefined {
  let best: Candidate | undefined;
  for (const root of roots) {
    if (isWithin(path, root.path) && root.path.length >= (best?.path.length ?? 0)) best = root;
  }
  return best;
}

function isSpecial(path: string, root: string): boolean {
  return specialTrees.some((tree) => isWithin(path, tree) && !isWithin(root, tree));
}

// An absolute pattern inside a root means that place, not a place below every root.
function withinRoot(pattern: string, roots: readonly Root[]): string {
  const negated = pattern.startsWith('!');
  const body = negated ? pattern.slice(1) : pattern;
  if (!isAbsolute(body)) return pattern;
  const root = innermost(roots, body);
  if (root === undefined) return pattern;
  return `${negated ? '!' : ''}/${relative(root.path, body).split(sep).join('/')}`;
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function shortened(name: string): string {
  const printable = name.replace(
    /\p{Cc}/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return printable.length > 300 ? `${printable.slice(0, 300).toWellFormed()}…` : printable.toWellFormed();
}
