// The notice to a conversation that one of its tasks has settled. Called by the registry.

import type { BackgroundTask } from '../../contracts/background-task.ts';

/** How long a task ran, or has run, in words. */
export function statusText({ id, toolName, status, startedAt, endedAt }: BackgroundTask): string {
  const took = endedAt === undefined ? '' : ` after ${((endedAt - startedAt) / 1000).toFixed(1)} s`;
  return `Task ${id} (${toolName}): ${status}${took}`;
}

/** The notice. It contains nothing the task wrote: that is data, and this is a message with the user's role. */
export function noticeText(task: BackgroundTask): string {
  return `(A notice of the runtime, not written by the user.) ${statusText(task)}. Read its output and result with TaskOutput.`;
}
