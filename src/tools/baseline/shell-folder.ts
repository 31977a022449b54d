// The folder a conversation's commands run in. It lives in the session: never in the tools, never shared between two.

import { stat } from 'node:fs/promises';

import type { ToolSession } from '../../contracts/tool.ts';
import { printablePath } from './shown-path.ts';
import type { Workspace } from './workspace.ts';

const key = Symbol('turnchart.shellFolder');

/** Where a command starts, and what has to be said about it. */
export interface StartFolder {
  readonly folder: string;
  readonly note: string;
}

/** The session's folder where it still is a folder inside the roots, else the workspace's. */
export async function startFolder(workspace: Workspace, session: ToolSession): Promise<StartFolder> {
  const kept = keptIn(session).folder;
  if (kept === undefined || (await isUsable(workspace, kept))) return { folder: kept ?? workspace.cwd, note: '' };
  keptIn(session).folder = undefined;
  return {
    folder: workspace.cwd,
    note: `[The working directory ${printablePath(kept)} is gone. The command ran in ${workspace.cwd}.]`,
  };
}

/** Where the session's next command will start, as far as known without asking the disk. */
export function currentFolder(workspace: Workspace, session: ToolSession): string {
  return keptIn(session).folder ?? workspace.cwd;
}

/**
 * Keeps the folder a command ended in. One outside the roots is not kept: the session goes back to the workspace's.
 * Returns a note where the folder changed, else an empty text.
 */
export async function keepFolder(
  workspace: Workspace,
  session: ToolSession,
  started: string,
  ended: string | undefined,
): Promise<string> {
  if (ended === undefined) {
    return `[The shell did not tell its last working directory. It stays ${printablePath(started)}.]`;
  }
  if (ended === started) return '';
  const found = await workspace.resolve(ended, 'read');
  if (found.type === 'path' && (await isUsable(workspace, found.path))) {
    if (found.path === (await workspace.resolve(started, 'read').then(pathOf))) return '';
    keptIn(session).folder = found.path;
    return `[The working directory is now ${printablePath(found.path)}.]`;
  }
  keptIn(session).folder = undefined;
  return `[${printablePath(ended)} is not a folder commands may stay in. The working directory is ${workspace.cwd} again.]`;
}

function pathOf(found: Awaited<ReturnType<Workspace['resolve']>>): string | undefined {
  return found.type === 'path' ? found.path : undefined;
}

async function isUsable(workspace: Workspace, folder: string): Promise<boolean> {
  if ((await workspace.resolve(folder, 'read')).type !== 'path') return false;
  return await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function keptIn(session: ToolSession): { folder: string | undefined } {
  return session.get(key, () => ({ folder: undefined }));
}
