// The Glob tool: finds files by name, newest first, without starting a program.

import { resolve, sep } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';

import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { globHint, globPattern, tooManyText } from './glob-pattern.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { linkStat, targetStat } from './quiet-stat.ts';
import { walkFiles } from './walk-files.ts';
import { printablePath, realOr, shownPath } from './shown-path.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

/** Arguments of Glob. */
export interface GlobArguments {
  readonly pattern: string;
  readonly path?: string;
}

/** Options of Glob. */
export interface GlobOptions extends WorkspaceOptions {
  /** After this many milliseconds it returns what it has found so far. Default 20,000. */
  readonly globLimitMs?: number;
}

const maxShown = 100;
const defaultLimitMs = 20_000;

const description = `Finds files by name and lists their paths, the newest first.
- Patterns as **/*.ts, src/**/*.{ts,tsx}, test/?[0-9].md; letter case counts. A pattern without a slash, as *.ts, finds names in every folder.
- Extended patterns as !(a|b) are not known. A path with characters that cannot be seen is listed as a JSON string.
- Hidden files and folders are found only where the pattern has the dot: .github/**/*.yml, **/.eslintrc*.
- node_modules and what .gitignore leaves out are left out, unless path or the beginning of the pattern leads into it: node_modules/zod/**/*.md.
- Links to folders are not followed. At most ${maxShown} files are listed; the note at the end says how many there are.`;

/** Glob: runs in parallel, never needs approval, may be run again after a crash. */
export function globTool(options: GlobOptions): Tool {
  const workspace = createWorkspace(options);
  return defineTool({
    name: 'Glob',
    description,
    parameters: lenientArguments<GlobArguments>({
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'Which files' },
        path: { type: 'string', description: 'The folder to look in. Default: the working directory' },
      },
      required: ['pattern'],
    }),
    isConcurrencySafe: true,
    needsApproval: false,
    replay: 'safe',
    execute: async (args, { signal }) => {
      const { pattern } = args;
      if (pattern.length > 2000) return ToolResult.error('The pattern is longer than 2000 characters.');
      const compiled = globPattern(pattern);
      if (compiled === undefined) return ToolResult.error(tooManyText);
      const named = resolve(workspace.cwd, args.path === undefined || args.path === '' ? '.' : args.path);
      const asked = compiled.base === '' ? named : resolve(named, compiled.base);
      const found = await workspace.resolve(asked, 'read');
      if (found.type === 'refused') return ToolResult.error(found.message);
      const kind = kindOf(found.path);
      if (kind === 'file') return ToolResult.error(`${shownPath(workspace, found.path)} is a file, not a folder.`);
      if (kind === undefined) {
        if (compiled.base !== '' && kindOf(named) === 'folder') return ToolResult.text(noneText(pattern));
        return ToolResult.error(`${shownPath(workspace, found.path)} does not exist.`);
      }
      const limitMs = options.globLimitMs ?? defaultLimitMs;
      const deadline = performance.now() + limitMs;
      const { files, isPartial } = await walkFiles({
        folder: found.path,
        top: realOr(workspace.cwd),
        enters: compiled.enters,
        takes: compiled.matches,
        limitMs,
        signal,
      });
      const visible = await newestOf(workspace, found.path, files, { deadline, signal });
      const shown = { ...visible, isPartial: isPartial || visible.isPartial };
      return ToolResult.text(listing(shown, shownPath(workspace, found.path), pattern));
    },
  });
}

interface Found {
  /** The newest files first, at most as many as are shown. */
  readonly newest: readonly string[];
  readonly count: number;
  readonly isPartial: boolean;
}

// Without files the tools may not read; links count by their target. Stats every file: sorting needs all times.
async function newestOf(
  workspace: Workspace,
  folder: string,
  ways: readonly string[],
  limits: { readonly deadline: number; readonly signal: AbortSignal },
): Promise<Found> {
  const isHiddenPath = workspace.hiddenPaths();
  const start = folder.endsWith(sep) ? folder : folder + sep;
  const seen: string[] = [];
  const times: number[] = [];
  let isPartial = false;
  for (const [index, way] of ways.entries()) {
    if (index % 1000 === 999) {
      await nextRound(); // lets other work run
      limits.signal.throwIfAborted();
      isPartial = performance.now() >= limits.deadline;
      if (isPartial) break;
    }
    const path = start + (sep === '/' ? way : way.replaceAll('/', sep));
    if (isHiddenPath(path)) continue;
    // A file without a stat (its name is not valid text, or its folder may not be entered) is listed all the same.
    const stat = linkStat(path);
    if (stat?.isSymbolicLink() === true && isHiddenPath(realOr(path))) continue;
    seen.push(way);
    times.push(stat?.mtimeMs ?? 0);
  }
  const oldestShown = Float64Array.from(times).toSorted().at(-maxShown) ?? Number.NEGATIVE_INFINITY;
  const newest = seen
    .flatMap((way, index) => {
      const time = times[index] ?? 0;
      return time >= oldestShown ? [{ way, time }] : [];
    })
    .toSorted((left, right) => right.time - left.time || (left.way < right.way ? -1 : 1))
    .slice(0, maxShown)
    .map(({ way }) => way);
  return { newest, count: seen.length, isPartial };
}

function listing({ newest, count, isPartial }: Found, base: string, pattern: string): string {
  const lines = newest.map((way) => printablePath(base === '.' ? way : `${base}/${way}`));
  if (count > maxShown) {
    lines.push(
      `[The newest ${maxShown} of ${isPartial ? 'at least ' : ''}${count} files. Narrow the pattern to see others.]`,
    );
  }
  if (isPartial) lines.push('[The time was up before everything was seen: the list is partial.]');
  return count === 0 && !isPartial ? noneText(pattern) : lines.join('\n');
}

function noneText(pattern: string): string {
  const hint = globHint(pattern);
  return `No files match ${printablePath(pattern)}${hint === '' ? '' : `.${hint}`}`;
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const stat = targetStat(path);
  return stat === undefined ? undefined : stat.isDirectory() ? 'folder' : 'file';
}
