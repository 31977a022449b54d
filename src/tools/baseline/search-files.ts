// Searches without ripgrep: slower, with JavaScript's regular expressions. Called by Grep where the program is missing.

import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import ignore from 'ignore';

import { fileKind } from './file-kind.ts';
import { namesHidden, isHidden, wayMatcher } from './glob-pattern.ts';
import { contextOf, modeOf, type GrepArguments } from './grep-arguments.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { SearchLine } from './search-lines.ts';
import { detectEncoding } from './text-encoding.ts';
import { walkFiles } from './walk-files.ts';

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

// The types models ask for most; ripgrep knows hundreds.
const types: { readonly [name: string]: string } = {
  c: '*.{c,h}',
  cpp: '*.{cpp,cc,cxx,hpp,hh,h}',
  cs: '*.cs',
  css: '*.{css,scss}',
  go: '*.go',
  html: '*.{html,htm}',
  java: '*.java',
  js: '*.{js,jsx,mjs,cjs}',
  json: '*.json',
  md: '*.{md,markdown,mdx}',
  php: '*.php',
  py: '*.{py,pyi}',
  ruby: '*.rb',
  rust: '*.rs',
  sh: '*.{sh,bash,zsh}',
  sql: '*.sql',
  toml: '*.toml',
  ts: '*.{ts,tsx,mts,cts}',
  txt: '*.txt',
  xml: '*.xml',
  yaml: '*.{yaml,yml}',
};

// The regular expression, or why there is none.
function searchExpression(args: GrepArguments): RegExp | { readonly fault: string } {
  const flags = `g${args['-i'] === true ? 'i' : ''}${args.multiline === true ? 's' : ''}m`;
  try {
    return new RegExp(args.pattern, `${flags}u`);
  } catch {
    try {
      return new RegExp(args.pattern, flags); // the looser syntax, as \- outside of a class
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Fills the answer. Returns the notes to add, or a fault in the request. */
export async function searchFiles(search: FileSearch): Promise<readonly string[] | { readonly fault: string }> {
  const { args, folder, path, answer, signal } = search;
  const expression = searchExpression(args);
  if (!(expression instanceof RegExp)) return expression;
  const type = args.type === undefined ? undefined : types[args.type];
  if (args.type !== undefined && type === undefined) {
    return { fault: `The type ${args.type} is not known without ripgrep. Use glob instead.` };
  }
  const deadline = performance.now() + search.limitMs;
  const start = resolve(folder, path);
  const isFolder = (await stat(start)).isDirectory();
  const withHidden = namesHidden(path) || (args.glob !== undefined && namesHidden(args.glob));
  const ofType = type === undefined ? () => true : wayMatcher(type);
  // As ripgrep reads it: a line of .gitignore.
  const exclusion = ignore({ ignorecase: false }).add(args.glob?.startsWith('!') === true ? args.glob.slice(1) : '');
  const walked = isFolder
    ? await walkFiles({
        folder: start,
        top: folder,
        enters: (way) => withHidden || !isHidden(way),
        takes: (way) => (withHidden || !isHidden(way)) && ofType(way) && !exclusion.ignores(way),
        limitMs: search.limitMs,
        signal,
      })
    : { files: [''], isPartial: false };
  let isPartial = walked.isPartial;
  for (const way of walked.files.toSorted()) {
    signal.throwIfAborted();
    if (performance.now() > deadline) {
      isPartial = true;
      break;
    }
    const named = way === '' ? path : path === '.' ? way : join(path, way);
    if (!answer.accepts(named)) continue;
    const text = await textOf(join(start, way));
    if (text !== undefined && !collect(text, named, expression, search)) break;
  }
  return isPartial ? ['[The time was up before all files were seen: the answer is partial.]'] : [];
}

// False once the answer wants no more.
function collect(text: string, path: string, expression: RegExp, { args, answer }: FileSearch): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  const matched = matchedLines(text, lines, expression, args.multiline === true);
  if (matched.size === 0) return true;
  switch (modeOf(args)) {
    case 'files_with_matches':
      answer.addFile(path);
      return true;
    case 'count':
      answer.addCount(path, matched.size);
      return true;
    case 'content':
      return args['-o'] === true
        ? addParts(lines, matched, path, expression, answer)
        : addLines(lines, matched, path, args, answer);
  }
}

// The index of each line with a match, and where in it the match begins.
function matchedLines(
  text: string,
  lines: readonly string[],
  expression: RegExp,
  isMultiline: boolean,
): ReadonlyMap<number, number> {
  const matched = new Map<number, number>();
  if (text === '') return matched;
  if (!isMultiline) {
    for (const [index, line] of lines.entries()) {
      expression.lastIndex = 0;
      const found = expression.exec(line.replace(/\r$/, ''));
      if (found !== null) matched.set(index, found.index);
    }
    return matched;
  }
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  let index = 0;
  for (const found of text.matchAll(expression)) {
    const end = found.index + Math.max(1, found[0].length);
    while (index + 1 < lines.length && (starts[index + 1] ?? 0) <= found.index) index++;
    for (let at = index; at < lines.length && (starts[at] ?? 0) < end; at++) {
      if (!matched.has(at)) matched.set(at, at === index ? found.index - (starts[at] ?? 0) : 0);
    }
  }
  return matched;
}

function addLines(
  lines: readonly string[],
  matched: ReadonlyMap<number, number>,
  path: string,
  args: GrepArguments,
  answer: SearchAnswer,
): boolean {
  const { before, after } = contextOf(args);
  let last = -1;
  for (const index of matched.keys()) {
    const first = Math.max(last + 1, index - before);
    if (before + after > 0 && first > last + 1) answer.addGap();
    if (last < 0 && before + after > 0) answer.addGap();
    for (let at = first; at <= Math.min(lines.length - 1, index + after); at++) {
      if (at > index && matched.has(at)) break; // it brings its own surroundings
      if (!answer.addLine(searchLine(path, at, lines[at] ?? '', matched.get(at)))) return false;
      last = at;
    }
  }
  return true;
}

function addParts(
  lines: readonly string[],
  matched: ReadonlyMap<number, number>,
  path: string,
  expression: RegExp,
  answer: SearchAnswer,
): boolean {
  for (const index of matched.keys()) {
    for (const [part] of (lines[index] ?? '').matchAll(expression)) {
      if (part !== '' && !answer.addLine(searchLine(path, index, part, 0))) return false;
    }
  }
  return true;
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

// Undefined for what is no text, too large or closed.
async function textOf(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) return undefined;
    const bytes = await readFile(path);
    if (fileKind(bytes).type !== 'text') return undefined;
    const codec = await detectEncoding(bytes, true);
    return codec.view(bytes.subarray(codec.mark.length));
  } catch {
    return undefined;
  }
}
