// Where a text stops being JSON, in the same words on every engine. Called by decode-arguments when JSON.parse refused a text.

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expectation = 'value' | 'itemOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'separator';

/**
 * What is wrong and where: `expected "," or "}" at position 17, got "x"`. Undefined for valid JSON. Linear in the
 * text; needs no stack for deep nesting.
 */
export function jsonFault(text: string): string | undefined {
  const open: ('{' | '[')[] = [];
  let position = 0;
  let expectation = 'value' as Expectation; // not narrowed to its first value
  for (;;) {
    position = afterWhiteSpace(text, position);
    const character = text[position] ?? '';
    const container = open.at(-1);
    const close = container === '{' ? '}' : ']';
    if (expectation === 'separator' && container === undefined) {
      return position >= text.length ? undefined : expected('the end of the text', text, position);
    }
    if (character === close && container !== undefined && /OrEnd|separator/.test(expectation)) {
      open.pop();
      position++;
      expectation = 'separator';
    } else if (expectation === 'separator') {
      if (character !== ',') return expected(`"," or "${close}"`, text, position);
      position++;
      expectation = container === '{' ? 'key' : 'value';
    } else if (expectation === 'colon') {
      if (character !== ':') return expected('":"', text, position);
      position++;
      expectation = 'value';
    } else if (character === '"') {
      const end = endOfString(text, position);
      if (typeof end === 'string') return end;
      position = end;
      expectation = expectation === 'key' || expectation === 'keyOrEnd' ? 'colon' : 'separator';
    } else if (expectation === 'key' || expectation === 'keyOrEnd') {
      return expected('a field name in double quotes', text, position);
    } else if (character === '{' || character === '[') {
      open.push(character);
      position++;
      expectation = character === '{' ? 'keyOrEnd' : 'itemOrEnd';
    } else {
      const length = matchLength(scalar, text, position);
      if (length === 0) return expected('a value', text, position);
      position += length;
      expectation = 'separator';
    }
  }
}

// The position after the closing quote, or what is wrong with the string that begins at `start`.
function endOfString(text: string, start: number): number | string {
  for (let position = start + 1; position < text.length;) {
    const code = text.charCodeAt(position);
    if (code === 0x22) return position + 1;
    if (code < 0x20) return `a control character must be escaped in a string (position ${position})`;
    if (code === 0x5c) {
      const length = matchLength(escape, text, position);
      if (length === 0) return `invalid escape in a string at position ${position}`;
      position += length;
    } else {
      position++;
    }
  }
  return `the string that begins at position ${start} has no end`;
}

function expected(what: string, text: string, position: number): string {
  const code = text.codePointAt(position);
  if (code === undefined) return `the text ends too early, expected ${what} at position ${position}`;
  return `expected ${what} at position ${position}, got ${JSON.stringify(String.fromCodePoint(code).toWellFormed())}`;
}

function afterWhiteSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && ' \t\n\r'.includes(text.charAt(position))) position++;
  return position;
}

function matchLength(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0].length ?? 0;
}
