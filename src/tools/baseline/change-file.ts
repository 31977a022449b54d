// What every change of a file has in common: one at a time and in call order, only if the file was read and has not
// changed, replaced in one step, noted in the ledger. Called by Write, Edit and NotebookEdit; each decides what to
// write.

import type { BigIntStats } from 'node:fs';

import type { JsonValue } from '../../conversation/json.ts';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolResult } from '../tool-result.ts';
import { fileDiff, type FileDiff } from './file-diff.ts';
import { fileErrorText } from './file-errors.ts';
import { openFile } from './open-file.ts';
import { inCallOrder } from './path-lock.ts';
import { fileState, readLedger } from './read-ledger.ts';
import { replaceFile } from './replace-file.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

/** Options of the tools that change files. */
export interface ChangeOptions extends WorkspaceOptions {
  /** Refuse to change a file that was not read in this conversation or has changed since. Default true. */
  readonly readBeforeEdit?: boolean;
}

/** The options, read once per tool. */
export interface Changer {
  readonly workspace: Workspace;
  readonly readBeforeEdit: boolean;
}

/** The file before the change; without `bytes` it does not exist yet. */
export interface FileBefore {
  /** Canonical. */
  readonly path: string;
  /** As the model wrote it. */
  readonly shown: string;
  readonly bytes?: Buffer;
}

/**
 * What a tool wants to do. The texts have LF line ends and are used for the diff. `say` makes the answer for the model.
 */
export type Decision =
  | { readonly type: 'refuse'; readonly message: string }
  | { readonly type: 'leave'; readonly message: string }
  | {
      readonly type: 'replace';
      readonly bytes: Buffer;
      readonly textBefore: string;
      readonly textAfter: string;
      readonly say: (diff: FileDiff) => string;
    };

/** Decides by the file's content. Also called for the preview: it must not have effects. */
export type Decide = (before: FileBefore) => Decision | Promise<Decision>;

type Loaded =
  | { readonly type: 'loaded'; readonly before: FileBefore; readonly stat?: BigIntStats }
  | { readonly type: 'refused'; readonly message: string };

const maxFileBytes = 64 * 1024 * 1024;
const resultLines = 60;
const previewLines = 400;

/** Throws `options.invalid` when `cwd` is not absolute. */
export function createChanger(options: ChangeOptions): Changer {
  return { workspace: createWorkspace(options), readBeforeEdit: options.readBeforeEdit ?? true };
}

/** Changes the file the model named. Call it before any await: the order of these calls is the order of the changes. */
export async function changeFile(
  changer: Changer,
  named: string,
  context: ToolContext,
  decide: Decide,
): Promise<ToolResult> {
  const { session, signal } = context;
  const located = changer.workspace
    .resolve(named, 'write')
    .then((found) => (found.type === 'path' ? found.path : undefined));
  return await inCallOrder(session, located, signal, async () => {
    signal.throwIfAborted();
    const loaded = await load(changer, named, context);
    if (loaded.type === 'refused') return ToolResult.error(loaded.message);
    const { before, stat } = loaded;
    const known = await located;
    if (before.path !== known) return ToolResult.error(`${before.shown} leads to another file by now. Try again.`);
    const decision = await decide(before);
    if (decision.type === 'refuse') return ToolResult.error(decision.message);
    if (decision.type === 'leave') return ToolResult.text(decision.message);
    try {
      const content = decision.bytes;
      const replaced = await replaceFile({
        path: before.path,
        content,
        signal,
        ...(stat === undefined ? {} : { before: stat }),
      });
      if (replaced.type === 'refused') {
        return ToolResult.error(`${before.shown} was not changed: ${replaced.reason}.`);
      }
      readLedger(session).recordWritten(before.path, replaced.state);
    } catch (error) {
      signal.throwIfAborted();
      return ToolResult.error(fileErrorText(error, 'written', before.shown));
    }
    return ToolResult.text(
      decision.say(fileDiff(decision.textBefore, decision.textAfter, resultLines)) + linksNote(stat),
    );
  });
}

/**
 * What a person sees before approving: `{ type: 'create' | 'update', path, diff, added, removed }`, or `{ type:
 * 'refused' | 'unchanged', path, message }` if the call will fail or change nothing.
 */
export async function previewChange(
  changer: Changer,
  named: string,
  context: ToolContext,
  decide: Decide,
): Promise<JsonValue> {
  const loaded = await load(changer, named, context);
  if (loaded.type === 'refused') return { type: 'refused', path: named, message: loaded.message };
  const decision = await decide(loaded.before);
  if (decision.type !== 'replace') {
    return { type: decision.type === 'refuse' ? 'refused' : 'unchanged', path: named, message: decision.message };
  }
  const { text, added, removed } = fileDiff(decision.textBefore, decision.textAfter, previewLines);
  return { type: loaded.stat === undefined ? 'create' : 'update', path: named, diff: text, added, removed };
}

async function load({ workspace, readBeforeEdit }: Changer, named: string, context: ToolContext): Promise<Loaded> {
  const file = await openFile(workspace, named, 'write');
  if (file.type === 'refused') return file;
  const { path, shown } = file;
  if (file.type === 'folder') return { type: 'refused', message: `${shown} is a folder, not a file.` };
  if (file.type === 'missing') return { type: 'loaded', before: { path, shown } };
  try {
    if (file.stat.size > maxFileBytes) {
      return {
        type: 'refused',
        message: `${shown} has ${file.stat.size} bytes; files over ${maxFileBytes} bytes are not changed by this tool.`,
      };
    }
    const bytes = await file.handle.readFile({ signal: context.signal });
    const freshness = readBeforeEdit
      ? readLedger(context.session).freshness(path, fileState(file.stat, bytes))
      : 'fresh';
    if (freshness === 'unread') {
      return {
        type: 'refused',
        message: `${shown} exists and was not read in this conversation. Read it first, then repeat the call.`,
      };
    }
    if (freshness === 'stale') {
      return {
        type: 'refused',
        message: `${shown} was changed since it was last read, by another program or by the user. Read it again, then repeat the call.`,
      };
    }
    return { type: 'loaded', before: { path, shown, bytes }, stat: file.stat };
  } catch (error) {
    context.signal.throwIfAborted();
    return { type: 'refused', message: fileErrorText(error, 'read', shown) };
  } finally {
    await file.handle.close();
  }
}

function linksNote(stat: BigIntStats | undefined): string {
  const others = stat === undefined ? 0n : stat.nlink - 1n;
  return others > 0n
    ? `\n[The file had ${others} other hard link${others === 1n ? '' : 's'}: there the old content stays.]`
    : '';
}
