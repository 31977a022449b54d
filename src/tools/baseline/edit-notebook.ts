// The notebook edit itself, from text to text: changes one cell and leaves every other byte as it is. Pure except for
// the random ids of new cells; called by NotebookEdit and its preview.

import { randomUUID } from 'node:crypto';

import type { JsonValue } from '../../conversation/json.ts';
import { jsonSpans, memberOf, type JsonSpan } from './json-spans.ts';
import { jsonStyle, type JsonStyle } from './json-style.ts';
import { cellName, findCell, parseNotebook, type CellType, type Notebook, type NotebookCell } from './notebook.ts';

/** What to do. `cellId` is an id or an index-style name; without one, insert puts the cell at the top. */
export interface NotebookChange {
  readonly mode: 'replace' | 'insert' | 'delete';
  readonly cellId?: string;
  readonly source: string;
  readonly cellType?: CellType;
}

/** The new text and what was done to which cell, or why not, in words for the model. */
export type NotebookOutcome =
  | { readonly type: 'edited'; readonly text: string; readonly done: string }
  | { readonly type: 'refused'; readonly message: string };

interface Place {
  readonly text: string;
  readonly style: JsonStyle;
  readonly notebook: Notebook;
  readonly list: Extract<JsonSpan, { type: 'array' }>;
}

/** Applies the change to a notebook's text (LF or CRLF, any indentation). */
export function editNotebook(text: string, change: NotebookChange): NotebookOutcome {
  const notebook = parseNotebook(text);
  if ('fault' in notebook) return refused(`The file cannot be edited as a notebook: ${notebook.fault}.`);
  const root = spansOf(text);
  if (root === undefined) return refused('The file cannot be edited as a notebook: its JSON is nested too deeply.');
  const list = memberOf(root, 'cells')?.value;
  if (list?.type !== 'array') return refused('The file cannot be edited as a notebook: it has no list of cells.');
  const place: Place = { text, style: jsonStyle(text, root), notebook, list };
  const cell = change.cellId === undefined ? undefined : findCell(notebook, change.cellId);
  if (cell !== undefined && 'fault' in cell) return refused(cell.fault);
  if (change.mode === 'insert') return inserted(place, change, cell);
  if (cell === undefined)
    return refused(`edit_mode ${change.mode} needs a cell_id. Read shows the cells with their ids.`);
  return change.mode === 'delete' ? deleted(place, cell) : replaced(place, change, cell);
}

