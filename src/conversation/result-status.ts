// The statuses of tool results as values. Called where a status comes from a chart or from a foreign message.

import type { ToolResultStatus } from './block.ts';

const statuses: Readonly<Record<ToolResultStatus, true>> = {
  completed: true,
  failed: true,
  invalidArguments: true,
  unknownTool: true,
  truncated: true,
  denied: true,
  timedOut: true,
  interrupted: true,
  notStarted: true,
};

/** True for the name of a status. */
export function isResultStatus(value: unknown): value is ToolResultStatus {
  return typeof value === 'string' && Object.hasOwn(statuses, value);
}
