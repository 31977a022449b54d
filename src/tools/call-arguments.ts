// The arguments of a call as `Tool.parse` takes them. Called by the dispatch service.

import type { ToolCallBlock } from '../conversation/block.ts';

/**
 * The parsed value if the model's text was JSON, otherwise the text. `{}` for a call without arguments or with an empty
 * text, which is what providers stream for a tool without parameters.
 */
export function callArguments(call: ToolCallBlock): unknown {
  if (call.args !== undefined) return call.args;
  return call.rawArgs === undefined || call.rawArgs.trim() === '' ? {} : call.rawArgs;
}
