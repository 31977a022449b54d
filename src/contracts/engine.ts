// The engine as callers see it: its options, a running turn, and the questions it asks.

import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { BackgroundTaskRegistry } from './background-task.ts';
import type { EngineEvent, TurnResult } from './events.ts';
import type { Host } from './host.ts';
import type { Inspect } from './inspect.ts';
import type { Model, ModelRequest, ToolChoice } from './model.ts';
import type { Tool, ToolContext, ToolSession } from './tool.ts';
import type { MaybePromise, Transformer } from './transformer.ts';

/** The answer to an approval request. Changed `args` are validated again. */
export type Approval =
  | { readonly allow: true; readonly args?: JsonValue }
  | { readonly allow: false; readonly message: string };

/** The call that needs approval. */
export interface ApprovalRequest<TurnContext = unknown> {
  readonly call: ToolCallBlock;
  readonly tool: Tool<TurnContext>;
  readonly args: unknown;
  readonly preview?: JsonValue;
}

/**
 * Decides whether a call may run, by a rule or by asking a person. A throw is a denial; cancelling the turn abandons
 * the question.
 */
export type Approve<TurnContext = unknown> = (
  request: ApprovalRequest<TurnContext>,
  context: {
    readonly signal: AbortSignal;
    /** Undefined if whoever started the turn passed none; include `undefined` in the type. */
    readonly turnContext: TurnContext;
    readonly session: ToolSession;
  },
) => MaybePromise<Approval>;

/** How failed model calls are retried. */
export interface RetryOptions {
  /** Retries after the first call. Default 3. */
  readonly attempts?: number;
  /** Default 500; doubles with each retry, with jitter. */
  readonly baseDelayMs?: number;
  /** Default 30,000. */
  readonly maxDelayMs?: number;
  /**
   * Default 60,000. A server's `Retry-After` replaces the backoff, shorter or longer; when it is longer than this, no
   * further attempt is made.
   */
  readonly maxRetryAfterMs?: number;
}

/** Replaces one step of the turn by a plain function. */
export interface EngineSteps<TurnContext = unknown> {
  /**
   * Returns groups, which run one after the other; the calls of a group run in parallel. Every call must be in exactly
   * one group.
   */
  readonly planCalls?: (
    calls: readonly ToolCallBlock[],
    tools: (name: string) => Tool<TurnContext> | undefined,
  ) => readonly (readonly ToolCallBlock[])[];
  readonly executeTool?: (tool: Tool<TurnContext>, args: unknown, context: ToolContext<TurnContext>) => unknown;
  readonly formatToolResult?: (call: ToolCallBlock, result: ToolResultBlock) => ToolResultBlock;
  readonly buildRequest?: (request: ModelRequest) => ModelRequest;
  /** Milliseconds, or undefined for no limit. Overrides `Tool.timeoutMs` and `toolTimeoutMs`. */
  readonly timeoutFor?: (call: ToolCallBlock, tool: Tool<TurnContext>) => number | undefined;
}

/** Options of `createEngine`. Only `model` is required. */
export interface EngineOptions<TurnContext = unknown> {
  model: Model;
  /** Tried in order, each with its own retries, when the previous model has failed. */
  fallbackModels?: readonly Model[];
  tools?: readonly Tool<TurnContext>[];
  /** Default of `createEngine`: `defaultTransformers()`; of `new EngineBuilder()`: none. */
  transformers?: readonly Transformer<TurnContext>[];
  /** For the first model call of a turn only; then 'auto'. */
  toolChoice?: ToolChoice;
  maxOutputTokens?: number;
  output?: ModelRequest['output'];
  providerOptions?: ModelRequest['providerOptions'];
  /** Model calls per turn. Default 100, at least 1. */
  maxIterations?: number;
  /** Default 8. */
  maxParallelTools?: number;
  /** Milliseconds a tool may run. Default: no limit. */
  toolTimeoutMs?: number;
  /** How long cancel waits for running tools, in milliseconds. Default 250. */
  cancelGraceMs?: number;
  /**
   * A model stream that is silent for this many milliseconds is ended. Default 120,000; any byte counts as activity.
   */
  idleTimeoutMs?: number;
  retry?: RetryOptions;
  approve?: Approve<TurnContext>;
  backgroundTasks?: BackgroundTaskRegistry;
  /**
   * Called with what a listener, reader, `inspect` callback, frame or a tool's own rule (`needsApproval`,
   * `isConcurrencySafe`) throws. Default: ignored.
   */
  onListenerError?: (error: unknown) => void;
  host?: Partial<Host>;
  /** Receives XState's inspection events of everything that runs on this engine. */
  inspect?: Inspect;
  steps?: EngineSteps<TurnContext>;
}

/**
 * A running turn. Its events begin at the call that made it and can be iterated once; a second iteration throws
 * `events.consumed`. Leaving the loop never cancels the turn; `await using` does. Events nobody has read yet are kept as
 * long as the run is: where nobody will, as with `await engine.run(conversation).result`, `subscribe` of an operative
 * keeps none.
 */
export interface TurnRun extends AsyncIterable<EngineEvent>, AsyncDisposable {
  readonly turnId: string;
  /** Resolves when the turn has ended; never rejects. */
  readonly result: Promise<TurnResult>;
  /** Adds a message before the next model call. `sealed`: too late, the turn is ending and did not take it. */
  steer(message: string | Message): 'accepted' | 'sealed';
  /** Ends the turn: at once, or within `graceMs` (default: `cancelGraceMs`) while tools run. */
  cancel(options?: { graceMs?: number }): Promise<TurnResult>;
}

/**
 * Runs turns. Has no session state: any number of conversations share one engine. Made by `createEngine` or an
 * `EngineBuilder`; an object of your own is refused with `engine.foreign`.
 */
export interface Engine<TurnContext = unknown> {
  /**
   * Starts one turn on the conversation, which is changed in place. Throws `conversation.busy` while another turn or
   * an operative holds it.
   */
  run(
    conversation: Conversation,
    options?: {
      readonly turnContext?: TurnContext;
      readonly signal?: AbortSignal;
      /** Inspectors show the turn below the tool call that was given this context. */
      readonly inspectUnder?: ToolContext;
    },
  ): TurnRun;
  readonly tools: readonly Tool<TurnContext>[];
  readonly model: Model;
}
