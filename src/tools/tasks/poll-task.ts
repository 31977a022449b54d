// The tool TaskOutput, with which a model polls what it started in the background, without the support of a registry.

import type { BackgroundTask, BackgroundTaskRegistry } from '../../contracts/background-task.ts';
import type { Tool, ToolContext, ToolResult as Result } from '../../contracts/tool.ts';
import { boundedText } from '../bounded-text.ts';
import { defineTool } from '../define-tool.ts';
import { argumentsMeant } from '../sent-scalar.ts';
import { ToolResult } from '../tool-result.ts';
import { ownTask } from './own-task.ts';
import { statusText } from './task-notice.ts';

interface PollArguments {
  readonly task_id: string;
  readonly block?: boolean;
  readonly timeout?: number;
}

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 600_000;
const maxShownBytes = 30_000;

// By task: the position up to which this conversation has read.
const positionsKey = Symbol('turnchart.taskPositions');

/** TaskOutput for the tasks of a registry. */
export function pollTool(tasks: BackgroundTaskRegistry): Tool {
  const tool = defineTool({
    name: 'TaskOutput',
    description: `Tells the status of a background task, what it wrote since you last asked, and its result once it has ended.
- block (default true) waits until the task has ended, at most timeout milliseconds: default ${defaultTimeoutMs}, at most ${maxTimeoutMs}. With false it answers at once.`,
    parameters: {
      type: 'object',
      properties: {
        task_id: { type: 'string', description: 'The id that the call in the background gave' },
        block: { type: 'boolean', description: 'Wait for the end' },
        timeout: { type: 'number', description: 'Milliseconds to wait at most' },
      },
      required: ['task_id'],
    },
    isConcurrencySafe: true,
    needsApproval: false,
    replay: 'safe',
    timeoutMs: maxTimeoutMs + 60_000, // its own argument limits the wait, not the engine's limit for tools
    execute: (args, context) => poll(tasks, args as PollArguments, context), // as its schema says
  });
  return { ...tool, parse: (sent) => tool.parse(argumentsMeant(sent, tool.definition.parameters)) };
}

async function poll(
  tasks: BackgroundTaskRegistry,
  { task_id: id, block = true, timeout = defaultTimeoutMs }: PollArguments,
  context: ToolContext,
): Promise<Result> {
  const found = ownTask(tasks, id, context);
  if ('refusal' in found) return found.refusal;
  const { signal } = context;
  const timeoutMs = Math.min(Math.max(timeout, 0), maxTimeoutMs);
  if (!block) return report(tasks, found.task, context);
  try {
    return report(tasks, await tasks.settled(id, { timeoutMs, signal }), context);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    return report(tasks, tasks.get(id) ?? found.task, context); // also after a cancelled wait
  }
}

function report(tasks: BackgroundTaskRegistry, task: BackgroundTask, context: ToolContext): Result {
  const { outputFile, result } = task;
  const fresh = boundedText(unread(tasks, task, context), maxShownBytes);
  const text = [
    `${statusText(task)}.`,
    ...(outputFile === undefined ? [] : [`Everything it writes is in ${outputFile}.`]),
    fresh === '' ? 'No new output.' : `New output:\n${fresh}`,
    ...(result === undefined ? [] : [result.isError ? 'Its result is an error:' : 'Its result:']),
  ];
  return ToolResult.blocks([{ type: 'text', text: text.join('\n') }, ...(result?.content ?? [])]);
}

function unread(tasks: BackgroundTaskRegistry, { id, output }: BackgroundTask, context: ToolContext): string {
  const { session, signal } = context;
  const positions = session.get(positionsKey, () => new Map<string, number>());
  const from = positions.get(id) ?? 0;
  // A foreign registry may offer only the whole output.
  const { text, next } = tasks.read?.(id, from) ?? { text: output.slice(from), next: output.length };
  // From time to time, positions of forgotten tasks are removed.
  if (from === 0 && positions.size % 256 === 255) {
    for (const known of positions.keys()) if (tasks.get(known) === undefined) positions.delete(known);
  }
  // The result of an aborted call may never be read, so the next call shows the same output again.
  if (!signal.aborted) positions.set(id, next);
  return text;
}
