// Entry `turnchart/tools` (Node): tools for work on files and with a shell.

export { baselineTools, type BaselineOptions } from './baseline/baseline-tools.ts';
export { bashTool } from './baseline/bash.ts';
export type { ChangeOptions } from './baseline/change-file.ts';
export { editTool, type EditArguments } from './baseline/edit.ts';
export { globTool, type GlobArguments, type GlobOptions } from './baseline/glob.ts';
export { grepTool, type GrepOptions } from './baseline/grep.ts';
export type { GrepArguments } from './baseline/grep-arguments.ts';
export { notebookEditTool, type NotebookEditArguments } from './baseline/notebook-edit.ts';
export type { OutputFiles } from './baseline/output-files.ts';
export { powershellTool } from './baseline/powershell.ts';
export { isReadOnlyCommand, readOnlyPrograms } from './baseline/read-only-commands.ts';
export { readTool, type ReadArguments } from './baseline/read.ts';
export type { ShellEnvironment } from './baseline/shell-environment.ts';
export type { ShellArguments, ShellOptions } from './baseline/shell-tool.ts';
export { todosOf, todoWriteTool, type Todo } from './baseline/todo-write.ts';
export { defaultDenied, type WorkspaceOptions } from './baseline/workspace.ts';
export { writeTool, type WriteArguments } from './baseline/write.ts';
