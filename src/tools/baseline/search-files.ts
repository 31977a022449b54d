// Searches without ripgrep: slower, with JavaScript's regular expressions. Called by Grep if the program is missing.

import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { braceAlternatives } from './brace-alternatives.ts';
import { fileKind } from './file-kind.ts';
import { namesHidden, isHidden } from './glob-pattern.ts';
import { contextOf, modeOf, type GrepArguments } from './grep-arguments.ts';
import { ignoreMatcher } from './ignore-matcher.ts';
import { createLineMatcher, type LineMatcher, type MatchedLine } from './line-matcher.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchLine } from './search-lines.ts';
import { detectEncoding } from './text-encoding.ts';
import { walkFiles, type Walked } from './walk-files.ts';

/** What to search. */
export interface FileSearch {
  readonly args: GrepArguments;
  /** As `ripgrepArguments` names it: relative to `folder`, or absolute. */
  readonly path: string;
  readonly folder: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly answer: SearchAnswer;
}

const maxFileBytes = 16 * 1024 * 1024;
const maxLineUnits = 500;
const leadUnits = 100;

// The endings of the types models ask for most; ripgrep knows hundreds.
const types: { readonly [name: string]: string } = {
  c: 'c h',
  cpp: 'cpp cc cxx hpp hh h',
  cs: 'cs',
  css: 'css scss',
  go: 'go',
  html: 'html htm',
  java: 'java',
  js: 'js jsx mjs cjs',
  json: 'json',
  md: 'md markdown mdx',
  php: 'php',
  py: 'py pyi',
  ruby: 'rb',
  rust: 'rs',
  sh: 'sh bash zsh',
  sql: 'sql',
  toml: 'toml',
  ts: 'ts tsx mts cts',
  txt: 'txt',
  xml: 'xml',
  yaml: 'yaml yml',
};

