// Counts the lines of files with whatever tool can: a counter, a search that counts, a shell, or reading them one by one.

import type { CallValues, Skills, ToolUse } from './capabilities.ts';
import { globOf, isOfKind, type FileKind } from './file-kind.ts';
import { count, failure, lacking } from './phrases.ts';
import type { Ask, ToolOutcome } from './script.ts';
import { lineCountsIn, readTextIn } from './tool-output.ts';

/** Which files: what was listed, and how the listing was asked for. */
export interface CountedFiles {
  readonly kind: FileKind;
  readonly folder: string | undefined;
  readonly paths: readonly string[];
  /** How many there are; more than `paths` if the list was cut. */
  readonly total: number;
}

/** Lines by path, and what has to be said about files that are not in it. */
export interface LineCounts {
  readonly lines: ReadonlyMap<string, number>;
  readonly remarks: readonly string[];
}

type Counting = Generator<Ask, LineCounts, readonly ToolOutcome[]>;

const shellLimit = 100;
const readLimit = 20;

/** Part of a script: asks for the calls it needs and returns the counts. */
export function* countLines(files: CountedFiles, skills: Skills): Counting {
  const single = singleCall(files, skills);
  if (single === undefined) return yield* countByReading(files, skills);
  const { skill, call, covered } = single;
  const [outcome] = yield {
    thinking: `Now I need to know how long they are. ${skill.tool} can tell.`,
    say: `Next I count their lines with ${skill.tool}.`,
    calls: [call],
  };
  if (outcome?.status !== 'completed') {
    return {
      lines: new Map(),
      remarks: [outcome === undefined ? lacking('count their lines') : failure('count their lines', skill, outcome)],
    };
  }
  const lines = new Map([...lineCountsIn(outcome.text)].filter(([path]) => isOfKind(files.kind, path)));
  return { lines, remarks: remarksFor(files.total, lines.size, covered) };
}

function singleCall(files: CountedFiles, skills: Skills) {
  const { count: counter, search, run } = skills;
  const place: CallValues = {
    glob: globOf(files.kind),
    ...(files.folder === undefined ? {} : { folder: files.folder }),
  };
  const whole = files.total;
  if (counter !== undefined) return { skill: counter, call: counter.call(place), covered: whole };
  // Every line has a beginning: a regular search for it, in its counting mode, counts lines.
  if (search?.isRegular === true && search.takes('mode', 'count') && search.takes('glob')) {
    return { skill: search, call: search.call({ ...place, text: '^', mode: 'count', limit: 0 }), covered: whole };
  }
  if (run === undefined) return undefined;
  const some = files.paths.slice(0, shellLimit);
  return {
    skill: run,
    call: run.call({ command: `wc -l -- ${some.map(shellQuoted).join(' ')}` }),
    covered: some.length,
  };
}

function* countByReading(files: CountedFiles, { read }: Skills): Counting {
  if (read === undefined) return { lines: new Map(), remarks: [lacking('count their lines')] };
  const paths = files.paths.slice(0, readLimit);
  const calls: readonly ToolUse[] = paths.map((file) => read.call({ file }));
  const outcomes = yield {
    thinking: 'No tool counts lines, so I read the files and count myself.',
    say: `Next I read ${count(paths.length, 'file')} with ${read.tool} to count the lines.`,
    calls,
  };
  const lines = new Map<string, number>();
  for (const [index, path] of paths.entries()) {
    const outcome = outcomes[index];
    const text = outcome?.status === 'completed' ? readTextIn(outcome.text) : undefined;
    if (text !== undefined) lines.set(path, text.total ?? text.lines.length);
  }
  return { lines, remarks: remarksFor(files.total, lines.size, paths.length) };
}

function remarksFor(all: number, counted: number, covered: number): readonly string[] {
  if (covered < all)
    return [`(I looked at the first ${covered.toLocaleString('en-US')} of ${count(all, 'file')} only.)`];
  if (counted === 0) return ['I could not find line counts in the answer.'];
  return counted < all ? [`(Lines were counted in ${counted.toLocaleString('en-US')} of ${count(all, 'file')}.)`] : [];
}

function shellQuoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
