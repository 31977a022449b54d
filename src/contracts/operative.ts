// The operative as callers see it: one ongoing conversation with single-flight turns and mid-turn steering.

import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Approve, Engine } from './engine.ts';
import type { OperativeEvent, TurnResult } from './events.ts';
import type { Inspect } from './inspect.ts';
import type { ToolContext, ToolSession } from './tool.ts';
import type { MaybePromise } from './transformer.ts';

/**
 * What to do with a message while a turn runs: `steer` adds it before the next model call, `queue` starts the next turn
 * with it, `reject` refuses it, `preempt` cancels the running turn and starts the next one with it. While idle each of
 * them starts a turn.
 */
export type SubmitPolicy = 'steer' | 'queue' | 'reject' | 'preempt';

/**
 * What became of a message. `answered`: a model request that contained it got its settled answer; `unanswered`: added
 * to a turn that failed or was aborted before that, `resume` answers it; `queued`: in the transcript, and no turn will
 * start by itself; `withdrawn`, `rejected`: never in the transcript.
 */
export type Delivery =
  | { readonly status: 'answered' | 'unanswered'; readonly turnId: string; readonly iteration: number }
  | { readonly status: 'queued' | 'withdrawn' | 'rejected' };

/** What `submit` decided. `delivery` resolves once and never rejects; `events` can be iterated once. */
export type SubmitResult = {
  readonly messageId: string;
  readonly events: AsyncIterable<OperativeEvent>;
  readonly delivery: Promise<Delivery>;
} & SubmitOutcome;

/**
 * The decision itself. `injected`: the message will be added before the next model call, unless the turn is cancelled,
 * fails or reaches its limit first.
 */
export type SubmitOutcome =
  | { readonly outcome: 'startedTurn' | 'injected'; readonly turnId: string }
  | { readonly outcome: 'queued' }
  | { readonly outcome: 'rejected'; readonly why: 'busy' | 'closed' };

/** What `resume` decided. `nothingToDo`: the last message is already an answer; `events` is then empty. */
export interface ResumeResult {
  readonly outcome: 'startedTurn' | 'alreadyRunning' | 'nothingToDo';
  readonly events: AsyncIterable<OperativeEvent>;
}

/** The named state of the operative's chart. */
export type OperativeState =
  | 'idle'
  | 'reloading'
  | 'running'
  | 'settling'
  | 'cancelling'
  | 'preempting'
  | 'compacting'
  | 'closing'
  | 'closed';

/** The commands that `can` knows. `start` and `steer` are `submit` while no turn runs and while one runs. */
export type OperativeCommand = 'steer' | 'start' | 'resume' | 'cancel' | 'compact';

/** One conversation. Make one with `createOperative`; `await using` closes it. */
export interface Operative<TurnContext = unknown> extends AsyncDisposable {
  /**
   * Accepts a message. A message whose id was accepted before returns the first submission's outcome and delivery and
   * changes nothing. Rejects with `message.invalid` on what is not a user message or has the id of an answer, and with
   * `turn.broken` if the operative's chart has died; every other refusal is an outcome.
   */
  submit(
    message: string | Message,
    options?: { readonly turnContext?: TurnContext; readonly policy?: SubmitPolicy },
  ): Promise<SubmitResult>;
  /** Continues without new input, or joins the running turn. Rejects with `operative.closed` after close. */
  resume(options?: { readonly turnContext?: TurnContext }): Promise<ResumeResult>;
  /** Ends the running turn, at once or within `graceMs` while tools run; undefined when none runs. */
  cancel(options?: { readonly graceMs?: number }): Promise<TurnResult | undefined>;
  /**
   * Summarises the older part of the transcript now; false if there was nothing to compact. Rejects with
   * `operative.closed` after close.
   */
  compact(options?: { readonly instructions?: string }): Promise<boolean>;
  /** Takes back a message that is not yet in the transcript; false if it is too late. */
  withdraw(messageId: string): boolean;
  /** Whether a command would do something now and, if not, why. */
  can(command: OperativeCommand): { readonly allowed: true } | { readonly allowed: false; readonly why: string };
  /** Every event of every turn, in order, from now on. What a listener throws goes to `onListenerError`. */
  subscribe(listener: (event: OperativeEvent) => void): () => void;
  /** The message that is being streamed, built on demand, for readers that join late. */
  partial(): Message | undefined;
  /** Cancels the running turn and refuses everything from now on. Resolves when the last turn has ended. */
  close(): Promise<void>;
  readonly conversation: Conversation;
  readonly state: OperativeState;
  readonly session: ToolSession;
}

/** Options of `createOperative`. Only `engine` is required. */
export interface OperativeOptions<TurnContext = unknown> {
  /** A function is called before each turn and returns the engine to use. */
  engine: Engine<TurnContext> | (() => Engine<TurnContext>);
  /** Default: a new one. */
  conversation?: Conversation;
  /** Called before each turn, after it is claimed. Must return everything saved so far: wait for your last save. */
  reloadBeforeStart?: () => MaybePromise<Conversation>;
  /**
   * Marks a message that was steered into a running turn. Default: puts a separate text block before it, "(Sent while
   * you were working on the previous request.)", counted in `meta.frame`; null turns it off.
   */
  frameInjectedMessage?: ((message: Message) => Message) | null;
  /** Default 'hold': late messages wait for submit or resume; 'start' starts one turn with all of them. */
  lateMessages?: 'hold' | 'start';
  /** How settled background tasks are announced to the model. Default 'off'. */
  announceTasks?: 'off' | 'steer' | 'queue';
  /** Overrides the engine's. */
  approve?: Approve<TurnContext>;
  /** Receives XState's inspection events of the operative and everything below it. */
  inspect?: Inspect;
  /** Inspectors show the operative below the tool call that was given this context: for tools that run an agent. */
  inspectUnder?: ToolContext;
}
