// Where a text stops being JSON, in the same words on every engine. Called when JSON.parse refused the arguments of a
// call or a stored conversation.

const whiteSpace = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const plainCharacters = /[ !#-[\]-\uffff]*/y; // from the space on, without quote and backslash
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The first place at which a text cannot go on as JSON. */
export interface JsonFault {
  /** The text's length if it only ends too early. */
  readonly position: number;
  /** What is wrong and where: `expected "," or "}" at position 17, got "x"`. */
  readonly text: string;
}

/** What is wrong with a text; undefined for valid JSON. Linear in the text, and not recursive. */
export function jsonFault(text: string): JsonFault | undefined {
  const closers: ('}' | ']')[] = [];
  let expectation = 'value' as 'value' | 'key' | 'colon' | 'separator'; // not narrowed to its first value
  let isOpening = false; // right after a bracket, which may close at once
  let position = 0;
  for (;;) {
    position = endOf(whiteSpace, text, position);
    const character = text.charAt(position);
    const closer = closers.at(-1);
    const mayClose = isOpening || expectation === 'separator';
    isOpening = false;
    if (character === closer && mayClose) {
      closers.pop();
      expectation = 'separator';
      position++;
    } else if (expectation === 'separator') {
      if (closer === undefined) return character === '' ? undefined : expected('the end of the text', text, position);
      if (character !== ',') return expected(`"," or "${closer}"`, text, position);
      expectation = closer === '}' ? 'key' : 'value';
      position++;
    } else if (expectation === 'colon') {
      if (character !== ':') return expected('":"', text, position);
      expectation = 'value';
      position++;
    } else if (character === '"') {
      const end = endOfString(text, position);
      if (end === text.length) return expected(`the end of the string that begins at ${position}`, text, end);
      if (text.charAt(end) !== '"') return expected('a valid escape', text, end);
      expectation = expectation === 'key' ? 'colon' : 'separator';
      position = end + 1;
    } else if (expectation === 'key') {
      return expected('a field name in double quotes', text, position);
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expectation = character === '{' ? 'key' : 'value';
      isOpening = true;
      position++;
    } else {
      const end = endOf(scalar, text, position);
      if (end === position) return expected('a value', text, position);
      expectation = 'separator';
      position = end;
    }
  }
}

// The position of the closing quote of the string that begins at `start`, or of the first fault in it.
function endOfString(text: string, start: number): number {
  for (let position = start + 1; ;) {
    const end = endOf(plainCharacters, text, position);
    position = endOf(escape, text, end);
    if (position === end) return end;
  }
}

function expected(what: string, whole: string, position: number): JsonFault {
  const code = whole.codePointAt(position);
  const text =
    code === undefined
      ? `the text ends too early, expected ${what} at position ${position}`
      : `expected ${what} at position ${position}, got ${JSON.stringify(String.fromCodePoint(code).toWellFormed())}`;
  return { position, text };
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}
