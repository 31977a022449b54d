// What the parent's model reads of a subagent that has ended, however it ended. Called by run-subagent.

import type { TurnResult } from '../../contracts/events.ts';
import type { ToolResult as Result } from '../../contracts/tool.ts';
import type { ResultContent } from '../../conversation/block.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { textOf } from '../../conversation/message.ts';
import { toToolResult } from '../result-content.ts';
import { isToolResult, toolResult } from '../tool-result.ts';

/** How a subagent ended. */
export interface EndedAgent {
  readonly name: string;
  readonly result: TurnResult;
  /** How many tool calls it had started. */
  readonly calls: number;
  /** Its background tasks, which were stopped with it. */
  readonly stopped: readonly string[];
}

/** The answer. If the turn did not complete, an error that says why, with what was answered so far. */
export function answerOf({ name, result, calls, stopped }: EndedAgent, answer: unknown): Result {
  const notes: readonly ResultContent[] =
    stopped.length === 0 ? [] : [text(`[Its background tasks ended with it: ${stopped.join(', ')}.]`)];
  const isOver = result.reason === 'completed' || isToolResult(answer);
  const { content, isError } = toToolResult(
    isOver && answer === undefined ? '(The agent ended without an answer.)' : answer,
  );
  if (isOver) return toolResult([...content, ...notes], isError);
  const effects =
    calls === 0 ? '' : ` It had made ${calls} tool ${calls === 1 ? 'call' : 'calls'}, which may have had effects.`;
  const head = `Agent "${name}" did not finish: ${whyOf(result)}.${effects}`;
  const said =
    answer === undefined || answer === ''
      ? [text(`${head} It had said nothing.`)]
      : [text(`${head} What it had said:`), ...content];
  return toolResult([...said, ...notes], true);
}

/** The last text it said, even if calls followed. */
export function lastWords({ messages }: Conversation): string | undefined {
  const spoke = messages.findLast((message) => message.role === 'assistant' && textOf(message).trim() !== '');
  return spoke === undefined ? undefined : textOf(spoke);
}

function whyOf({ reason, iterations, error }: TurnResult): string {
  switch (reason) {
    case 'maxIterations':
      return `it reached its limit of ${iterations} model ${iterations === 1 ? 'call' : 'calls'}`;
    case 'maxTokens':
      return 'its answer was cut at the token limit';
    case 'refused':
      return 'its model refused';
    case 'contextOverflow':
      return 'its context became too long';
    case 'budget':
      return 'its budget is used up';
    case 'aborted':
      return 'it was cancelled';
    default:
      return `it failed: ${error?.message.replace(/\.$/, '') ?? reason}`;
  }
}

function text(value: string): ResultContent {
  return { type: 'text', text: value };
}