// The flags with which the pattern is a valid regular expression, or why it is invalid.
function expressionFlags(args: GrepArguments): string | { readonly fault: string } {
  const flags = `g${args['-i'] === true ? 'i' : ''}${args.multiline === true ? 's' : ''}m`;
  try {
    return new RegExp(args.pattern, `${flags}u`).flags;
  } catch {
    try {
      return new RegExp(args.pattern, flags).flags; // the looser syntax, such as \- outside of a class
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }
}

const partialNote = '[The time was up before all files were seen: the answer is partial.]';

/** Fills the answer. Returns the notes to add, or a fault in the request. */
export async function searchFiles(search: FileSearch): Promise<readonly string[] | { readonly fault: string }> {
  const { args, signal } = search;
  const flags = expressionFlags(args);
  if (typeof flags !== 'string') return flags;
  if (args.type !== undefined && !Object.hasOwn(types, args.type)) {
    return { fault: `The type ${args.type} is not known without ripgrep. Use glob instead.` };
  }
  const deadline = performance.now() + search.limitMs;
  const what = {
    source: args.pattern,
    flags,
    isMultiline: args.multiline === true,
    wantsParts: modeOf(args) === 'content' && args['-o'] === true,
  };
  const matcher = createLineMatcher(what, { deadline, signal });
  try {
    return await searchAll(search, matcher, deadline);
  } catch (error) {
    signal.throwIfAborted();
    return { fault: error instanceof Error ? error.message : String(error) };
  } finally {
    matcher.end();
  }
}

// Returns the notes to add.
async function searchAll(search: FileSearch, matcher: LineMatcher, deadline: number): Promise<readonly string[]> {
  const { path, folder, answer, signal } = search;
  const start = resolve(folder, path);
  const walked = await filesOf(search, start);
  const left = { large: 0, unreadable: 0 };
  const notes = (isPartial: boolean): string[] => [
    ...(left.large === 0
      ? []
      : [`[Files larger than ${maxFileBytes / 1024 ** 2} MiB were not searched: ${left.large}.]`]),
    ...(left.unreadable === 0 ? [] : [`[Files that could not be read: ${left.unreadable}.]`]),
    ...(isPartial ? [partialNote] : []),
  ];
  for (const way of walked.files.toSorted()) {
    signal.throwIfAborted();
    if (performance.now() > deadline) return notes(true);
    const named = way === '' ? path : path === '.' ? way : join(path, way);
    if (!answer.accepts(named)) continue;
    const text = await textOf(join(start, way));
    if (text === undefined) continue;
    if (text.type !== 'text') {
      left[text.type] += 1;
      continue;
    }
    const matched = await matcher.match(text.text);
    if (matched === undefined) return notes(true);
    if (matched.length > 0 && !collect(text.text, matched, named, search)) break;
  }
  return notes(walked.isPartial);
}

async function filesOf({ args, path, folder, limitMs, signal }: FileSearch, start: string): Promise<Walked> {
  if (!(await stat(start)).isDirectory()) return { files: [''], isPartial: false };
  const withHidden = namesHidden(path) || (args.glob !== undefined && namesHidden(args.glob));
  const endings = args.type === undefined ? [''] : (types[args.type] ?? '').split(' ').map((ending) => `.${ending}`);
  const isLeftOut = exclusion(args.glob);
  return await walkFiles({
    folder: start,
    top: folder,
    enters: (way) => (withHidden || !isHidden(way)) && !isLeftOut(way, true),
    takes: (way) =>
      (withHidden || !isHidden(way)) && endings.some((ending) => way.endsWith(ending)) && !isLeftOut(way, false),
    limitMs,
    signal,
  });
}

// A glob with a ! in front, as ripgrep reads it: lines of .gitignore.
function exclusion(glob: string | undefined): (way: string, isFolder: boolean) => boolean {
  if (glob?.startsWith('!') !== true) return () => false;
  const lines = braceAlternatives(glob.slice(1)) ?? [glob.slice(1)];
  const matcher = ignoreMatcher(lines.map((line) => line.replace(/^[#!]/, '\\$&')).join('\n'), true);
  return (way, isFolder) => matcher?.(way.slice(way.lastIndexOf('/') + 1), isFolder, () => way) === true;
}

// False once the answer wants no more.
function collect(text: string, matched: readonly MatchedLine[], path: string, { args, answer }: FileSearch): boolean {
  switch (modeOf(args)) {
    case 'files_with_matches':
      answer.addFile(path);
      return true;
    case 'count':
      answer.addCount(path, matched.length);
      return true;
    case 'content':
      return args['-o'] === true
        ? addParts(matched, path, answer)
        : addLines(text.replace(/\n$/, '').split('\n'), matched, path, args, answer);
  }
}

function addLines(
  lines: readonly string[],
  matched: readonly MatchedLine[],
  path: string,
  args: GrepArguments,
  answer: SearchAnswer,
): boolean {
  const { before, after } = contextOf(args);
  const starts = new Map(matched.map(({ index, at }) => [index, at]));
  let last = -1;
  for (const index of starts.keys()) {
    const first = Math.max(last + 1, index - before);
    if (before + after > 0 && first > last + 1) answer.addGap();
    if (last < 0 && before + after > 0) answer.addGap();
    for (let at = first; at <= Math.min(lines.length - 1, index + after); at++) {
      if (at > index && starts.has(at)) break; // it brings its own surroundings
      if (!answer.addLine(searchLine(path, at, lines[at] ?? '', starts.get(at)))) return false;
      last = at;
    }
  }
  return true;
}

function addParts(matched: readonly MatchedLine[], path: string, answer: SearchAnswer): boolean {
  return matched.every(({ index, parts }) => parts.every((part) => answer.addLine(searchLine(path, index, part, 0))));
}

function searchLine(path: string, index: number, line: string, matchAt: number | undefined): SearchLine {
  const text = line.replace(/\r$/, '');
  const common = { path, number: index + 1, isMatch: matchAt !== undefined };
  if (text.length <= maxLineUnits) return { ...common, text: text.toWellFormed() };
  const from = Math.max(0, (matchAt ?? 0) - leadUnits);
  const to = Math.min(text.length, from + maxLineUnits);
  const bytesBefore = Buffer.byteLength(text.slice(0, from));
  const part = text.slice(from, to).toWellFormed();
  const cut = { from: bytesBefore, to: bytesBefore + Buffer.byteLength(part), of: Buffer.byteLength(text) };
  return { ...common, text: part, cut };
}

// Undefined for anything that is not text.
async function textOf(
  path: string,
): Promise<{ type: 'text'; text: string } | { type: 'large' | 'unreadable' } | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) return { type: 'large' };
    const bytes = await readFile(path);
    if (fileKind(bytes).type !== 'text') return undefined;
    const codec = await detectEncoding(bytes, true);
    return { type: 'text', text: codec.view(bytes.subarray(codec.mark.length)) };
  } catch {
    return { type: 'unreadable' };
  }
}
