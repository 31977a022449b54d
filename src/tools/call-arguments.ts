// The arguments of a call as `Tool.parse` wants them. Called by the dispatch service.

import type { ToolCallBlock } from '../conversation/block.ts';

/**
 * The parsed value where the model's text was JSON, else the text. A call without arguments, or with an empty text
 * (what providers stream for a tool without parameters), has `{}`.
 */
export function callArguments(call: ToolCallBlock): unknown {
  if (call.args !== undefined) return call.args;
  return call.rawArgs === undefined || call.rawArgs.trim() === '' ? {} : call.rawArgs;
}
