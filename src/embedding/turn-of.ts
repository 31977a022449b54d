// What a service of one's own may do to the turn it works for.

import type { EngineEvent } from '../contracts/events.ts';
import type { StopReason } from '../contracts/model.ts';
import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { recordOf } from '../services/turn-record.ts';

/** A turn in the hands of a service that replaces one of ours. */
export interface TurnInHand {
  readonly turnId: string;
  readonly conversation: Readonly<Conversation>;
  /** 1 for the first model call. */
  readonly iteration: number;
  /** The calls of the last answer. */
  readonly calls: readonly ToolCallBlock[];
  readonly turnContext: unknown;
  /** Where the turn's events go. A service of one's own announces what it does, as ours do. */
  readonly events: { push(event: EngineEvent): void };
  /** What the chart decides by: read it when the work is done and settle with it at once. */
  facts(kind: TurnFacts['kind']): TurnFacts;
  /** Puts an answer into the transcript and announces it. For a service in place of `streamModel`. */
  settleAnswer(message: Message, stopReason: StopReason): void;
  /** Puts the results of all calls, in call order, into the transcript. For a service in place of `dispatchTools`. */
  settleResults(results: readonly ToolResultBlock[]): void;
}

/** The turn behind a scope; throws `engine.foreign` on a scope that no engine of this copy of turnchart made. */
export function turnOf(scope: TurnScope): TurnInHand {
  return recordOf(scope);
}
