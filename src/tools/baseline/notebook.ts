// A Jupyter notebook (nbformat 4) as cells, and how a model names one of them. Used by Read and NotebookEdit.

import type { JsonValue } from '../../conversation/json.ts';
import { messageOf } from '../../contracts/errors.ts';

/** The three kinds of nbformat 4. */
export type CellType = 'code' | 'markdown' | 'raw';

/** One cell. `id` is the file's own, which only nbformat 4.5 and later have. */
export interface NotebookCell {
  readonly index: number;
  readonly id?: string;
  readonly type: CellType;
  readonly source: string;
  readonly outputs: readonly JsonValue[];
  readonly executionCount?: number;
}

/** What the tools need of a notebook. */
export interface Notebook {
  readonly minor: number;
  readonly language?: string;
  readonly cells: readonly NotebookCell[];
}

/** The notebook in a JSON text, or why it is not one, as the end of a sentence. */
export function parseNotebook(text: string): Notebook | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `it is not valid JSON (${messageOf(error)})` };
  }
  const major = field(value, 'nbformat');
  if (typeof major !== 'number') return { fault: 'it has no nbformat number' };
  if (major !== 4)
    return {
      fault: `it has nbformat ${major}, and only nbformat 4 is understood; convert it with "jupyter nbconvert --to notebook"`,
    };
  const minor = field(value, 'nbformat_minor');
  const cells = field(value, 'cells');
  if (!Array.isArray(cells)) return { fault: 'it has no list of cells' };
  const read: NotebookCell[] = [];
  for (const [index, cell] of cells.entries()) {
    const type: unknown = field(cell, 'cell_type');
    if (type !== 'code' && type !== 'markdown' && type !== 'raw')
      return { fault: `cell ${index} has no known cell_type` };
    const id = field(cell, 'id');
    const outputs = field(cell, 'outputs');
    const count = field(cell, 'execution_count');
    read.push({
      index,
      ...(typeof id === 'string' ? { id } : {}),
      type,
      source: joined(field(cell, 'source')),
      outputs: Array.isArray(outputs) ? (outputs as JsonValue[]) : [], // out of JSON.parse
      ...(typeof count === 'number' ? { executionCount: count } : {}),
    });
  }
  const metadata = field(value, 'metadata');
  const language = field(field(metadata, 'language_info'), 'name') ?? field(field(metadata, 'kernelspec'), 'language');
  return {
    minor: typeof minor === 'number' ? minor : 0,
    ...(typeof language === 'string' ? { language } : {}),
    cells: read,
  };
}

/** The name a model uses for a cell: its id, else `cell-<index>` counted from 0. */
export function cellName(cell: NotebookCell): string {
  return cell.id ?? `cell-${cell.index}`;
}

/** The cell a model means by an id, `cell-3` or `3`; or what is wrong with the name, as a sentence. */
export function findCell(notebook: Notebook, name: string): NotebookCell | { readonly fault: string } {
  const byId = notebook.cells.filter((cell) => cell.id === name);
  const [cell] = byId;
  if (byId.length > 1) {
    return {
      fault: `${byId.length} cells have the id ${name}: use ${byId.map(({ index }) => `cell-${index}`).join(' or ')} instead.`,
    };
  }
  if (cell !== undefined) return cell;
  const index = /^(?:cell-)?(\d{1,9})$/.exec(name)?.[1];
  const byIndex = index === undefined ? undefined : notebook.cells[Number(index)];
  if (byIndex !== undefined) return byIndex;
  const known = notebook.cells.slice(0, 20).map(cellName).join(', ');
  const more = notebook.cells.length > 20 ? `, … (${notebook.cells.length} cells)` : '';
  return {
    fault: `There is no cell ${name}. ${known === '' ? 'The notebook has no cells.' : `The cells are ${known}${more}.`}`,
  };
}

/** A member of an object; undefined if there is none. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** nbformat writes texts as one string or as a list of lines. */
export function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}
