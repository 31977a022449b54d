// The events of a turn, and its result.

import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import type { TurnchartError } from './errors.ts';
import type { StopReason, StreamEvent } from './model.ts';
import type { Stage } from './transformer.ts';

/** How a turn ended. `budget` is reserved: nothing produces it yet. */
export type TurnReason =
  | 'completed'
  | 'maxIterations'
  | 'maxTokens'
  | 'refused'
  | 'contextOverflow'
  | 'budget'
  | 'aborted'
  | 'failed';

/** The result of a turn. Always resolved, never thrown: a failure is `reason: 'failed'` with its `error`. */
export interface TurnResult {
  readonly turnId: string;
  readonly reason: TurnReason;
  /** Model calls started, without retries. */
  readonly iterations: number;
  /**
   * Sum over settled calls, failed attempts that reported usage, and `context.complete()`; subagents are listed
   * separately.
   */
  readonly usage: Usage;
  /** The last assistant message of this turn. */
  readonly message?: Message;
  /** Steered messages that were accepted but not added before the turn ended; only without an operative. */
  readonly undrained?: readonly Message[];
  readonly error?: TurnchartError;
}

/**
 * Everything that happens in a turn, in order. The grammar is checked by `verifyEvents`. `message.appended` comes from
 * the one place that appends; `stream.reset` means: discard what was shown of this message; `turn.completed` comes
 * exactly once, last.
 */
export type EngineEvent =
  | StreamEvent
  | { readonly type: 'turn.started'; readonly turnId: string }
  | { readonly type: 'message.appended'; readonly message: Message; readonly index: number }
  | { readonly type: 'transcript.replaced'; readonly by: string; readonly messages: number }
  | { readonly type: 'message.injected'; readonly message: Message; readonly iteration: number }
  | { readonly type: 'assistant.settled'; readonly message: Message; readonly stopReason: StopReason }
  | { readonly type: 'toolCall.awaitingApproval'; readonly call: ToolCallBlock; readonly preview?: JsonValue }
  | { readonly type: 'toolCall.started'; readonly call: ToolCallBlock }
  | { readonly type: 'toolCall.progress'; readonly callId: string; readonly update: JsonValue }
  | { readonly type: 'toolCall.backgrounded'; readonly call: ToolCallBlock; readonly taskId: string }
  | {
      readonly type: 'toolCall.settled';
      readonly call: ToolCallBlock;
      readonly result: ToolResultBlock;
      readonly durationMs: number;
    }
  | { readonly type: 'toolResults.settled'; readonly message: Message }
  | {
      readonly type: 'transformer.applied';
      readonly name: string;
      readonly stage: Stage;
      readonly iteration: number;
      readonly messagesBefore: number;
      readonly messagesAfter: number;
    }
  | {
      readonly type: 'transformer.failed';
      readonly name: string;
      readonly stage: Stage | 'compact';
      readonly error: TurnchartError;
    }
  | {
      readonly type: 'stream.retrying';
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: TurnchartError;
    }
  | { readonly type: 'stream.reset' }
  | ({ readonly type: 'turn.completed' } & TurnResult);

/** What an operative adds to the events of its turns. */
export type OperativeEvent =
  | EngineEvent
  | { readonly type: 'turn.reloaded'; readonly messages: number }
  | { readonly type: 'message.queued'; readonly message: Message }
  | { readonly type: 'message.withdrawn'; readonly messageId: string }
  | { readonly type: 'operative.closed' };

const streamTags: ReadonlySet<string> = new Set([
  'message.start',
  'text.start',
  'text.delta',
  'text.end',
  'thinking.start',
  'thinking.delta',
  'thinking.end',
  'toolInput.start',
  'toolInput.delta',
  'toolInput.end',
  'block',
  'usage',
  'message.end',
  'raw',
] satisfies StreamEvent['type'][]);

/** True for the pieces of a model's answer, false for what the runtime itself reports. */
export function isStreamEvent(event: OperativeEvent): event is StreamEvent {
  return streamTags.has(event.type);
}
