// TaskOutput to be added by hand, for engines with a registry that is not ours. Called by apps.

import { taskSupport, type BackgroundTaskRegistry, type TaskSupport } from '../../contracts/background-task.ts';
import type { Tool } from '../../contracts/tool.ts';
import { pollTool } from './poll-task.ts';
import { supportFor } from './task-support.ts';

/**
 * TaskOutput: status, what was written since the last poll, and the result once there is one. Your own registry needs
 * it among the engine's tools: it adds TaskStop, the flag in the schemas and the start of tasks.
 */
export function taskOutputTool(tasks: BackgroundTaskRegistry): Tool {
  const carrier: Tool & { readonly [taskSupport]: TaskSupport } = {
    ...pollTool(tasks),
    [taskSupport]: supportFor(tasks),
  };
  return carrier;
}
