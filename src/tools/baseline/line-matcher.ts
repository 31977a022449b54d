// Runs a regular expression over texts in a separate thread that can be ended: endless backtracking must not block the
// program. Called by the search without ripgrep.

import { Worker } from 'node:worker_threads';

/** What to look for. */
export interface LineMatch {
  readonly source: string;
  readonly flags: string;
  /** Matches may span lines; else each line is looked at by itself. */
  readonly isMultiline: boolean;
  readonly wantsParts: boolean;
}

/** A line with a match: its index, where the match begins in it and, if requested, every piece that matched. */
export interface MatchedLine {
  readonly index: number;
  readonly at: number;
  readonly parts: readonly string[];
}

/** Takes one text at a time. */
export interface LineMatcher {
  /**
   * The matched lines in order; undefined once the time is up. Rejects with the signal's reason or the thread's error.
   */
  readonly match: (text: string) => Promise<readonly MatchedLine[] | undefined>;
  readonly end: () => void;
}

/** Starts the thread. The caller must end it. */
export function createLineMatcher(
  what: LineMatch,
  limits: { readonly deadline: number; readonly signal: AbortSignal },
): LineMatcher {
  const worker = new Worker(program, { eval: true, workerData: what, stdout: true, stderr: true });
  worker.unref();
  let failure: unknown;
  let settle: ((found: readonly MatchedLine[] | undefined) => void) | undefined;
  worker.on('message', (found: readonly MatchedLine[]) => settle?.(found));
  worker.on('error', (error: unknown) => {
    failure = error;
    settle?.(undefined);
  });
  const end = (): void => void worker.terminate();
  return {
    end,
    match: async (text) => {
      limits.signal.throwIfAborted();
      const stop = (): void => settle?.(undefined);
      const timer = setTimeout(stop, Math.max(0, limits.deadline - performance.now()));
      limits.signal.addEventListener('abort', stop, { once: true });
      try {
        const found = await new Promise<readonly MatchedLine[] | undefined>((resolve) => {
          settle = resolve;
          if (failure === undefined) worker.postMessage(text);
          else resolve(undefined);
        });
        limits.signal.throwIfAborted();
        if (failure !== undefined) throw failure;
        return found;
      } finally {
        settle = undefined;
        clearTimeout(timer);
        limits.signal.removeEventListener('abort', stop);
      }
    },
  };
}

// Its text is the thread's program: it refers to nothing outside itself and has no functions within.
function matchedLines(text: string, { source, flags, isMultiline, wantsParts }: LineMatch): MatchedLine[] {
  const expression = new RegExp(source, flags);
  const lines = text.replace(/\n$/, '').split('\n');
  const matched: MatchedLine[] = [];
  if (text === '') return matched;
  let ended = -1; // the last line of the match before
  let offset = 0;
  let index = 0;
  if (isMultiline) {
    for (const found of text.matchAll(expression)) {
      const end = found.index + Math.max(1, found[0].length);
      while (index + 1 < lines.length && offset + (lines[index] ?? '').length + 1 <= found.index) {
        offset += (lines[index] ?? '').length + 1;
        index++;
      }
      let start = offset;
      for (let at = index; at < lines.length && start < end; at++) {
        if (at > ended) matched.push({ index: at, at: Math.max(0, found.index - start), parts: [] });
        ended = Math.max(ended, at);
        start += (lines[at] ?? '').length + 1;
      }
    }
  } else {
    for (const [at, whole] of lines.entries()) {
      expression.lastIndex = 0;
      const found = expression.exec(whole.replace(/\r$/, ''));
      if (found !== null) matched.push({ index: at, at: found.index, parts: [] });
    }
  }
  if (!wantsParts) return matched;
  expression.lastIndex = 0; // matchAll begins there
  const withParts: MatchedLine[] = [];
  for (const each of matched) {
    const parts: string[] = [];
    for (const [part] of (lines[each.index] ?? '').replace(/\r$/, '').matchAll(expression))
      if (part !== '') parts.push(part);
    withParts.push({ index: each.index, at: each.at, parts });
  }
  return withParts;
}

const program = `'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const matchedLines = ${matchedLines.toString()};
parentPort.on('message', (text) => parentPort.postMessage(matchedLines(text, workerData)));`;
