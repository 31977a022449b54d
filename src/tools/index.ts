// Entry `turnchart/tools` (Node): tools for work on files.

export { baselineTools, type BaselineOptions } from './baseline/baseline-tools.ts';
export type { ChangeOptions } from './baseline/change-file.ts';
export { editTool, type EditArguments } from './baseline/edit.ts';
export { notebookEditTool, type NotebookEditArguments } from './baseline/notebook-edit.ts';
export { readTool, type ReadArguments } from './baseline/read.ts';
export { todosOf, todoWriteTool, type Todo } from './baseline/todo-write.ts';
export { defaultDenied, type WorkspaceOptions } from './baseline/workspace.ts';
export { writeTool, type WriteArguments } from './baseline/write.ts';
