// The Grep tool: searches the contents of files with ripgrep, or without it if it is not installed.

import { lstat } from 'node:fs/promises';
import { basename, isAbsolute, resolve, sep } from 'node:path';

import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { errorCodeOf } from './file-errors.ts';
import { findRipgrep } from './find-ripgrep.ts';
import { globHint, isHidden, namesHidden, tooManyText, wayMatcher } from './glob-pattern.ts';
import { grepSchema, modeOf, ripgrepArguments, type GrepArguments } from './grep-arguments.ts';
import { repositoryRoot } from './ignore-rules.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { missingFileText } from './name-suggestions.ts';
import { runRipgrep } from './run-ripgrep.ts';
import { createSearchAnswer, type SearchAnswer } from './search-answer.ts';
import { searchFiles } from './search-files.ts';
import { createSearchLineReader } from './search-lines.ts';
import { printablePath, realOr, shownPath } from './shown-path.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

/** Options of Grep. */
export interface GrepOptions extends WorkspaceOptions {
  /** Finds the program. Default: the one of the optional dependency `@vscode/ripgrep`. */
  readonly ripgrep?: () => Promise<string | undefined>;
  /** After this many milliseconds it returns what it has found so far. Default 30,000. */
  readonly grepLimitMs?: number;
}

const defaultLimitMs = 30_000;
const partialNote = '[The time was up before all files were seen: the answer is partial.]';

const description = `Searches the contents of files for a regular expression, with ripgrep.
- The syntax is ripgrep's: literal braces are escaped (interface\\{\\}); look-around and backreferences work. A match stays within a line unless multiline is true.
- output_mode: files_with_matches (default) lists paths, the newest first; content shows the matching lines; count their number per file.
- Hidden files are searched only where path or glob names the dot, as .github; node_modules and what .gitignore leaves out are left out unless path leads into them.
- head_limit and offset page through long answers. Long lines are shown as a stretch around the match.`;

/** Grep: runs in parallel, never needs approval, may be run again after a crash. */
export function grepTool(options: GrepOptions): Tool {
  const workspace = createWorkspace(options);
  const find = options.ripgrep ?? findRipgrep;
  return defineTool({
    name: 'Grep',
    description,
    parameters: lenientArguments<GrepArguments>(grepSchema),
    isConcurrencySafe: true,
    needsApproval: false,
    replay: 'safe',
    execute: async (args, { signal }) => {
      if (args.pattern.includes('\0'))
        return ToolResult.error('The pattern holds a NUL character; text files have none.');
      if ((args.glob?.length ?? 0) > 2000) return ToolResult.error('The glob is longer than 2000 characters.');
      const named = args.path === undefined || args.path === '' ? '.' : args.path;
      const found = await workspace.resolve(named, 'read');
      if (found.type === 'refused') return ToolResult.error(found.message);
      const fault = await pathFault(workspace, found.path, found.shown);
      if (fault !== undefined) return ToolResult.error(fault);
      const folder = realOr(workspace.cwd);
      const path = shownPath(workspace, found.path);
      const isWanted = wanted(workspace, { args, folder, path });
      if (isWanted === undefined) return ToolResult.error(tooManyText);
      const answer = createSearchAnswer(args, folder, isWanted);
      const search = { args, folder, path, answer, signal, limitMs: options.grepLimitMs ?? defaultLimitMs };
      const program = await find();
      const notes = program === undefined ? await searchFiles(search) : await searchWithRipgrep(program, search);
      if ('fault' in notes) return ToolResult.error(notes.fault);
      const hints = [...notes, ...(program === undefined ? [withoutNote] : [])];
      if (args.multiline !== true && /\n|\\n/.test(args.pattern)) hints.push(lineEndNote);
      const odd =
        args.glob === undefined || !answer.isEmpty() ? '' : globHint(args.glob).replace('The pattern', 'The glob');
      if (odd !== '') hints.push(`[${odd.trim()}]`);
      return ToolResult.text(answer.text(hints));
    },
  });
}

const withoutNote =
  '[Searched without ripgrep, which is not installed here: slower, with JavaScript regular expressions.]';

const lineEndNote =
  '[A match stays within a line, and the pattern has a line end: set multiline to true to match over lines.]';

