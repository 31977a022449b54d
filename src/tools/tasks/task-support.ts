// What a registry of background tasks adds to an engine: the two tools, the flag, and the start of a call as a task.

import {
  isBackground,
  taskNotices,
  taskSupport,
  type BackgroundCall,
  type BackgroundTask,
  type BackgroundTaskRegistry,
  type BackgroundTool,
  type BegunTask,
  type TaskSupport,
  type TellNotice,
} from '../../contracts/background-task.ts';
import type { Tool, ToolContext, ToolSession } from '../../contracts/tool.ts';
import { wantsBackground, withBackgroundFlag } from '../define-background-tool.ts';
import { pollTool } from './poll-task.ts';
import { noticeText } from './task-notice.ts';
import { taskStopTool } from './task-stop.ts';

/** The support of a registry, ours or a foreign one. */
export function supportFor(tasks: BackgroundTaskRegistry): TaskSupport {
  let tools: readonly Tool[] | undefined;
  return {
    get tools() {
      return (tools ??= [pollTool(tasks), taskStopTool(tasks)]);
    },
    publish: withBackgroundFlag,
    begin: (call) => begin(tasks, call),
    endAll: (owner) =>
      tasks
        .list(owner)
        .filter(({ status }) => status === 'running')
        .map(({ id, toolName }) => {
          tasks.stop(id).catch(() => undefined);
          return `${id} (${toolName})`;
        }),
  };
}

function begin(tasks: BackgroundTaskRegistry, call: BackgroundCall): BegunTask | undefined {
  const { tool, raw, args, context, execute } = call;
  if (!isBackground(tool) || !wantsBackground(raw)) return undefined;
  const runnable: BackgroundTool =
    execute === undefined ? tool : { ...tool, execute: (given, own) => execute(tool, given, own) };
  const tell = context.session.get<TellNotice | undefined>(taskNotices, () => undefined);
  // Our registry sends notices itself, also for tasks that no call started. A foreign one may pass the start on to
  // ours.
  const isToldHere = tell !== undefined && !(taskSupport in tasks);
  const task = tasks.start(runnable, args, isToldHere ? withoutNotices(context) : context);
  if (isToldHere) {
    tasks.settled(task.id).then(
      (settled) => tell(noticeText(settled), settled.id),
      () => undefined,
    );
  }
  return {
    taskId: task.id,
    handle: handleText(task, tell !== undefined),
    stop: () => void tasks.stop(task.id).catch(() => undefined),
  };
}

function withoutNotices(context: ToolContext): ToolContext {
  const { session } = context;
  const get: ToolSession['get'] = (key, create) => session.get(key === taskNotices ? noNotices : key, create);
  return { ...context, session: { id: session.id, get } };
}

// A key under which nothing is ever stored.
const noNotices = Symbol('turnchart.noNotices');

function handleText({ id, toolName, outputFile }: BackgroundTask, isTold: boolean): string {
  return [
    `${toolName} goes on in the background as task ${id}.`,
    `Read its status, output and result with TaskOutput {"task_id":"${id}"}; end it with TaskStop.`,
    ...(outputFile === undefined ? [] : [`Everything it writes is in ${outputFile}.`]),
    ...(isTold ? ['You will be told when it has ended.'] : []),
  ].join('\n');
}
