// Reads the simplest kind of shell command: plain words, joined by | && || and ;. Everything else is deliberately not
// understood: what decides about approval must never read a command differently from the shell.

/** One program with its arguments. `hasWildcards`: an unquoted * or ? is in one of the words. */
export interface SimpleCommand {
  readonly words: readonly string[];
  readonly hasWildcards: boolean;
}

/** A command in parts, with the operators between them. */
export interface CommandLine {
  readonly commands: readonly SimpleCommand[];
  readonly operators: readonly ('|' | '&&' | '||' | ';')[];
}

// Characters of unquoted words that have no meaning to any shell (within a word), and everything beyond ASCII except
// spaces.
const plainCharacter = /[A-Za-z0-9_./:,@%+=-]|[^\u0000-\u007F\s\p{C}]/u; // oxlint-disable-line no-control-regex -- the bound of ASCII

/**
 * The parts, or undefined where anything but plain words, quotes without expansions and the four operators occurs: no
 * expansion, substitution, redirection, background, assignment, grouping, escape, comment, line break.
 */
export function commandLine(text: string): CommandLine | undefined {
  const commands: SimpleCommand[] = [];
  const operators: CommandLine['operators'][number][] = [];
  let words: string[] = [];
  let hasWildcards = false;
  let at = 0;
  const endCommand = (): boolean => {
    const [name] = words;
    if (name === undefined || name.includes('=')) return false; // nothing, or an assignment
    commands.push({ words, hasWildcards });
    words = [];
    hasWildcards = false;
    return true;
  };
  for (;;) {
    while (text[at] === ' ' || text[at] === '\t') at++;
    if (at >= text.length) return endCommand() ? { commands, operators } : undefined;
    const operator = (['&&', '||', '|', ';'] as const).find((each) => text.startsWith(each, at));
    if (operator !== undefined) {
      at += operator.length;
      if (text[at] === '&' || (operator === ';' && text[at] === ';') || !endCommand()) return undefined;
      operators.push(operator);
      continue;
    }
    const word = wordAt(text, at);
    if (word === undefined || word.end === at) return undefined; // such as at a lone "&"
    words.push(word.text);
    hasWildcards ||= word.hasWildcards;
    at = word.end;
  }
}

interface Word {
  readonly text: string;
  readonly hasWildcards: boolean;
  readonly end: number;
}

function wordAt(source: string, start: number): Word | undefined {
  let text = '';
  let hasWildcards = false;
  let at = start;
  while (at < source.length && !' \t|&;'.includes(source[at] ?? '')) {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (character === "'" || character === '"') {
      const close = source.indexOf(character, at + 1);
      const body = source.slice(at + 1, close);
      // These have a meaning even within double quotes.
      if (close < 0 || /[\p{Cc}\p{Cs}]/u.test(body) || (character === '"' && /[$`\\!]/.test(body))) return undefined;
      text += body;
      at = close + 1;
      continue;
    }
    if (character === '*' || character === '?') hasWildcards = true;
    else if (!plainCharacter.test(character)) return undefined;
    text += character;
    at += character.length;
  }
  return { text, hasWildcards, end: at };
}