interface Search {
  readonly args: GrepArguments;
  readonly folder: string;
  readonly path: string;
  readonly answer: SearchAnswer;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

async function searchWithRipgrep(
  program: string,
  search: Search,
): Promise<readonly string[] | { readonly fault: string }> {
  const { args, folder, path, answer, signal } = search;
  const isRepository = repositoryRoot(resolve(folder, path)) !== undefined;
  const take = modeOf(args) === 'content' ? lineTaker(answer) : nameTaker(args, answer);
  const end = await runRipgrep({
    program,
    args: ripgrepArguments(args, { path, isRepository }),
    folder,
    limitMs: search.limitMs,
    signal,
    onChunk: take.push,
  });
  take.end();
  if (end.code === 2 && isFaultOfRequest(end.complaints)) return { fault: explained(end.complaints, args) };
  const notes = end.isTimeUp ? [partialNote] : [];
  if (end.complaints !== '' && end.code === 2) {
    notes.push(`[Some files could not be searched: ${printablePath(firstLine(end.complaints))}]`);
  }
  return notes;
}

interface Taker {
  /** False once nothing more is wanted. */
  readonly push: (chunk: Buffer) => boolean;
  readonly end: () => void;
}

function lineTaker(answer: SearchAnswer): Taker {
  let wantsMore = true;
  const reader = createSearchLineReader((line) => {
    if (wantsMore) wantsMore = answer.addLine({ ...line, path: withoutDot(line.path) });
  }, answer.addGap);
  return {
    push: (chunk) => {
      reader.push(chunk);
      return wantsMore;
    },
    end: () => {
      if (wantsMore) reader.end();
    },
  };
}

// "path NUL" for files, "path NUL count LF" for counts.
function nameTaker(args: GrepArguments, answer: SearchAnswer): Taker {
  let rest = Buffer.alloc(0);
  const isCount = modeOf(args) === 'count';
  return {
    push: (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      let from = 0;
      for (;;) {
        const nul = rest.indexOf(0, from);
        const end = isCount && nul >= 0 ? rest.indexOf(10, nul) : nul;
        if (nul < 0 || end < 0) break;
        const path = withoutDot(rest.toString('utf8', from, nul));
        if (isCount) answer.addCount(path, Number(rest.toString('latin1', nul + 1, end)));
        else answer.addFile(path);
        from = end + 1;
      }
      rest = rest.subarray(from);
      return true;
    },
    end: () => {},
  };
}

function withoutDot(path: string): string {
  const plain = path.startsWith('./') ? path.slice(2) : path;
  return sep === '/' ? plain : plain.split(sep).join('/');
}

// What ripgrep found but must not be shown: denied files, hidden ones that were not named (a type or an ignore file
// included them), and what the glob excludes. Undefined if the glob expands to too many patterns.
function wanted(
  workspace: Workspace,
  { args, folder, path }: { readonly args: GrepArguments; readonly folder: string; readonly path: string },
): ((path: string) => boolean) | undefined {
  const isHiddenPath = workspace.hiddenPaths();
  const { glob } = args;
  const isLimited = glob !== undefined && !glob.startsWith('!');
  const matches = isLimited ? wayMatcher(glob) : undefined;
  if (isLimited && matches === undefined) return undefined;
  const withHidden = namesHidden(path) || (glob !== undefined && namesHidden(glob));
  const base = folder.endsWith(sep) ? folder : folder + sep;
  return (found) => {
    if (isHiddenPath(isAbsolute(found) ? found : base + (sep === '/' ? found : found.replaceAll('/', sep))))
      return false;
    // Paths begin with the one that was searched.
    const way = path === '.' ? found : found.slice(path.endsWith('/') ? path.length : path.length + 1);
    if (!withHidden && isHidden(way)) return false;
    return matches === undefined || matches(way === '' ? basename(found) : way) || matches(found);
  };
}

async function pathFault(workspace: Workspace, path: string, shown: string): Promise<string | undefined> {
  try {
    const stat = await lstat(path);
    return stat.isFile() || stat.isDirectory() ? undefined : `${shown} is neither a file nor a folder.`;
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') return `${shown} cannot be searched.`;
    return await missingFileText(workspace, path, shown);
  }
}

function isFaultOfRequest(complaints: string): boolean {
  return /^rg: (?:.*regex|unrecognized file type|error parsing glob|the literal|PCRE2|.*\bglob\b|invalid|.*pattern)/m.test(
    complaints,
  );
}

function explained(complaints: string, { pattern }: GrepArguments): string {
  const text = relevant(complaints.replace(/^rg: /, '').trim());
  if (text.startsWith('unrecognized file type')) return `${text}. Use glob instead, such as *.ext.`;
  const hint = /repetition|unclosed|unopened/.test(text)
    ? '\nTo look for ( [ { * + ? . themselves, put a \\ in front.'
    : '';
  return `The search for ${JSON.stringify(pattern)} is not valid: ${text}${hint}`;
}

// Of the errors of both engines, those of the one the pattern was meant for.
function relevant(text: string): string {
  const rule = `\n${'~'.repeat(79)}\n`;
  const start = text.indexOf(`default regex engine error:${rule}`);
  const middle = `${rule}\nPCRE2 regex engine error:\n`;
  const end = text.lastIndexOf(middle);
  if (start < 0 || end < start) return text;
  const own = text.slice(text.indexOf(rule, start) + rule.length, end);
  return /look-around|backreference/.test(own) ? text.slice(end + middle.length) : own;
}

function firstLine(text: string): string {
  return text.replace(/^rg: /, '').split('\n', 1)[0] ?? '';
}
