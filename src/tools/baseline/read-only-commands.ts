// The commands that run without asking: they tell names, sizes and states, never what is in files, and change nothing.
// What is in files is for Read and Grep, which know what they may show.

import { commandLine, type SimpleCommand } from './command-words.ts';

type Rule = (args: readonly string[], hasWildcards: boolean) => boolean;

const countOption = /^-(?:n ?)?\d{1,6}$/;
const flags = (letters: string): RegExp => new RegExp(`^-[${letters}]+$`);

// Relative and downwards: no absolute path, no home, no "..".
function isInside(word: string): boolean {
  return word !== '' && !word.startsWith('-') && !/^[/~]|^[A-Za-z]:/.test(word) && !word.split('/').includes('..');
}

const none: Rule = (args) => args.length === 0;
const only =
  (...allowed: readonly RegExp[]): Rule =>
  (args, hasWildcards) =>
    !hasWildcards && args.every((word) => allowed.some((pattern) => pattern.test(word)));
// A wildcard may turn into words that look like options; only a command none of whose options does harm may have one.
const withPaths =
  (option: RegExp, mayHaveWildcards: boolean): Rule =>
  (args, hasWildcards) =>
    (mayHaveWildcards || !hasWildcards) && args.every((word) => word === '--' || option.test(word) || isInside(word));
const version: Rule = (args) => args.length === 1 && (args[0] === '--version' || args[0] === '-v');
// Python's -v is not its version: it reads a program from standard input.
const pythonVersion: Rule = (args) => args.length === 1 && (args[0] === '--version' || args[0] === '-V');
// head and tail as filters: a number of lines, no file, no following.
const lineCount: Rule = (args, hasWildcards) =>
  !hasWildcards &&
  (args.length === 0 ||
    (args.length === 1 && countOption.test(args[0] ?? '')) ||
    (args.length === 2 && args[0] === '-n' && /^\d{1,6}$/.test(args[1] ?? '')));

const git: { readonly [subcommand: string]: Rule } = {
  status: only(/^(?:-s|-b|-sb|--short|--branch|--porcelain)$/),
  log: only(/^(?:--oneline|--graph|--decorate|--all|--stat|--name-only|--name-status|-\d{1,6}|-n\d{1,6})$/),
  diff: (args, hasWildcards) =>
    args.some((word) => /^--(?:stat|name-only|name-status)$/.test(word)) &&
    only(/^--(?:stat|name-only|name-status|cached|staged)$/)(args, hasWildcards),
  branch: only(/^(?:--show-current|-a|-r|-v|-vv|--list)$/),
  'rev-parse': only(/^(?:HEAD|--show-toplevel|--abbrev-ref|--short)$/),
};

const rules: { readonly [name: string]: Rule } = {
  pwd: none,
  whoami: none,
  true: none,
  false: none,
  uname: only(flags('amnrsv')),
  date: only(/^-u$/, /^\+[A-Za-z0-9%:_. -]*$/),
  echo: (_args, hasWildcards) => !hasWildcards,
  ls: withPaths(flags('1AaCFGhlRrSstUxi'), true),
  wc: withPaths(flags('clmwL'), false),
  du: withPaths(flags('achks'), false),
  head: lineCount,
  tail: lineCount,
  sort: only(flags('bdfnru')),
  uniq: only(flags('cdiu')),
  node: version,
  npm: version,
  python: pythonVersion,
  python3: pythonVersion,
  git: ([subcommand = '', ...args], hasWildcards) =>
    subcommand === '--version'
      ? args.length === 0
      : Object.hasOwn(git, subcommand) && (git[subcommand]?.(args, hasWildcards) ?? false),
};

/** The programs that may run without asking, for the tool's documentation. */
export const readOnlyPrograms: readonly string[] = Object.keys(rules);

/** True only for commands all of whose parts are on the list with arguments known to be harmless. */
export function isReadOnlyCommand(command: string): boolean {
  const line = commandLine(command);
  return line !== undefined && line.commands.every(isListed);
}

function isListed({ words: [name = '', ...args], hasWildcards }: SimpleCommand): boolean {
  return Object.hasOwn(rules, name) && (rules[name]?.(args, hasWildcards) ?? false);
}
