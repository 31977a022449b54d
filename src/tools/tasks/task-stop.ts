// TaskStop, with which a model ends what it started in the background. Added by a registry, or by hand.

import type { BackgroundTaskRegistry } from '../../contracts/background-task.ts';
import type { Tool, ToolContext, ToolResult as Result } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { ownTask } from './own-task.ts';
import { statusText } from './task-notice.ts';

/** TaskStop: ends a task and says what it was. If it has ended already, that is reported. */
export function taskStopTool(tasks: BackgroundTaskRegistry): Tool {
  return defineTool({
    name: 'TaskStop',
    description: 'Ends a background task. A task that has ended already is left as it is.',
    parameters: {
      type: 'object',
      properties: { task_id: { type: 'string', description: 'The id that the call in the background gave' } },
      required: ['task_id'],
    },
    needsApproval: false,
    replay: 'safe',
    timeoutMs: 600_000, // the registry's grace time limits it, not the engine's limit for tools
    execute: (args, context) => stop(tasks, (args as { readonly task_id: string }).task_id, context), // as its schema says
  });
}

async function stop(tasks: BackgroundTaskRegistry, id: string, context: ToolContext): Promise<Result> {
  const found = ownTask(tasks, id, context);
  if ('refusal' in found) return found.refusal;
  const { status, endedAt } = found.task;
  const task = endedAt === undefined ? await tasks.stop(id) : found.task;
  const what = task.label === undefined ? '' : ` It was started with ${task.label}.`;
  const before = endedAt === undefined ? '' : ` It had ended before: nothing was stopped.`;
  return ToolResult.text(
    `${statusText(task)}.${before}${what}${status === 'stopping' ? ' It was being stopped already.' : ''}`,
  );
}
