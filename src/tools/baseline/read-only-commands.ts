// The commands that run without approval: they show names, sizes and states, never what is in files, and change
// nothing. What is in files is for Read and Grep, which know what they may show. Nothing here runs a program that a
// file in the workspace can name. So no `git status`, `log` or `diff`: the configuration of a repository may name
// programs they run (core.fsmonitor, filters, hooks, gpg.program, remotes of missing objects), and no setting turns all
// of them off. And no `node --version`: where a version manager answers for it, files in the folder say what runs.

import { commandLine, type SimpleCommand } from './command-words.ts';

type Rule = (args: readonly string[], hasWildcards: boolean) => boolean;

const countOption = /^-(?:n ?)?\d{1,6}$/;
const flags = (letters: string): RegExp => new RegExp(`^-[${letters}]+$`);

// Relative and downwards: no absolute path, no home, no "..".
function isInside(word: string): boolean {
  return word !== '' && !word.startsWith('-') && !/^[/~]|^[A-Za-z]:/.test(word) && !word.split('/').includes('..');
}

const none: Rule = (args) => args.length === 0;
const exactly =
  (...wanted: readonly string[]): Rule =>
  (args) =>
    args.length === wanted.length && args.every((word, index) => word === wanted[index]);
const only =
  (...allowed: readonly RegExp[]): Rule =>
  (args, hasWildcards) =>
    !hasWildcards && args.every((word) => allowed.some((pattern) => pattern.test(word)));
// A wildcard may expand to words that look like options; only a command without harmful options may have one.
const withPaths =
  (option: RegExp, mayHaveWildcards: boolean): Rule =>
  (args, hasWildcards) =>
    (mayHaveWildcards || !hasWildcards) && args.every((word) => word === '--' || option.test(word) || isInside(word));
// head and tail as filters: a number of lines, no file, no following.
const lineCount: Rule = (args, hasWildcards) =>
  !hasWildcards &&
  (args.length === 0 ||
    (args.length === 1 && countOption.test(args[0] ?? '')) ||
    (args.length === 2 && args[0] === '-n' && /^\d{1,6}$/.test(args[1] ?? '')));

// They read references, and neither the index nor objects.
const git: { readonly [subcommand: string]: Rule } = {
  '--version': none,
  branch: exactly('--show-current'),
  'rev-parse': (args, hasWildcards) =>
    exactly('HEAD')(args, hasWildcards) ||
    exactly('--show-toplevel')(args, hasWildcards) ||
    exactly('--abbrev-ref', 'HEAD')(args, hasWildcards),
};

// Built into the shell: no file can replace them.
const builtins = new Set(['pwd', 'true', 'false', 'echo']);

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
  git: ([subcommand = '', ...args], hasWildcards) =>
    Object.hasOwn(git, subcommand) && (git[subcommand]?.(args, hasWildcards) ?? false),
};

/** The programs that may run without approval, for the tool's documentation. */
export const readOnlyPrograms: readonly string[] = Object.keys(rules);

/**
 * True only for commands all of whose parts are on the list with arguments known to be harmless. `isTrusted` is asked
 * of each program that is a file (see `findsProgramsOutside`); without it, every name is taken for the program of that
 * name.
 */
export function isReadOnlyCommand(command: string, isTrusted: (program: string) => boolean = () => true): boolean {
  const line = commandLine(command);
  return line !== undefined && line.commands.every((each) => isListed(each) && isTheProgram(each, isTrusted));
}

function isListed({ words: [name = '', ...args], hasWildcards }: SimpleCommand): boolean {
  return Object.hasOwn(rules, name) && (rules[name]?.(args, hasWildcards) ?? false);
}

function isTheProgram({ words: [name = ''] }: SimpleCommand, isTrusted: (program: string) => boolean): boolean {
  return builtins.has(name) || isTrusted(name);
}
