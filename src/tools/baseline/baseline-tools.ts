// Combines the tools for one workspace: its files and, if there is one, a shell. Called by apps and by the command line
// program.

import type { Tool } from '../../contracts/tool.ts';
import { bashTool, findBash } from './bash.ts';
import type { ChangeOptions } from './change-file.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { notebookEditTool } from './notebook-edit.ts';
import { createOutputFiles } from './output-files.ts';
import { findPowershell, powershellTool } from './powershell.ts';
import { readTool } from './read.ts';
import type { ShellEnvironment } from './shell-environment.ts';
import type { ShellOptions } from './shell-tool.ts';
import { todoWriteTool } from './todo-write.ts';
import { writeTool } from './write.ts';

/** Options of `baselineTools`; each tool uses the part that concerns it. */
export interface BaselineOptions extends ChangeOptions {
  /** Default `auto`: PowerShell on Windows, bash elsewhere; if that is missing the other one, else none. */
  readonly shell?: 'bash' | 'powershell' | 'auto';
  /**
   * The environment variables of commands. Default `scrubbed`: those of the host program, except what looks like a
   * secret.
   */
  readonly env?: ShellEnvironment;
}

/**
 * The baseline tools over one workspace: Read, Write, Edit, NotebookEdit, Glob, Grep, Bash or PowerShell, TodoWrite.
 * What a conversation has read and the folder of its shell are kept in its `ToolContext.session`, so one set serves any
 * number of conversations. Throws `options.invalid` if `cwd` is not absolute.
 */
export function baselineTools(options: BaselineOptions): Tool[] {
  const outputFiles = createOutputFiles();
  // Output files of commands can be read and searched, wherever they are.
  const reading = { ...options, readOnlyRoots: [...(options.readOnlyRoots ?? []), outputFiles.folder] };
  return [
    readTool(reading),
    writeTool(options),
    editTool(options),
    notebookEditTool(options),
    globTool(options),
    grepTool(reading),
    ...shells(options.shell ?? 'auto', { ...options, outputFiles }),
    todoWriteTool(),
  ];
}

function shells(wanted: 'bash' | 'powershell' | 'auto', options: ShellOptions): Tool[] {
  if (wanted !== 'auto') return [wanted === 'bash' ? bashTool(options) : powershellTool(options)];
  const candidates = [() => findBash() && bashTool(options), () => findPowershell() && powershellTool(options)];
  if (process.platform === 'win32') candidates.reverse();
  for (const candidate of candidates) {
    const tool = candidate();
    if (typeof tool === 'object') return [tool];
  }
  return [];
}
