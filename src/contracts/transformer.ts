// The seam to context shaping: functions that rewrite the transcript or the model's view of it at four stages.

import type { Block } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import type { Completion, Model, ModelRequest } from './model.ts';

/** A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Once before the turn, before each model call, after each answer and before its tools, once after the turn. */
export type Stage = 'beforeTurn' | 'beforeIteration' | 'afterIteration' | 'afterTurn';

/** What a transformer receives. */
export interface TransformerContext<TurnContext = unknown> {
  readonly stage: Stage;
  /** 1 for the first model call of the turn; 0 in `beforeTurn`. */
  readonly iteration: number;
  /** Undefined if whoever started the turn passed none; include `undefined` in the type. */
  readonly turnContext: TurnContext;
  readonly model: Model;
  /** Aborted when the turn is cancelled. */
  readonly signal: AbortSignal;
  /**
   * The whole transcript, whatever view earlier transformers returned. Always the same object for a conversation, also
   * after a reload: use it as a WeakMap key for what you remember about the conversation.
   */
  readonly transcript: Readonly<Conversation>;
  /** The provider's usage of the last settled call of this turn. */
  readonly lastUsage?: Usage;
  /** True in the one extra run after the provider reported that the context is too long. */
  readonly overflow: boolean;
  /** Calibrated by the provider's counts for earlier calls of the conversation. */
  readonly estimateTokens: (of: Message | readonly Message[]) => number;
  /** About how many tokens the system prompt and the tools add to every call. Default: 0. */
  readonly overheadTokens?: number;
  /** A model call with the turn's own retry, watchdog, cancel and usage accounting. */
  readonly complete: (request: ModelRequest, options?: { model?: Model }) => Promise<Completion>;
  /** Emits `transformer.failed` for a partial failure; what the transformer returns is used all the same. */
  readonly reportFailure?: (error: unknown) => void;
}

/**
 * Durable: replaces the transcript's contents; messages that were appended after the call began follow it. An absent or
 * null field means unchanged.
 */
export interface Rewrite<TurnContext = unknown> {
  readonly conversation?: Conversation;
  readonly turnContext?: TurnContext;
}

/**
 * Not durable: what the model sees this time. `append` is durable and is added to the end of both. An absent or null
 * field means unchanged.
 */
export interface View<TurnContext = unknown> {
  readonly messages?: readonly Message[];
  readonly system?: readonly Block[];
  readonly append?: readonly Message[];
  readonly turnContext?: TurnContext;
}

/** What a transformer declares it may do; `checkTransformer` allows exactly that. */
export type Alteration = 'shortensResults' | 'dropsGroups' | 'appendsBoundary' | 'addsMarker' | 'rewritesText';

/** Shapes the context at any of the four stages. Return nothing to change nothing. */
// oxlint-disable-next-line typescript/no-explicit-any -- transformers written for different contexts stand in one list
export interface Transformer<TurnContext = any> {
  readonly name: string;
  readonly alters?: readonly Alteration[];
  readonly beforeTurn?: (
    conversation: Conversation,
    context: TransformerContext<TurnContext>,
  ) => MaybePromise<Rewrite<TurnContext> | void>;
  readonly beforeIteration?: (
    conversation: Conversation,
    context: TransformerContext<TurnContext>,
  ) => MaybePromise<View<TurnContext> | void>;
  readonly afterIteration?: (
    conversation: Conversation,
    context: TransformerContext<TurnContext>,
  ) => MaybePromise<Rewrite<TurnContext> | void>;
  readonly afterTurn?: (
    conversation: Conversation,
    context: TransformerContext<TurnContext>,
  ) => MaybePromise<Rewrite<TurnContext> | void>;
  /**
   * Compacts on request of `operative.compact()`: what it appends stays. Return nothing when there is nothing to
   * compact. The engine uses the first transformer that has this method.
   */
  readonly compact?: (
    conversation: Conversation,
    context: TransformerContext<TurnContext>,
    instructions?: string,
  ) => MaybePromise<View<TurnContext> | void>;
}
