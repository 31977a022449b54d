// Which calls of a message run in parallel: the default plan, and the check of a plan that the host's step made.

import type { Tool } from '../contracts/tool.ts';
import type { ToolCallBlock } from '../conversation/block.ts';
import { callArguments } from '../tools/call-arguments.ts';
import { answerOr } from './user-code.ts';

/** Groups in order; the calls of a group may run in parallel. */
export type CallPlan = readonly (readonly ToolCallBlock[])[];

/**
 * Adjacent calls to concurrency-safe tools form a group; every other call is its own group, also if the tool throws
 * when asked, which goes to `onError`.
 */
export function planCalls(
  calls: readonly ToolCallBlock[],
  tools: (name: string) => Tool | undefined,
  onError: (thrown: unknown) => void = () => undefined,
): CallPlan {
  const groups: ToolCallBlock[][] = [];
  let together: ToolCallBlock[] | undefined;
  for (const call of calls) {
    if (!isSafe(call, tools(call.name), onError)) {
      together = undefined;
      groups.push([call]);
    } else if (together === undefined) {
      together = [call];
      groups.push(together);
    } else {
      together.push(call);
    }
  }
  return groups;
}

/** Undefined when every call is in exactly one group, else what is wrong. Takes any value and never throws. */
export function planFault(plan: unknown, calls: readonly ToolCallBlock[]): string | undefined {
  if (!Array.isArray(plan) || !plan.every((group) => Array.isArray(group)))
    return 'expected an array of arrays of calls';
  const planned: unknown[] = plan.flat();
  const missing = calls.find((call) => !planned.includes(call));
  if (missing !== undefined) return `call ${missing.id} (${missing.name}) is in no group`;
  return planned.length === calls.length
    ? undefined
    : `${planned.length} calls in the groups, expected ${calls.length}`;
}

// A call to an unknown tool never runs, so it disturbs no other.
function isSafe(call: ToolCallBlock, tool: Tool | undefined, onError: (thrown: unknown) => void): boolean {
  if (tool === undefined) return true;
  const answer = (): boolean => {
    if (typeof tool.isConcurrencySafe !== 'function') return tool.isConcurrencySafe;
    const parsed = tool.parse(callArguments(call)); // the tool's functions take parsed arguments, not raw ones
    return parsed.ok && tool.isConcurrencySafe(parsed.args);
  };
  return answerOr(false, answer, `isConcurrencySafe of the tool "${tool.name}"`, onError);
}
