// The Read tool: shows a file of any size and kind as far as a model can use it, and records in the ledger what was
// shown.

import { readdir, type FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { ResultContent } from '../../conversation/block.ts';
import type { Tool, ToolContext } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { fileErrorText } from './file-errors.ts';
import { fileKind } from './file-kind.ts';
import { imageSize } from './image-size.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { missingFileText } from './name-suggestions.ts';
import { parseNotebook } from './notebook.ts';
import { openFile, type OpenedFile } from './open-file.ts';
import { fileState, readLedger, type FileState } from './read-ledger.ts';
import { readText } from './read-text.ts';
import { showCells } from './show-notebook.ts';
import { detectEncoding } from './text-encoding.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

/** Arguments of Read. */
export interface ReadArguments {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly allow_large?: boolean;
}

const defaultLimit = 2000;
const maxBytes = 50_000;
const maxBytesLarge = 256_000;
// Files up to this size are read whole: their lines are counted and their content is hashed.
const wholeFileBytes = 4 * 1024 * 1024;
const headBytes = 65_536;
const maxNotebookBytes = 32 * 1024 * 1024;
// The limit of providers, before base64 makes the data a third longer.
const maxImageBytes = 3_750_000;
const maxPdfBytes = 20 * 1024 * 1024;

const description = `Reads a file and shows it with line numbers.
- file_path: absolute, or relative to the working directory.
- Shows up to ${defaultLimit} lines and ${maxBytes / 1000} kB at a time; the note at the end gives the offset to continue with.
- Each line is shown as its number, a tab and its text. The number and the tab are not part of the file.
- Lines longer than 2000 characters are cut. Any text encoding is understood; CRLF is shown as plain line ends.
- Images (PNG, JPEG, GIF, WebP) and PDFs are shown as such; notebooks (.ipynb) cell by cell, and offset and limit then count cells.
- Read a file before you change it with Edit, Write or NotebookEdit.`;

interface ReadCall {
  readonly args: ReadArguments;
  readonly context: ToolContext;
  readonly workspace: Workspace;
  readonly file: Extract<OpenedFile, { type: 'file' }>;
}

/** Read: runs in parallel, never needs approval, may be run again after a crash. */
export function readTool(options: WorkspaceOptions): Tool {
  const workspace = createWorkspace(options);
  return defineTool({
    name: 'Read',
    description,
    parameters: lenientArguments<ReadArguments>({
      type: 'object',
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'The file to read: an absolute path, or one relative to the working directory',
        },
        offset: {
          type: 'integer',
          minimum: 0,
          description: 'The first line to show, counted from 1. Give it only to read on in a long file',
        },
        limit: { type: 'integer', minimum: 1, description: `How many lines to show. Default ${defaultLimit}` },
        allow_large: {
          type: 'boolean',
          description: `Show up to ${maxBytesLarge / 1000} kB at once instead of ${maxBytes / 1000} kB`,
        },
      },
      required: ['file_path'],
    }),
    isConcurrencySafe: true,
    needsApproval: false,
    replay: 'safe',
    execute: async (args, context) => {
      const file = await openFile(workspace, args.file_path, 'read');
      if (file.type === 'refused') return ToolResult.error(file.message);
      if (file.type === 'missing') return ToolResult.error(await missingFileText(workspace, file.path, file.shown));
      if (file.type === 'folder') return ToolResult.error(await folderText(workspace, file.path, file.shown));
      try {
        return await readOpened({ args, context, workspace, file });
      } catch (error) {
        context.signal.throwIfAborted();
        return ToolResult.error(fileErrorText(error, 'read', file.shown));
      } finally {
        await file.handle.close();
      }
    },
  });
}

async function readOpened(call: ReadCall): Promise<ToolResult> {
  const { file, args, context } = call;
  const size = Number(file.stat.size);
  const whole = size <= wholeFileBytes ? await file.handle.readFile() : undefined;
  const head = whole?.subarray(0, headBytes) ?? (await bytesAt(file.handle, headBytes));
  const state = fileState(file.stat, whole);
  const ledger = readLedger(context.session);
  if (head.length === 0) {
    ledger.recordRead(file.path, state, { isWhole: true });
    return ToolResult.text(`${file.shown} is empty (0 bytes).`);
  }
  const kind = fileKind(head);
  switch (kind.type) {
    case 'binary':
      return ToolResult.error(
        `${file.shown} is not a text file: ${kind.reason}. It looks like ${kind.mediaType} and has ${size} bytes. Use a program that knows the format.`,
      );
    case 'image':
    case 'pdf':
      return await readMedia(call, kind, whole, state);
    case 'text': {
      const notebook = /\.ipynb$/i.test(file.path) ? await readNotebook(call, whole, state) : undefined;
      if (notebook !== undefined && !('fault' in notebook)) return notebook;
      const shown = await readText({
        source: whole === undefined ? { type: 'handle', handle: file.handle, size } : { type: 'whole', bytes: whole },
        head,
        size,
        offset: Math.max(1, args.offset ?? 1),
        limit: args.limit ?? defaultLimit,
        maxBytes: args.allow_large === true ? maxBytesLarge : maxBytes,
        positionBefore: (line) => ledger.positionBefore(file.path, state, line),
        signal: context.signal,
      });
      if (shown.type === 'pastEnd') return ToolResult.error(`${file.shown} ${shown.message}`);
      ledger.recordRead(file.path, state, shown.record);
      const note = notebook === undefined ? '' : `\n[Shown as plain text: ${notebook.fault}.]`;
      return ToolResult.text(shown.text + note);
    }
  }
}

