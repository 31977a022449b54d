// Reads JSON and records where every value is in the text, so that one can be replaced without touching the rest. Used
// by notebook-text.

/** A value and its place: `start` is its first character, `end` the one after its last. */
export type JsonSpan =
  | { readonly type: 'object'; readonly start: number; readonly end: number; readonly members: readonly JsonMember[] }
  | { readonly type: 'array'; readonly start: number; readonly end: number; readonly items: readonly JsonSpan[] }
  | { readonly type: 'scalar'; readonly start: number; readonly end: number };

/** A member of an object; `start` is where its key begins. */
export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly value: JsonSpan;
}

/** The spans of a text that `JSON.parse` accepts. Throws a SyntaxError, as `JSON.parse` does, when it does not. */
export function jsonSpans(text: string): JsonSpan {
  JSON.parse(text); // the reader below relies on it
  return readValue(text, skipSpace(text, 0));
}

/** The member with that key; of several the last, which is the one `JSON.parse` keeps. */
export function memberOf(span: JsonSpan | undefined, key: string): JsonMember | undefined {
  return span?.type === 'object' ? span.members.findLast((member) => member.key === key) : undefined;
}

function readValue(text: string, start: number): JsonSpan {
  switch (text[start]) {
    case '{':
      return readObject(text, start);
    case '[':
      return readArray(text, start);
    case '"':
      return { type: 'scalar', start, end: endOfString(text, start) };
    default: {
      let end = start;
      while (end < text.length && !/[\s,\]}]/.test(text[end] ?? '')) end++;
      return { type: 'scalar', start, end };
    }
  }
}

function readObject(text: string, start: number): JsonSpan {
  const members: JsonMember[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}') {
    const keyEnd = endOfString(text, at);
    const value = readValue(text, skipSpace(text, skipSpace(text, keyEnd) + 1)); // after the colon
    members.push({ key: String(JSON.parse(text.slice(at, keyEnd))), start: at, value });
    at = skipSpace(text, value.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return { type: 'object', start, end: at + 1, members };
}

function readArray(text: string, start: number): JsonSpan {
  const items: JsonSpan[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== ']') {
    const item = readValue(text, at);
    items.push(item);
    at = skipSpace(text, item.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return { type: 'array', start, end: at + 1, items };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at + 1;
}

// A quote after an odd number of backslashes belongs to the string.
function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text[at] === '\\') at--;
  return (quote - at) % 2 === 0;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
