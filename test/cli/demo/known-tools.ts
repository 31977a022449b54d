// Tool definitions for tests of the demo model: the command's own, and the widely used names and parameters.

import type { ToolDefinition } from '../../../src/index.ts';

const text = { type: 'string' };

function definition(
  name: string,
  description: string,
  properties: ToolDefinition['parameters'],
  required: readonly string[],
): ToolDefinition {
  return { name, description, parameters: { type: 'object', properties, required } };
}

/** Definitions named and shaped like those of coding agents. */
export const codingTools: readonly ToolDefinition[] = [
  definition(
    'Read',
    'Reads a file from the local filesystem.',
    { file_path: text, offset: { type: 'number' }, limit: { type: 'number' } },
    ['file_path'],
  ),
  definition('Write', 'Writes a file to the local filesystem.', { file_path: text, content: text }, [
    'file_path',
    'content',
  ]),
  definition(
    'Edit',
    'Replaces text in a file. Read the file first.',
    { file_path: text, old_string: text, new_string: text },
    ['file_path', 'old_string', 'new_string'],
  ),
  definition('Glob', 'Fast file pattern matching that finds files by name.', { pattern: text, path: text }, [
    'pattern',
  ]),
  definition(
    'Grep',
    'Searches file contents with ripgrep regular expressions.',
    {
      pattern: text,
      path: text,
      glob: text,
      output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
    },
    ['pattern'],
  ),
  definition('Bash', 'Executes a shell command.', { command: text, description: text, timeout: { type: 'number' } }, [
    'command',
  ]),
  definition(
    'TodoWrite',
    'Keeps a to-do list.',
    {
      todos: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            content: text,
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
            activeForm: text,
          },
          required: ['content', 'status', 'activeForm'],
        },
      },
    },
    ['todos'],
  ),
  definition('NotebookEdit', 'Edits a cell of a notebook file.', { notebook_path: text, new_source: text }, [
    'notebook_path',
    'new_source',
  ]),
  definition('WebSearch', 'Searches the web for text.', { query: text }, ['query']),
  definition('TaskOutput', 'Reads the output of a background task.', { task_id: text }, ['task_id']),
];
