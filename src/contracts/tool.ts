// The seam to tools: what the model may call, what a call receives, what it may return.

import type { ResultContent } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { ToolDefinition } from './model.ts';

/**
 * State that belongs to one conversation (working directory, read ledger, …), never to the engine: one per operative,
 * one per bare run.
 */
export interface ToolSession {
  readonly id: string;
  /** The value under `key`, created by `create` on the first call. */
  get<T>(key: symbol, create: () => T): T;
}

/** What a running tool receives. */
export interface ToolContext<TurnContext = unknown> {
  readonly callId: string;
  /** `${assistant message id}/${callId}`: the same when a call is replayed after a crash. */
  readonly idempotencyKey: string;
  /** Aborted on cancel and on timeout. */
  readonly signal: AbortSignal;
  /** Undefined if whoever started the turn passed none; include `undefined` in the type. */
  readonly turnContext: TurnContext;
  readonly session: ToolSession;
  readonly conversation: Readonly<Conversation>;
  /** Reports progress as a `toolCall.progress` event. Does nothing once the call has settled. */
  readonly progress: (update: JsonValue) => void;
}

declare const toolResultBrand: unique symbol;

/** A result made by `ToolResult.text`, `.json`, `.error` or `.blocks`. */
export interface ToolResult {
  readonly [toolResultBrand]: true;
  readonly content: readonly ResultContent[];
  readonly isError: boolean;
}

/** A function the model may call. Make one with `defineTool`. */
export interface Tool<in TurnContext = unknown> {
  /** At most 64 of [a-zA-Z0-9_-]. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** True: may run in parallel with other such calls of the same message. Default false: runs alone, in call order. */
  readonly isConcurrencySafe: boolean | ((args: unknown) => boolean);
  /** Milliseconds; default: the engine's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /**
   * Whether a call may be run again after a crash: for hosts that replay. The runtime itself never runs a call twice.
   */
  readonly replay?: 'safe' | 'unsafe';
  /** `false`: runs without approval. Otherwise the `approve` function decides, if there is one. */
  readonly needsApproval?: boolean | ((args: unknown) => boolean);
  /** What a person should see before approving. */
  readonly preview?: (args: unknown, context: ToolContext<TurnContext>) => JsonValue | Promise<JsonValue>;
  /**
   * Checks raw arguments. Must not throw. The message is for the model: it names the field, what was expected and what
   * it got.
   */
  readonly parse: (
    args: unknown,
  ) => { readonly ok: true; readonly args: unknown } | { readonly ok: false; readonly message: string };
  /** A string, any JSON-able value, a ToolResult, or undefined ("(no output)"). A throw becomes a `failed` result. */
  readonly execute: (args: unknown, context: ToolContext<TurnContext>) => unknown;
}