async function readMedia(
  { file, context }: ReadCall,
  kind: { readonly type: 'pdf' } | { readonly type: 'image'; readonly mediaType: string },
  whole: Buffer | undefined,
  state: FileState,
): Promise<ToolResult> {
  const size = Number(file.stat.size);
  const limit = kind.type === 'pdf' ? maxPdfBytes : maxImageBytes;
  if (size > limit) {
    const advice =
      kind.type === 'pdf'
        ? 'Split it or extract its text with a program.'
        : 'Make a smaller copy with a program and read that.';
    return ToolResult.error(`${file.shown} has ${size} bytes; the most that can be shown is ${limit}. ${advice}`);
  }
  const bytes = whole ?? (await file.handle.readFile());
  readLedger(context.session).recordRead(file.path, state, { isWhole: true });
  const data = bytes.toString('base64');
  if (kind.type === 'pdf') {
    const source = { type: 'base64', mediaType: 'application/pdf', data } as const;
    return ToolResult.blocks([
      text(`${file.shown}: PDF, ${size} bytes.`),
      { type: 'document', source, title: basename(file.path) },
    ]);
  }
  const pixels = imageSize(bytes, kind.mediaType);
  const about = pixels === undefined ? '' : `, ${pixels.width} × ${pixels.height} pixels`;
  const source = { type: 'base64', mediaType: kind.mediaType, data } as const;
  return ToolResult.blocks([
    text(`${file.shown}: ${kind.mediaType}${about}, ${size} bytes.`),
    { type: 'image', source },
  ]);
}

async function readNotebook(
  { file, args, context }: ReadCall,
  whole: Buffer | undefined,
  state: FileState,
): Promise<ToolResult | { readonly fault: string }> {
  if (file.stat.size > maxNotebookBytes) return { fault: 'it is too large to be shown as a notebook' };
  const bytes = whole ?? (await bytesAt(file.handle, Number(file.stat.size)));
  const codec = await detectEncoding(bytes, true);
  const notebook = parseNotebook(codec.view(bytes.subarray(codec.mark.length)));
  if ('fault' in notebook) return notebook;
  const ledger = readLedger(context.session);
  const total = notebook.cells.length;
  if (total === 0) {
    ledger.recordRead(file.path, state, { isWhole: true });
    return ToolResult.text(`${file.shown} is a notebook without cells.`);
  }
  const offset = Math.max(1, args.offset ?? 1);
  if (offset > total) return ToolResult.error(`${file.shown} has ${total} cells: offset ${offset} is past the end.`);
  const limit = args.limit ?? defaultLimit;
  const shown = showCells(notebook, { offset, limit, maxBytes: args.allow_large === true ? maxBytesLarge : maxBytes });
  ledger.recordRead(file.path, state, { isWhole: offset === 1 && shown.next === undefined });
  if (offset === 1 && shown.next === undefined) return ToolResult.blocks(shown.content);
  const more = shown.next === undefined ? '' : ` Continue with offset=${shown.next}.`;
  return ToolResult.blocks([...shown.content, text(`[Cells ${shown.first}-${shown.last} of ${total}.${more}]`)]);
}

async function bytesAt(handle: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

const maxEntries = 30;

async function folderText(workspace: Workspace, path: string, shown: string): Promise<string> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const isHidden = workspace.hiddenPaths();
  const names = entries
    .filter((entry) => !isHidden(join(path, entry.name)))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const more = names.length > maxEntries ? `, and ${names.length - maxEntries} more` : '';
  const list = names.length === 0 ? 'It is empty.' : `It holds ${names.slice(0, maxEntries).join(', ')}${more}.`;
  return `${shown} is a folder, not a file. ${list}`;
}

function text(value: string): ResultContent {
  return { type: 'text', text: value };
}
