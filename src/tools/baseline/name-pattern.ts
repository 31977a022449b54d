// A pattern for one part of a path: *, ? and [classes]. Its time is bounded by the length of the pattern times that of
// the name, whatever the pattern: it runs on patterns from models and from unknown repositories.

/** A pattern, taken apart. */
export interface NamePattern {
  readonly matches: (name: string) => boolean;
  /** The one name it matches, where nothing in it is a wildcard. */
  readonly literal?: string;
  /** Whether it begins with a dot that stands for itself. */
  readonly hasLeadingDot: boolean;
  /** A bracket is opened and never closed, or a backslash stands at the end: then they stand for themselves. */
  readonly isOpen: boolean;
}

// A character, or what it is compared with.
type Token = number | 'one' | 'any' | CharacterClass;

interface CharacterClass {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly named: readonly RegExp[];
}

const namedClasses: { readonly [name: string]: RegExp } = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** `hasClasses` false: brackets stand for themselves. A backslash takes the meaning from what follows it. */
export function namePattern(pattern: string, hasClasses = true): NamePattern {
  const { tokens, isOpen } = tokensOf(pattern, hasClasses);
  const literal = textOf(tokens);
  const common = { hasLeadingDot: tokens[0] === dot, isOpen };
  if (literal !== undefined) return { ...common, literal, matches: (name) => name === literal };
  return { ...common, matches: matcherOf(tokens) };
}

const dot = 0x2e;

function tokensOf(
  pattern: string,
  hasClasses: boolean,
): { readonly tokens: readonly Token[]; readonly isOpen: boolean } {
  const tokens: Token[] = [];
  let isOpen = false;
  for (let at = 0; at < pattern.length;) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    at += character.length;
    if (character === '*') {
      if (tokens.at(-1) !== 'any') tokens.push('any');
    } else if (character === '?') {
      tokens.push('one');
    } else if (character === '[' && hasClasses) {
      const found = classAt(pattern, at);
      if (found === undefined) isOpen = true;
      tokens.push(found?.token ?? codeOf(character));
      at = found?.end ?? at;
    } else if (character === '\\' && at < pattern.length) {
      const next = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
      tokens.push(codeOf(next));
      at += next.length;
    } else {
      isOpen ||= character === '\\';
      tokens.push(codeOf(character));
    }
  }
  return { tokens, isOpen };
}

// `start` is after the bracket. Undefined if it is never closed.
function classAt(pattern: string, start: number): { readonly token: CharacterClass; readonly end: number } | undefined {
  const ranges: (readonly [number, number])[] = [];
  const named: RegExp[] = [];
  let at = start;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at++;
  const character = (): number | undefined => {
    if (pattern[at] === '\\') at++;
    const code = pattern.codePointAt(at);
    if (code !== undefined) at += code > 0xffff ? 2 : 1;
    return code;
  };
  for (let isFirst = true; isFirst || pattern[at] !== ']'; isFirst = false) {
    const name = pattern[at] === '[' ? /^\[:([a-z]+):\]/.exec(pattern.slice(at, at + 12)) : null;
    const known = name === null ? undefined : namedClasses[name[1] ?? ''];
    if (name !== null && known !== undefined) {
      named.push(known);
      at += name[0].length;
      continue;
    }
    const first = character();
    if (first === undefined) return undefined;
    let last: number | undefined = first;
    if (pattern[at] === '-' && pattern[at + 1] !== ']' && at + 1 < pattern.length) {
      at++;
      last = character();
      if (last === undefined) return undefined;
    }
    ranges.push([first, last]);
  }
  return { token: { isNegated, ranges, named }, end: at + 1 };
}

// One star between texts is compared at once.
function matcherOf(tokens: readonly Token[]): NamePattern['matches'] {
  const star = tokens.indexOf('any');
  const before = star < 0 ? undefined : textOf(tokens.slice(0, star));
  const behind = star < 0 ? undefined : textOf(tokens.slice(star + 1));
  if (before === undefined || behind === undefined) return (name) => isMatch(tokens, name);
  const length = before.length + behind.length;
  return (name) => name.length >= length && name.endsWith(behind) && name.startsWith(before);
}

// Undefined where one of them is more than a character.
function textOf(tokens: readonly Token[]): string | undefined {
  let text = '';
  for (const token of tokens) {
    if (typeof token !== 'number') return undefined;
    text += String.fromCodePoint(token);
  }
  return text;
}

// Only the last star ever takes more: what an earlier one could take as well, it can take, too.
function isMatch(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let behindStar = 0;
  while (at < name.length) {
    const wanted = tokens[token];
    const code = name.codePointAt(at) ?? 0;
    if (wanted === 'any') {
      star = token++;
      behindStar = at;
    } else if (wanted !== undefined && takes(wanted, code)) {
      token++;
      at += code > 0xffff ? 2 : 1;
    } else if (star >= 0) {
      token = star + 1;
      behindStar += (name.codePointAt(behindStar) ?? 0) > 0xffff ? 2 : 1;
      at = behindStar;
    } else return false;
  }
  while (tokens[token] === 'any') token++;
  return token === tokens.length;
}

function takes(token: Exclude<Token, 'any'>, code: number): boolean {
  if (typeof token === 'number') return token === code;
  if (token === 'one') return true;
  const isIn =
    token.ranges.some(([first, last]) => code >= first && code <= last) ||
    token.named.some((each) => each.test(String.fromCodePoint(code)));
  return isIn !== token.isNegated;
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
