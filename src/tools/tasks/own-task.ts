// Looks up a task for a conversation, which may see only its own. Called by TaskOutput and TaskStop.

import type { BackgroundTask, BackgroundTaskRegistry } from '../../contracts/background-task.ts';
import type { ToolContext, ToolResult as Result } from '../../contracts/tool.ts';
import { shortText } from '../bounded-text.ts';
import { ToolResult } from '../tool-result.ts';

/** The task, or what the model reads if there is none. Tasks of other conversations count as unknown. */
export function ownTask(
  tasks: BackgroundTaskRegistry,
  id: string,
  { session }: ToolContext,
): { readonly task: BackgroundTask } | { readonly refusal: Result } {
  const task = tasks.get(id);
  if (task?.owner === session.id) return { task };
  const own = tasks.list(session.id).map((one) => one.id);
  const known = own.length === 0 ? 'No task of this conversation is kept.' : `Its tasks: ${own.slice(-20).join(', ')}.`;
  return { refusal: ToolResult.error(`This conversation has no task "${shortText(id, 80)}". ${known}`) };
}
