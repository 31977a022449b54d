// The line being typed: text, cursor and history, and what each key does to them. Pure; the console keeps one.

import { stripVTControlCharacters } from 'node:util';
import { plainText } from './plain-text.ts';

/** A key as node:readline reads it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

/** A text that is edited; it may have several lines. `cursor` counts UTF-16 units. */
export interface LineEditor {
  readonly text: string;
  readonly cursor: number;
  /** Earlier lines, oldest first. */
  readonly history: readonly string[];
  /** Which of them is shown; `history.length` = the draft. */
  readonly at: number;
  readonly draft: string;
  /** The text that was cut last. */
  readonly cut: string;
}

const maxHistory = 500;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** An empty line without history. */
export const emptyLine: LineEditor = { text: '', cursor: 0, history: [], at: 0, draft: '', cut: '' };

/** Inserts text at the cursor, without escape sequences and control characters. */
export function withInserted(editor: LineEditor, inserted: string): LineEditor {
  const text = plainText(stripVTControlCharacters(inserted));
  return withText(
    editor,
    editor.text.slice(0, editor.cursor) + text + editor.text.slice(editor.cursor),
    editor.cursor + text.length,
  );
}

/** An empty line. The old one goes into the history, unless it is blank or the same as the line before. */
export function afterSubmit(editor: LineEditor): LineEditor {
  const isNew = editor.text.trim() !== '' && editor.text !== editor.history.at(-1);
  const history = isNew ? [...editor.history, editor.text].slice(-maxHistory) : editor.history;
  return { ...editor, text: '', cursor: 0, history, at: history.length, draft: '' };
}

/** The editor after the key; the same object if the key has no meaning. The console handles Enter, Esc and Ctrl-C. */
export function editedBy(editor: LineEditor, key: Key): LineEditor {
  const { text, cursor } = editor;
  const name = `${key.ctrl === true ? 'ctrl-' : ''}${key.meta === true ? 'alt-' : ''}${key.name ?? ''}`;
  switch (name) {
    case 'left':
    case 'ctrl-b':
      return movedTo(editor, before(text, cursor));
    case 'right':
    case 'ctrl-f':
      return movedTo(editor, after(text, cursor));
    case 'ctrl-left':
    case 'alt-left':
    case 'alt-b':
      return movedTo(editor, wordBefore(text, cursor));
    case 'ctrl-right':
    case 'alt-right':
    case 'alt-f':
      return movedTo(editor, wordAfter(text, cursor));
    case 'home':
    case 'ctrl-a':
      return movedTo(editor, lineStart(text, cursor));
    case 'end':
    case 'ctrl-e':
      return movedTo(editor, lineEnd(text, cursor));
    case 'up':
      return text.slice(0, cursor).includes('\n') ? movedTo(editor, lineAbove(text, cursor)) : recalled(editor, -1);
    case 'down':
      return text.slice(cursor).includes('\n') ? movedTo(editor, lineBelow(text, cursor)) : recalled(editor, 1);
    case 'ctrl-p':
      return recalled(editor, -1);
    case 'ctrl-n':
      return recalled(editor, 1);
    case 'backspace':
    case 'ctrl-h':
      return without(editor, before(text, cursor), cursor);
    case 'delete':
    case 'ctrl-d':
      return without(editor, cursor, after(text, cursor));
    case 'ctrl-w':
    case 'alt-backspace':
      return cutOut(editor, wordBefore(text, cursor), cursor);
    case 'alt-d':
      return cutOut(editor, cursor, wordAfter(text, cursor));
    case 'ctrl-u':
      return cutOut(editor, lineStart(text, cursor), cursor);
    case 'ctrl-k':
      return cutOut(editor, cursor, lineEnd(text, cursor));
    case 'ctrl-y':
      return withInserted(editor, editor.cut);
    case 'enter':
    case 'alt-return':
    case 'alt-enter':
      return withInserted(editor, '\n');
    default: {
      const typed = key.sequence ?? '';
      const isText = key.ctrl !== true && key.meta !== true && typed >= ' ' && !typed.startsWith('\u001B');
      return isText ? withInserted(editor, typed) : editor;
    }
  }
}

function withText(editor: LineEditor, text: string, cursor: number): LineEditor {
  return { ...editor, text, cursor, at: editor.history.length, draft: text };
}

function movedTo(editor: LineEditor, cursor: number): LineEditor {
  return cursor === editor.cursor ? editor : { ...editor, cursor };
}

function without(editor: LineEditor, from: number, to: number): LineEditor {
  return from === to ? editor : withText(editor, editor.text.slice(0, from) + editor.text.slice(to), from);
}

function cutOut(editor: LineEditor, from: number, to: number): LineEditor {
  return from === to ? editor : { ...without(editor, from, to), cut: editor.text.slice(from, to) };
}

function recalled(editor: LineEditor, by: -1 | 1): LineEditor {
  const at = editor.at + by;
  if (at < 0 || at > editor.history.length) return editor;
  const text = editor.history[at] ?? editor.draft;
  return { ...editor, text, cursor: text.length, at };
}

function before(text: string, cursor: number): number {
  return cursor === 0 ? 0 : (graphemes.segment(text).containing(cursor - 1)?.index ?? 0);
}

function after(text: string, cursor: number): number {
  return cursor + (graphemes.segment(text).containing(cursor)?.segment.length ?? 0);
}

function wordBefore(text: string, cursor: number): number {
  return text.slice(0, cursor).replace(/\S+\s*$|\s+$/u, '').length;
}

function wordAfter(text: string, cursor: number): number {
  return cursor + (/^\s*\S*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

function lineAbove(text: string, cursor: number): number {
  const start = lineStart(text, cursor);
  const above = lineStart(text, start - 1);
  return onBoundary(text, Math.min(above + cursor - start, start - 1));
}

function lineBelow(text: string, cursor: number): number {
  const below = lineEnd(text, cursor) + 1;
  return onBoundary(text, Math.min(below + cursor - lineStart(text, cursor), lineEnd(text, below)));
}

function onBoundary(text: string, cursor: number): number {
  return graphemes.segment(text).containing(cursor)?.index ?? text.length;
}
