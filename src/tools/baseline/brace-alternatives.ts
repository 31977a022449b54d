// Expands {a,b} and {1..3} in a pattern. Pure; called for globs.

const maxAlternatives = 1_000;

type Part = string | readonly string[];

/**
 * The patterns without braces; undefined where there are more than a thousand. Braces that hold no comma or range, or
 * are never closed, stand for themselves.
 */
export function braceAlternatives(pattern: string): readonly string[] | undefined {
  let done: readonly string[] = [''];
  for (const part of partsOf(pattern)) {
    const choices = typeof part === 'string' ? [part] : alternativesOf(part);
    if (choices === undefined || done.length * choices.length > maxAlternatives) return undefined;
    done = done.flatMap((before) => choices.map((choice) => before + choice));
  }
  return [...new Set(done)];
}

/** Whether a brace is opened and never closed. */
export function hasOpenBrace(pattern: string): boolean {
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '{' && bodyAt(pattern, at) === undefined) return true;
  }
  return false;
}

function alternativesOf(choices: readonly string[]): readonly string[] | undefined {
  const all: string[] = [];
  for (const choice of choices) {
    const found = braceAlternatives(choice);
    if (found === undefined || all.length + found.length > maxAlternatives) return undefined;
    all.push(...found);
  }
  return all;
}

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '\\') {
      text += pattern.slice(at, at + 2);
      at++;
      continue;
    }
    const body = character === '{' ? bodyAt(pattern, at) : undefined;
    const choices =
      body === undefined ? undefined : (rangeOf(body.text) ?? (body.choices.length > 1 ? body.choices : undefined));
    if (body === undefined || choices === undefined) {
      text += character;
      continue;
    }
    parts.push(text, choices);
    text = '';
    at = body.end;
  }
  return [...parts, text];
}

interface Body {
  readonly text: string;
  readonly choices: readonly string[];
  /** The position of the closing brace. */
  readonly end: number;
}

function bodyAt(pattern: string, open: number): Body | undefined {
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      choices.push(pattern.slice(start, at));
      start = at + 1;
    } else if (character === '}' && --depth === 0) {
      choices.push(pattern.slice(start, at));
      return { text: pattern.slice(open + 1, at), choices, end: at };
    }
  }
  return undefined;
}

// {1..10}, {01..10} and {a..e}; a range that is too long returns a list that is too long.
function rangeOf(body: string): readonly string[] | undefined {
  const numbers = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(body);
  const letters = /^([A-Za-z])\.\.([A-Za-z])$/.exec(body);
  const [, from, to] = numbers ?? letters ?? [];
  if (from === undefined || to === undefined) return undefined;
  const [first, last] = numbers === null ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  const width = numbers !== null && /^-?0\d|\.\.-?0\d/.test(body) ? Math.max(from.length, to.length) : 0;
  const length = Math.min(Math.abs(last - first) + 1, maxAlternatives + 1);
  return Array.from({ length }, (_, index) => {
    const value = first + (last < first ? -index : index);
    return numbers === null ? String.fromCharCode(value) : String(value).padStart(width, '0');
  });
}
