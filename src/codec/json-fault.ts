// Finds where a text stops being JSON, which `JSON.parse` does not always say. Called by decode once parsing has failed.

const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escape = /["\\/bfnrt]|u[\da-fA-F]{4}/y;
const space = /[ \t\n\r]*/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'comma or end';

/** What is wrong with a text that is no JSON and where, as one phrase; undefined when it is JSON. No limit of depth. */
export function jsonFault(text: string): string | undefined {
  const offset = faultOffset(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const found = offset < text.length ? `unexpected ${JSON.stringify(text.charAt(offset))}` : 'unexpected end';
  return `${found} at position ${offset} (line ${line}, column ${column})`;
}

/** The first offset at which the text cannot go on as JSON; its length when it merely ends too early. */
function faultOffset(text: string): number | undefined {
  const closers: ('}' | ']')[] = [];
  let expected: Expected = 'value';
  let at = endOf(space, text, 0) ?? 0;
  for (; ; at = endOf(space, text, at) ?? at) {
    const character = text.charAt(at);
    const closer = closers.at(-1);
    if (expected === 'comma or end') {
      if (closer === undefined) return at < text.length ? at : undefined;
      if (character === closer) closers.pop();
      else if (character === ',') expected = closer === '}' ? 'key' : 'value';
      else return at;
      at++;
    } else if (expected !== 'value' && expected !== 'key' && character === closer) {
      closers.pop();
      expected = 'comma or end';
      at++;
    } else if (expected === 'key' || expected === 'key or }') {
      const key = stringEnd(text, at);
      if (key.fault !== undefined) return key.fault;
      at = endOf(space, text, key.end) ?? key.end;
      if (text.charAt(at) !== ':') return at;
      expected = 'value';
      at++;
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'key or }' : 'value or ]';
      at++;
    } else {
      const end = character === '"' ? undefined : endOf(literal, text, at);
      const scanned = end === undefined ? stringEnd(text, at) : { end, fault: undefined };
      if (scanned.fault !== undefined) return scanned.fault;
      at = scanned.end;
      expected = 'comma or end';
    }
  }
}

type Scanned = { readonly end: number; readonly fault: undefined } | { readonly fault: number };

function stringEnd(text: string, start: number): Scanned {
  if (text.charAt(start) !== '"') return { fault: start };
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') return { end: at + 1, fault: undefined };
    if (character < ' ') return { fault: at };
    if (character !== '\\') continue;
    const end = endOf(escape, text, at + 1);
    if (end === undefined) return { fault: Math.min(at + 1, text.length) };
    at = end - 1;
  }
  return { fault: text.length };
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
