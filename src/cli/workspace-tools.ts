// The command's own tools, all read-only: list, read, search and count in the folder it stands in. main.ts registers them.

import { defineTool, ToolResult, type Tool } from '../index.ts';
import { linesOf, openFolder, type Folder } from './workspace/folder.ts';
import { globMatcher } from './workspace/glob.ts';

const maxListed = 5_000;
const maxRead = 2_000;
const maxFound = 200;
const maxLineLength = 500;

const pattern = { type: 'string', description: 'Which files, as **/*.ts or src/**/*.{ts,tsx}. Default: all.' };
const path = { type: 'string', description: 'The folder to look in. Default: the whole folder.' };

/** The four tools, confined to the folder. `node_modules`, `.git` and ignored folders are left out of every answer. */
export function workspaceTools(root: string): readonly Tool[] {
  const folder = openFolder(root);
  return [listFiles(folder), readFile(folder), searchText(folder), countLines(folder)];
}

function listFiles(folder: Folder): Tool {
  return defineTool({
    name: 'list_files',
    description: 'Lists files, one path a line. node_modules, .git and ignored folders are left out.',
    parameters: { type: 'object', properties: { pattern, path }, additionalProperties: false },
    isConcurrencySafe: true,
    needsApproval: false,
    async execute(checked, { signal }) {
      const { files, cut } = await select(folder, place(checked), signal);
      const total = cut ? `more than ${files.length}` : String(files.length);
      const notes =
        files.length === 0
          ? ['(no files match)']
          : files.length > maxListed || cut
            ? [`(the first ${maxListed} of ${total} files)`]
            : [];
      return [...files.slice(0, maxListed), ...notes].join('\n');
    },
  });
}

function readFile(folder: Folder): Tool {
  return defineTool({
    name: 'read_file',
    description: `Reads a text file with line numbers, at most ${maxRead} lines at once.`,
    parameters: {
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The file.' },
        offset: { type: 'integer', minimum: 1, description: 'The first line to read, from 1.' },
        limit: { type: 'integer', minimum: 1, description: `How many lines. Default and most: ${maxRead}.` },
      },
      required: ['file_path'],
      additionalProperties: false,
    },
    isConcurrencySafe: true,
    needsApproval: false,
    async execute(checked) {
      // defineTool has checked the arguments against the schema above.
      const {
        file_path: file,
        offset = 1,
        limit = maxRead,
      } = checked as { file_path: string; offset?: number; limit?: number };
      const lines = linesOf(await folder.readText(file));
      if (lines.length === 0) return `(${file} is empty)`;
      if (offset < 1 || offset > lines.length)
        return ToolResult.error(`${file} has ${lines.length} lines; offset ${offset} is outside of them`);
      const shown = lines.slice(offset - 1, offset - 1 + Math.min(Math.max(limit, 1), maxRead));
      const numbered = shown.map(
        (line, index) => `${String(offset + index).padStart(6)}\t${line.slice(0, maxLineLength)}`,
      );
      const last = offset + shown.length - 1;
      const notes = shown.length < lines.length ? [`(lines ${offset} to ${last} of ${lines.length})`] : [];
      return [...numbered, ...notes].join('\n');
    },
  });
}

function searchText(folder: Folder): Tool {
  return defineTool({
    name: 'search_text',
    description: 'Searches the contents of text files for a plain text; answers path:line: text.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The text, taken as it is.' }, path, glob: pattern },
      required: ['text'],
      additionalProperties: false,
    },
    isConcurrencySafe: true,
    needsApproval: false,
    async execute(checked, { signal }) {
      // defineTool has checked the arguments against the schema above.
      const { text, path: from, glob } = checked as { text: string; path?: string; glob?: string };
      if (text === '') return ToolResult.error('text must not be empty');
      const { files } = await select(folder, { path: from, pattern: glob }, signal);
      const found: string[] = [];
      for (const file of files) {
        signal.throwIfAborted();
        const lines = await textLines(folder, file);
        for (const [index, line] of (lines ?? []).entries()) {
          if (line.includes(text)) found.push(`${file}:${index + 1}: ${line.trim().slice(0, maxLineLength)}`);
          if (found.length > maxFound)
            return [...found.slice(0, maxFound), `(the first ${maxFound} matches; there are more)`].join('\n');
        }
      }
      return found.length === 0 ? '(no match)' : found.join('\n');
    },
  });
}

function countLines(folder: Folder): Tool {
  return defineTool({
    name: 'count_lines',
    description: 'Counts the lines of text files; answers a number and a path a line, longest first.',
    parameters: { type: 'object', properties: { pattern, path }, additionalProperties: false },
    isConcurrencySafe: true,
    needsApproval: false,
    async execute(checked, { signal }) {
      const { files } = await select(folder, place(checked), signal);
      const counts: { readonly file: string; readonly lines: number }[] = [];
      for (const file of files) {
        signal.throwIfAborted();
        const lines = await textLines(folder, file);
        if (lines !== undefined) counts.push({ file, lines: lines.length });
      }
      counts.sort((left, right) => right.lines - left.lines);
      const total = counts.reduce((sum, { lines }) => sum + lines, 0);
      const shown = counts.slice(0, maxListed).map(({ file, lines }) => `${String(lines).padStart(7)} ${file}`);
      const skipped = files.length - counts.length;
      const listed = counts.length > maxListed ? `the first ${maxListed} of these: ` : '';
      const rest = skipped > 0 ? `; ${skipped} skipped: not text or too large` : '';
      return [...shown, `(${listed}${total} lines in ${counts.length} files${rest})`].join('\n');
    },
  });
}

interface Place {
  readonly pattern?: string | undefined;
  readonly path?: string | undefined;
}

function place(checked: unknown): Place {
  return checked as Place; // defineTool has checked the arguments against the tool's schema
}

async function select(folder: Folder, { pattern, path }: Place, signal: AbortSignal) {
  const { files, cut } = await folder.walk(path ?? '.', signal);
  return { files: pattern === undefined ? files : files.filter(globMatcher(pattern)), cut };
}

// Undefined for what is no text: counting and searching go on with the next file.
async function textLines(folder: Folder, file: string): Promise<readonly string[] | undefined> {
  try {
    return linesOf(await folder.readText(file));
  } catch {
    return undefined;
  }
}
