// TaskOutput given by hand: for engines whose registry is not one of ours. Called by apps.

import { taskSupport, type BackgroundTaskRegistry, type TaskSupport } from '../../contracts/background-task.ts';
import type { Tool } from '../../contracts/tool.ts';
import { pollTool } from './poll-task.ts';
import { supportFor } from './task-support.ts';

/**
 * TaskOutput: status, what was written since the last poll, and the result once there is one. An engine with a registry
 * of one's own needs it among its tools: it brings TaskStop, the flag in the schemas and the start of tasks.
 */
export function taskOutputTool(tasks: BackgroundTaskRegistry): Tool {
  const carrier: Tool & { readonly [taskSupport]: TaskSupport } = {
    ...pollTool(tasks),
    [taskSupport]: supportFor(tasks),
  };
  return carrier;
}
