// What your own service may do to its turn.

import type { EngineEvent } from '../contracts/events.ts';
import type { StopReason } from '../contracts/model.ts';
import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { recordOf } from '../services/turn-record.ts';

/** A turn, as seen by a service that replaces one of ours. */
export interface TurnInHand {
  readonly turnId: string;
  readonly conversation: Readonly<Conversation>;
  /** 1 for the first model call. */
  readonly iteration: number;
  /** The calls of the last answer. */
  readonly calls: readonly ToolCallBlock[];
  readonly turnContext: unknown;
  /** The turn's events. Your own service must emit what it does, like ours do. */
  readonly events: { push(event: EngineEvent): void };
  /** The facts the chart decides by: read them when the work is done and settle with them at once. */
  facts(kind: TurnFacts['kind']): TurnFacts;
  /** Appends an answer to the transcript and emits its events. For a service that replaces `streamModel`. */
  settleAnswer(message: Message, stopReason: StopReason): void;
  /**
   * Appends the results of all calls, in call order, to the transcript. For a service that replaces `dispatchTools`.
   */
  settleResults(results: readonly ToolResultBlock[]): void;
}

/**
 * The turn of a scope; throws `engine.foreign` for a scope that was not made by an engine of this copy of turnchart.
 */
export function turnOf(scope: TurnScope): TurnInHand {
  return recordOf(scope);
}
