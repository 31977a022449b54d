// The NotebookEdit tool: replaces, inserts or deletes one cell of a Jupyter notebook and leaves the others byte for
// byte.

import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import {
  changeFile,
  createChanger,
  previewChange,
  type Changer,
  type ChangeOptions,
  type Decide,
} from './change-file.ts';
import { editNotebook } from './edit-notebook.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { lineBreaksOf, withLineFeeds } from './line-endings.ts';
import { missingFileText } from './name-suggestions.ts';
import type { CellType } from './notebook.ts';
import { detectEncoding } from './text-encoding.ts';

/** Arguments of NotebookEdit. */
export interface NotebookEditArguments {
  readonly notebook_path: string;
  readonly cell_id?: string;
  readonly new_source?: string;
  readonly cell_type?: CellType;
  readonly edit_mode?: 'replace' | 'insert' | 'delete';
}

const description = `Changes one cell of a Jupyter notebook (.ipynb, nbformat 4).
- edit_mode replace (the default) puts new_source into the cell cell_id; the outputs of a code cell are cleared.
- edit_mode insert adds a cell of cell_type behind the cell cell_id, or at the top without cell_id.
- edit_mode delete removes the cell cell_id.
- Cells are named as Read shows them; cell-0 is the first cell of a notebook without ids.
- The notebook must have been read in this conversation first.`;

/** NotebookEdit: runs alone, needs approval if there is an `approve` function, must not be run again after a crash. */
export function notebookEditTool(options: ChangeOptions): Tool {
  const changer = createChanger(options);
  return defineTool({
    name: 'NotebookEdit',
    description,
    parameters: lenientArguments<NotebookEditArguments>({
      type: 'object',
      properties: {
        notebook_path: {
          type: 'string',
          minLength: 1,
          description: 'The notebook: an absolute path, or one relative to the working directory',
        },
        cell_id: { type: 'string', description: 'The cell to change, or after which to insert' },
        new_source: { type: 'string', description: 'The new source of the cell. Not needed to delete' },
        cell_type: {
          type: 'string',
          enum: ['code', 'markdown', 'raw'],
          description: 'Needed to insert; otherwise the cell keeps its type',
        },
        edit_mode: { type: 'string', enum: ['replace', 'insert', 'delete'], description: 'Default replace' },
      },
      required: ['notebook_path'],
    }),
    isConcurrencySafe: false,
    replay: 'unsafe',
    preview: (args, context) => previewChange(changer, args.notebook_path, context, decideNotebook(changer, args)),
    execute: (args, context) => changeFile(changer, args.notebook_path, context, decideNotebook(changer, args)),
  });
}

function decideNotebook({ workspace }: Changer, args: NotebookEditArguments): Decide {
  return async ({ path, shown, bytes }) => {
    if (bytes === undefined) return { type: 'refuse', message: await missingFileText(workspace, path, shown) };
    if (!/\.ipynb$/i.test(path)) return { type: 'refuse', message: `${shown} is not a notebook (.ipynb): use Edit.` };
    const mode = args.edit_mode ?? 'replace';
    if (mode !== 'delete' && args.new_source === undefined) {
      return { type: 'refuse', message: `edit_mode ${mode} needs new_source.` };
    }
    const codec = await detectEncoding(bytes, true);
    const text = codec.decode(bytes.subarray(codec.mark.length));
    if (text === undefined || codec.name !== 'UTF-8') {
      return {
        type: 'refuse',
        message: `${shown} is not valid UTF-8, which notebooks must be (it looks like ${codec.name}).`,
      };
    }
    const outcome = editNotebook(text, {
      mode,
      source: (args.new_source ?? '').toWellFormed(),
      // Models send an empty name to mean no cell.
      ...(args.cell_id === undefined || args.cell_id === '' ? {} : { cellId: args.cell_id }),
      ...(args.cell_type === undefined ? {} : { cellType: args.cell_type }),
    });
    if (outcome.type === 'refused') return { type: 'refuse', message: outcome.message };
    if (outcome.text === text)
      return { type: 'leave', message: `${shown} already has this content. Nothing was changed.` };
    return {
      type: 'replace',
      bytes: Buffer.concat([codec.mark, codec.encode(outcome.text)]),
      textBefore: plain(text),
      textAfter: plain(outcome.text),
      say: () => `${outcome.done}`,
    };
  };
}

function plain(text: string): string {
  return withLineFeeds(text, lineBreaksOf(text));
}
