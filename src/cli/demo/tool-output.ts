// Reads what tools answered: paths, line counts, matches and numbered lines, from plain text or JSON. The scripts call it.

/** Text of a file as a read tool shows it. `total` = lines of the whole file, if the tool said so or showed all. */
export interface ReadText {
  readonly lines: readonly string[];
  readonly total?: number;
}

/** A list of paths. `total` is larger than what is listed if the tool says that it cut the list. */
export interface PathList {
  readonly paths: readonly string[];
  readonly total: number;
  /** There may be more than `total`. */
  readonly isLeast: boolean;
}

/** Places where a text was found. `line` and `text` are absent if the tool names only files. */
export interface Match {
  readonly path: string;
  readonly line?: number;
  readonly text?: string;
}

/** Paths, one a line or in JSON. Prose ("No files found") is not a path. */
export function pathsIn(output: string): PathList {
  const json = jsonIn(output);
  const { body, notes } = splitNotes(output);
  const candidates = json === undefined ? body.map((line) => line.replace(/^[-*•]\s+/, '').trim()) : pathsOfJson(json);
  const paths = [...new Set(candidates.filter(looksLikePath).map((path) => path.replace(/^\.\//, '')))];
  const cut = notes.some(saysCut);
  const total = cut ? Math.max(paths.length, ...notes.map(largestNumber)) : paths.length;
  const isLeast =
    cut && (total === paths.length || notes.some((note) => /\b(?:more than|at least|over)\b/i.test(note)));
  return { paths, total, isLeast };
}

/** Lines per file: `12 src/a.ts`, `src/a.ts:12`, or JSON objects with a path and a number. A line "total" is left out. */
export function lineCountsIn(output: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const json = jsonIn(output);
  if (json !== undefined) for (const [path, count] of countsOfJson(json)) counts.set(path, count);
  for (const line of json === undefined ? splitNotes(output).body : []) {
    const found = /^\s*(?<count>\d+)\s+(?<path>\S.*)$/.exec(line) ?? /^(?<path>\S.*?):\s*(?<count>\d+)\s*$/.exec(line);
    const path = found?.groups?.['path']?.trim().replace(/^\.\//, '');
    if (path !== undefined && path !== 'total') counts.set(path, Number(found?.groups?.['count']));
  }
  return counts;
}

/** Matches: `path:12: text`, or only paths. */
export function matchesIn(output: string): { readonly matches: readonly Match[]; readonly cut: boolean } {
  const { body, notes } = splitNotes(output);
  const matches: Match[] = [];
  for (const line of body) {
    const [, path, number, text] = /^(\S.*?):(\d+):\s?(.*)$/.exec(line) ?? [];
    if (path !== undefined && text !== undefined)
      matches.push({ path: path.replace(/^\.\//, ''), line: Number(number), text: text.trim() });
  }
  const found = matches.length > 0 ? matches : pathsIn(body.join('\n')).paths.map((path) => ({ path }));
  return { matches: found, cut: notes.some(saysCut) };
}

/** A file's text; line numbers in front of the lines are taken off. */
export function readTextIn(output: string): ReadText {
  const { body, notes } = splitNotes(output);
  const numbered = body.map((line) => /^\s*(\d+)(?:\t|→|\s?\| ?)(.*)$/s.exec(line));
  if (body.length === 0 && notes.some((note) => /\b(?:empty|no output)\b/i.test(note))) return { lines: [], total: 0 };
  if (body.length === 0 || !numbered.every((found) => found !== null)) {
    const lines = output.replace(/\r?\n$/, '').split(/\r?\n/);
    return { lines: output === '' ? [] : lines, total: output === '' ? 0 : lines.length };
  }
  const lines = numbered.map((found) => found?.[2] ?? '');
  if (notes.some(saysCut)) {
    const total = Math.max(...notes.filter(saysCut).map(largestNumber));
    return total > 0 ? { lines, total } : { lines };
  }
  return { lines, total: Number(numbered.at(-1)?.[1]) };
}

// A tool's remarks are separate lines in parentheses or brackets.
function splitNotes(output: string): { readonly body: readonly string[]; readonly notes: readonly string[] } {
  const body: string[] = [];
  const notes: string[] = [];
  for (const line of output.split(/\r?\n/)) {
    if (/^\s*[([<].*[)\]>]\s*$/.test(line)) notes.push(line);
    else if (line.trim() !== '') body.push(line);
  }
  return { body, notes };
}

function saysCut(note: string): boolean {
  return /\b(?:of|truncated|limit|more|first|cut|partial)\b/i.test(note) && !/\bskipped\b/i.test(note);
}

function largestNumber(note: string): number {
  return Math.max(0, ...[...note.matchAll(/\d[\d,]*/g)].map(([digits]) => Number(digits.replaceAll(',', ''))));
}

function looksLikePath(line: string): boolean {
  if (line === '' || line.endsWith(':') || line.length > 1_000) return false;
  const spaces = line.split(' ').length - 1;
  return /[./\\]/.test(line)
    ? spaces === 0 || (/\.\w{1,10}$/.test(line) && !/^(?:no|found)\b/i.test(line))
    : spaces === 0;
}

function jsonIn(output: string): unknown {
  if (!/^\s*[[{]/.test(output)) return undefined;
  try {
    const value: unknown = JSON.parse(output);
    return value;
  } catch {
    return undefined; // text that merely begins like JSON
  }
}

function pathsOfJson(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(pathsOfJson);
  if (typeof value !== 'object' || value === null) return [];
  const path = pathOfJson(value);
  return path === undefined ? Object.values(value).filter(Array.isArray).flatMap(pathsOfJson) : [path];
}

function pathOfJson(value: object): string | undefined {
  for (const key of ['path', 'file', 'file_path', 'name']) {
    const path: unknown = Reflect.get(value, key);
    if (typeof path === 'string') return path;
  }
  return undefined;
}

function countsOfJson(value: unknown): readonly (readonly [string, number])[] {
  if (Array.isArray(value)) return value.flatMap(countsOfJson);
  if (typeof value !== 'object' || value === null) return [];
  const path = pathOfJson(value);
  const entries = Object.entries(value);
  const count = entries.find(([key, field]) => /lines|count/i.test(key) && typeof field === 'number')?.[1];
  if (path !== undefined) return typeof count === 'number' ? [[path, count]] : [];
  return entries.flatMap(([key, field]) =>
    typeof field === 'number' && /[./]/.test(key) ? [[key, field] as const] : countsOfJson(field),
  );
}
