// Writes JSON the way a given document is written: its indentation, separators, line ends and escapes. Used by
// edit-notebook.

import type { JsonValue } from '../../conversation/json.ts';
import type { JsonSpan } from './json-spans.ts';

/** How a document is written. Levels count from 0 at its root. */
export interface JsonStyle {
  /** False: everything on one line. */
  readonly isPretty: boolean;
  /** Line end and indentation of a level; nothing where the document has one line. */
  readonly line: (level: number) => string;
  readonly comma: string;
  readonly colon: string;
  readonly quote: (text: string) => string;
  /** A value whose own first line stands at `level`. */
  readonly render: (value: JsonValue, level: number) => string;
}

/** The style of a document, read off its outermost object. */
export function jsonStyle(text: string, root: JsonSpan): JsonStyle {
  const [first, second] = root.type === 'object' ? root.members : [];
  const lead = first === undefined ? '' : text.slice(root.start + 1, first.start);
  const isPretty = lead.includes('\n');
  const newline = lead.includes('\r\n') ? '\r\n' : '\n';
  const unit = isPretty ? lead.slice(lead.lastIndexOf('\n') + 1) : '';
  const line = (level: number): string => (isPretty ? newline + unit.repeat(level) : '');
  const between = first !== undefined && second !== undefined ? text.slice(first.value.end, second.start) : ', ';
  const comma = isPretty ? ',' : between;
  const colon = first !== undefined && text.slice(first.start, first.value.start).endsWith(' ') ? ': ' : ':';
  // ASCII only, which is Python's default. (Every writer escapes control characters, so those prove nothing.)
  const isAscii = /(?<!\\)(?:\\\\)*\\u(?!00[01])[0-9a-f]{4}/i.test(text) && !/[^\p{ASCII}]/u.test(text);
  const quote = (value: string): string => {
    const quoted = JSON.stringify(value);
    return isAscii ? quoted.replace(/[^\p{ASCII}]/gu, escaped) : quoted;
  };
  const render = (value: JsonValue, level: number): string => {
    if (typeof value === 'string') return quote(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const isList = Array.isArray(value);
    const parts = isList
      ? value.map((item: JsonValue) => render(item, level + 1))
      : Object.entries(value).map(
          ([key, member]: [string, JsonValue]) => `${quote(key)}${colon}${render(member, level + 1)}`,
        );
    const [open, close] = isList ? ['[', ']'] : ['{', '}'];
    if (parts.length === 0) return open + close;
    return `${open}${line(level + 1)}${parts.join(comma + line(level + 1))}${line(level)}${close}`;
  };
  return { isPretty, line, comma, colon, quote, render };
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
