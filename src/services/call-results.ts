// The texts a model reads for calls that did not finish. Used by dispatch, and by a turn that ends with open calls.

import type { ToolCallBlock, ToolResultBlock, ToolResultStatus } from '../conversation/block.ts';

/** A result of one text block. */
export function textResult(call: ToolCallBlock, status: ToolResultStatus, text: string): ToolResultBlock {
  return { type: 'toolResult', callId: call.id, status, content: [{ type: 'text', text }] };
}

/** The result of a call that was cancelled before or while it ran. */
export function unstartedResult(call: ToolCallBlock, status: 'notStarted' | 'interrupted'): ToolResultBlock {
  return textResult(
    call,
    status,
    status === 'notStarted'
      ? `${call.name} was not started because the turn was cancelled. It had no effects.`
      : `${call.name} was interrupted because the turn was cancelled. It may have had effects; check before you repeat it.`,
  );
}

/** The result of a call whose message was refused by the model's own safety stop. */
export function refusedResult(call: ToolCallBlock): ToolResultBlock {
  return textResult(
    call,
    'notStarted',
    `${call.name} was not started because the answer that asked for it was refused.`,
  );
}

/** The result of a call whose message the token limit cut. */
export function truncatedResult(call: ToolCallBlock): ToolResultBlock {
  return textResult(
    call,
    'truncated',
    `${call.name} was not run: your message hit the output token limit, so its arguments may be incomplete. Send the call again, smaller or in parts.`,
  );
}

/** The result of a call to a tool the engine does not have. */
export function unknownToolResult(call: ToolCallBlock, known: Iterable<string>): ToolResultBlock {
  const names = [...known];
  const list = names.length === 0 ? 'There are no tools.' : `Known tools: ${names.join(', ')}.`;
  return textResult(call, 'unknownTool', `There is no tool named "${call.name}". ${list}`);
}

/** The result of a call that took too long. */
export function timedOutResult(call: ToolCallBlock, ms: number): ToolResultBlock {
  return textResult(
    call,
    'timedOut',
    `${call.name} took longer than its limit of ${ms} ms and was stopped. It may have had effects; check before you repeat it.`,
  );
}