function spansOf(text: string): JsonSpan | undefined {
  try {
    return jsonSpans(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the call stack is exhausted: `JSON.parse` goes deeper
    throw error;
  }
}

function inserted(place: Place, change: NotebookChange, after: NotebookCell | undefined): NotebookOutcome {
  const { text, list, style } = place;
  if (change.cellType === undefined) return refused('edit_mode insert needs a cell_type: code, markdown or raw.');
  const id = place.notebook.minor >= 5 ? newId(place.notebook) : undefined;
  const cell = style.render(newCell(change.cellType, lines(change.source), id), 2);
  const index = after === undefined ? 0 : after.index + 1;
  const done = `Inserted a ${change.cellType} cell as ${id ?? `cell-${index}`}, ${after === undefined ? 'at the top' : `after ${cellName(after)}`}.`;
  const first = list.items[0];
  const previous = list.items[index - 1];
  if (first === undefined) {
    return edited(spliced(text, list.start, list.end, `[${style.line(2)}${cell}${style.line(1)}]`), done);
  }
  const gap = style.isPretty ? text.slice(list.start + 1, first.start) : style.comma.slice(1);
  if (previous === undefined) return edited(spliced(text, first.start, first.start, `${cell},${gap}`), done);
  return edited(spliced(text, previous.end, previous.end, `,${gap}${cell}`), done);
}

function deleted(place: Place, cell: NotebookCell): NotebookOutcome {
  const { text, list } = place;
  const span = list.items[cell.index];
  const next = list.items[cell.index + 1];
  const previous = list.items[cell.index - 1];
  const done = `Deleted ${cellName(cell)} (${cell.type}).`;
  if (span === undefined || (next === undefined && previous === undefined)) {
    return edited(spliced(text, list.start, list.end, '[]'), done);
  }
  if (next !== undefined) return edited(spliced(text, span.start, next.start, ''), done);
  return edited(spliced(text, previous?.end ?? span.start, span.end, ''), done);
}

function replaced(place: Place, change: NotebookChange, cell: NotebookCell): NotebookOutcome {
  const { text, style, notebook } = place;
  const span = place.list.items[cell.index];
  if (span?.type !== 'object') return refused(`Cell ${cellName(cell)} is not an object.`);
  // Other programs may use either of the two.
  const twice = span.members.find(({ key }, index) => span.members.findIndex((other) => other.key === key) < index);
  if (twice !== undefined) {
    return refused(`Cell ${cellName(cell)} has the field ${twice.key} twice: delete it and insert it again.`);
  }
  const type = change.cellType ?? cell.type;
  const isLines = text[memberOf(span, 'source')?.value.start ?? -1] !== '"';
  const wanted = new Map<string, JsonValue | undefined>([
    ['cell_type', type === cell.type ? undefined : type],
    ['source', isLines ? lines(change.source) : change.source],
  ]);
  if (type === 'code') wanted.set('outputs', []).set('execution_count', null);
  if (notebook.minor >= 5 && cell.id === undefined) wanted.set('id', newId(notebook));
  const gone = new Set(type === cell.type ? [] : type === 'code' ? ['attachments'] : ['outputs', 'execution_count']);
  const members = span.members
    .filter(({ key }) => !gone.has(key))
    .map((member) => {
      const value = wanted.get(member.key);
      wanted.delete(member.key);
      const raw = text.slice(member.value.start, member.value.end);
      return { key: member.key, member, raw: value === undefined ? raw : style.render(value, 3) };
    });
  const isSameShape =
    members.length === span.members.length && [...wanted.values()].every((value) => value === undefined);
  const became = type === cell.type ? '' : `, now ${type}`;
  const done = `Replaced the source of ${cellName(cell)} (${cell.type}${became})${type === 'code' ? ' and cleared its outputs' : ''}.`;
  if (isSameShape) {
    // From the last member to the first, so that earlier positions stay valid.
    const changed = members
      .toReversed()
      .reduce((all, { member, raw }) => spliced(all, member.value.start, member.value.end, raw), text);
    return edited(changed, done);
  }
  const all = members.map(({ key, raw }) => ({ key, raw }));
  for (const [key, value] of wanted) {
    if (value === undefined) continue;
    const behind = all.findIndex((other) => other.key > key);
    all.splice(behind < 0 ? all.length : behind, 0, { key, raw: style.render(value, 3) });
  }
  const body = all.map(({ key, raw }) => `${style.line(3)}${style.quote(key)}${style.colon}${raw}`).join(style.comma);
  return edited(spliced(text, span.start, span.end, `{${body}${style.line(2)}}`), done);
}

// Keys in the order nbformat writes them.
function newCell(type: CellType, source: string[], id: string | undefined): JsonValue {
  return {
    cell_type: type,
    ...(type === 'code' ? { execution_count: null } : {}),
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(type === 'code' ? { outputs: [] } : {}),
    source,
  };
}

// As nbformat makes them: the first eight characters of a random UUID.
function newId(notebook: Notebook): string {
  const taken = new Set(notebook.cells.map(({ id }) => id));
  let id = randomUUID().slice(0, 8);
  while (taken.has(id)) id = randomUUID().slice(0, 8);
  return id;
}

// The on-disk form of a text: its lines, each with its line feed.
function lines(source: string): string[] {
  return source.replace(/\r\n?/g, '\n').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function spliced(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function edited(text: string, done: string): NotebookOutcome {
  return { type: 'edited', text, done };
}

function refused(message: string): NotebookOutcome {
  return { type: 'refused', message };
}
