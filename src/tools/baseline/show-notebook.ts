// Shows a notebook to a model cell by cell, with outputs and pictures. Called by Read.

import type { ResultContent, TextBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { boundedText } from '../bounded-text.ts';
import { cellName, field, joined, type Notebook, type NotebookCell } from './notebook.ts';

/** Which cells: `offset` is 1-based. The first cell is shown whatever it takes, cut to `maxBytes`. */
export interface CellWindow {
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** What is shown, and the first cell (1-based) that is not any more. */
export interface ShownCells {
  readonly content: readonly ResultContent[];
  readonly first: number;
  readonly last: number;
  readonly next?: number;
}

const maxOutputBytes = 4096;
const maxPictureLength = 4 * 1024 * 1024;
const maxPictures = 10;

/** The window's cells. `offset` must not be past the last cell. */
export function showCells(notebook: Notebook, window: CellWindow): ShownCells {
  const content: ResultContent[] = [];
  let bytes = 0;
  let pictures = 0;
  let last = window.offset - 1;
  for (const cell of notebook.cells.slice(window.offset - 1, window.offset - 1 + window.limit)) {
    const shown = showCell(cell, notebook, window.maxBytes, maxPictures - pictures);
    const size = shown.reduce((sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : 0), 0);
    if (last >= window.offset && bytes + size > window.maxBytes) break;
    bytes += size;
    pictures += shown.filter((block) => block.type === 'image').length;
    for (const block of shown) append(content, block);
    last++;
  }
  return { content, first: window.offset, last, ...(last < notebook.cells.length ? { next: last + 1 } : {}) };
}

function showCell(cell: NotebookCell, notebook: Notebook, maxBytes: number, pictures: number): ResultContent[] {
  const language = cell.type === 'code' && notebook.language !== undefined ? ` language="${notebook.language}"` : '';
  const count = cell.executionCount === undefined ? '' : ` execution_count="${cell.executionCount}"`;
  const head = `<cell id="${cellName(cell)}" type="${cell.type}"${language}${count}>`;
  const blocks: ResultContent[] = [text(`${head}\n${boundedText(cell.source, maxBytes)}\n</cell>`)];
  let room = pictures;
  for (const output of cell.outputs) {
    for (const block of showOutput(output, room)) {
      if (block.type === 'image') room--;
      blocks.push(block);
    }
  }
  return blocks;
}

function showOutput(output: JsonValue, pictures: number): ResultContent[] {
  const type = field(output, 'output_type');
  if (type === 'stream') return [result(String(field(output, 'name') ?? 'stream'), joined(field(output, 'text')))];
  if (type === 'error') {
    const what = `${String(field(output, 'ename') ?? 'Error')}: ${String(field(output, 'evalue') ?? '')}`;
    const trace = field(output, 'traceback');
    return [result('error', Array.isArray(trace) && trace.length > 0 ? trace.join('\n') : what)];
  }
  const data = field(output, 'data');
  if (typeof data !== 'object' || data === null) return [];
  const shown: ResultContent[] = [];
  const plain = joined(field(data, 'text/plain'));
  if (plain !== '') shown.push(result('result', plain));
  const others: string[] = [];
  for (const [mediaType, value] of Object.entries(data) as [string, unknown][]) {
    if (mediaType === 'text/plain') continue;
    const encoded = joined(value).replace(/\s/g, '');
    const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) && /^[A-Za-z0-9+/]+=*$/.test(encoded);
    if (
      isPicture &&
      encoded.length <= maxPictureLength &&
      shown.filter((block) => block.type === 'image').length < pictures
    ) {
      shown.push({ type: 'image', source: { type: 'base64', mediaType, data: encoded } });
    } else others.push(`${mediaType} (${joined(value).length} characters)`);
  }
  if (others.length > 0) shown.push(text(`[output not shown: ${others.join(', ')}]`));
  return shown;
}

function result(name: string, value: string): TextBlock {
  return text(`<output name="${name}">\n${boundedText(withoutColour(value).trimEnd(), maxOutputBytes)}\n</output>`);
}

// Tracebacks come with ANSI colours.
function withoutColour(value: string): string {
  return value.replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
}

function text(value: string): TextBlock {
  return { type: 'text', text: value.toWellFormed() };
}

// Neighbouring texts become one block.
function append(content: ResultContent[], block: ResultContent): void {
  const last = content.at(-1);
  if (block.type === 'text' && last?.type === 'text') content[content.length - 1] = text(`${last.text}\n${block.text}`);
  else content.push(block);
}
