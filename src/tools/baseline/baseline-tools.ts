// Gathers the tools for work on files of one workspace. Called by apps and by the command line program.

import type { Tool } from '../../contracts/tool.ts';
import type { ChangeOptions } from './change-file.ts';
import { editTool } from './edit.ts';
import { notebookEditTool } from './notebook-edit.ts';
import { readTool } from './read.ts';
import { todoWriteTool } from './todo-write.ts';
import { writeTool } from './write.ts';

/** Options of `baselineTools`; each tool takes the part that concerns it. */
export interface BaselineOptions extends ChangeOptions {}

/**
 * The baseline tools over one workspace. What a conversation has read lives in its `ToolContext.session`, so one set
 * serves any number of conversations. Throws `options.invalid` when `cwd` is not absolute.
 */
export function baselineTools(options: BaselineOptions): Tool[] {
  return [readTool(options), writeTool(options), editTool(options), notebookEditTool(options), todoWriteTool()];
}
