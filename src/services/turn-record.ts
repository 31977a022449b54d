// What one turn knows: the chart's scope, and the state its services share. Made by the runtime, dropped at the end.

import { isTurnchartError, messageOf, TurnchartError } from '../contracts/errors.ts';
import type { Approve } from '../contracts/engine.ts';
import type { TurnReason, TurnResult } from '../contracts/events.ts';
import { defaultHost } from '../contracts/host.ts';
import type { Model, ModelRequest, StopReason } from '../contracts/model.ts';
import type { ToolSession } from '../contracts/tool.ts';
import type { Block, ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import { openCalls, type Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import { addUsage, noUsage, type Usage } from '../conversation/usage.ts';
import type { TurnFacts, TurnOutput, TurnScope } from '../machines/turn.ts';
import type { Fold } from './fold.ts';
import type { TurnSettings } from './settings.ts';
import { appendMessage, tellTogether, type EventSink } from './transcript.ts';
import { unstartedResult } from './call-results.ts';
import { stepAnswer } from './user-code.ts';
import type { Watch } from './watch.ts';

/** Where accepted steers wait. The turn drains it and never holds a message itself, so that none is lost with it. */
export interface Inbox {
  readonly pending: number;
  /** Messages held for the next turn. */
  readonly queued: number;
  /** Takes out the waiting messages, in order, framed for the transcript. */
  drain(iteration: number): readonly Message[];
  /** A model request with everything drained so far got its settled answer. */
  answered(iteration: number): void;
}

/** What a turn is made of. */
export interface TurnParts {
  readonly turnId: string;
  readonly conversation: Conversation;
  readonly settings: TurnSettings;
  readonly session: ToolSession;
  readonly events: EventSink;
  readonly inbox: Inbox;
  /** Called in the step that seals the turn. */
  readonly onSealed?: () => void;
  readonly turnContext: unknown;
  readonly approve: Approve | undefined;
  /** Set when the turn is inspected: tool calls then run as actors, which show more and cost more. */
  readonly watch: Watch | undefined;
}

/** The model's view of the transcript for one iteration. */
export interface ModelView {
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
}

/** The calls of a message, being carried out. */
export interface RunningBatch {
  /** Asks its tools to stop. */
  interrupt(graceMs: number): void;
  /** For a turn that breaks: the call's result if it has one, else whether its tool was called. */
  fateOf(call: ToolCallBlock): ToolResultBlock | 'interrupted' | 'notStarted';
}

/** The record of one turn. Its scope methods are what the chart's actions call. */
export class TurnRecord implements TurnScope {
  readonly turnId: string;
  readonly conversation: Conversation;
  readonly settings: TurnSettings;
  readonly session: ToolSession;
  readonly events: EventSink;
  readonly inbox: Inbox;
  readonly #onSealed: (() => void) | undefined;
  readonly approve: Approve | undefined;
  readonly watch: Watch | undefined;
  turnContext: unknown;

  iteration = 0;
  /** Steers are no longer accepted. */
  isSealed = false;
  /** What the model sees this iteration; undefined if no transformer gave a view, so that it sees the transcript. */
  view: ModelView | undefined;
  /** The message being streamed. */
  fold: Fold | undefined;
  /** The batch of calls being carried out. */
  dispatch: RunningBatch | undefined;
  /** Position in `settings.models`. */
  modelIndex = 0;
  /** Retries of this iteration on this model. */
  attempt = 0;
  retryDelayMs = 0;
  /** The last settled message, its stop reason and its calls. */
  message: Message | undefined;
  stop: StopReason = 'endTurn';
  calls: readonly ToolCallBlock[] = [];
  /** Messages in a row that the token limit cut. */
  cuts = 0;
  /** The context of this iteration was re-shaped because it was too long. */
  isReshaped = false;
  lastUsage: Usage | undefined;

  #usage: Usage = noUsage;
  #reason: TurnReason = 'completed';
  #error: TurnchartError | undefined;
  #result: TurnResult | undefined;

  constructor(parts: TurnParts) {
    this.turnId = parts.turnId;
    this.conversation = parts.conversation;
    this.settings = parts.settings;
    this.session = parts.session;
    this.events = parts.events;
    this.inbox = parts.inbox;
    this.#onSealed = parts.onSealed;
    this.turnContext = parts.turnContext;
    this.approve = parts.approve;
    this.watch = parts.watch;
  }

  get model(): Model {
    return this.settings.models[this.modelIndex] ?? this.settings.models[0];
  }

  /** The facts that guards may read, as of now. */
  facts(kind: TurnFacts['kind']): TurnFacts {
    return {
      kind,
      stop: this.stop,
      calls: kind === 'overflow' ? 0 : this.calls.length,
      pending: this.inbox.pending,
      last: this.iteration >= this.settings.maxIterations,
      cutBefore: this.cuts > 1,
      reshaped: this.isReshaped,
    };
  }

  /** Adds a model call's tokens to the turn's. */
  count(usage: Usage | undefined): void {
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
  }

  /** Puts a message at the end of the transcript and announces it. */
  append(message: Message): void {
    appendMessage(this.conversation, message, this.events);
  }

  /** Appends an answer, and records everything the chart's guards will ask about it. */
  settleAnswer(message: Message, stop: StopReason): void {
    this.fold = undefined;
    this.message = message;
    this.stop = stop;
    this.cuts = stop === 'maxTokens' ? this.cuts + 1 : 0;
    tellTogether(this.events, () => {
      this.append(message);
      this.calls = openCalls(this.conversation);
      this.inbox.answered(this.iteration);
      this.events.push({ type: 'assistant.settled', message, stopReason: stop });
    });
  }

  /** Appends the results of the last message's calls as one message. */
  settleResults(content: Message['content'], id = this.settings.host.createId('message')): void {
    const message: Message = { id, role: 'tool', content };
    tellTogether(this.events, () => {
      this.append(message);
      this.events.push({ type: 'toolResults.settled', message });
    });
  }

  /** The request of this iteration. */
  request(): ModelRequest {
    const { settings, view, conversation } = this;
    const request: ModelRequest = {
      system: view?.system ?? conversation.system,
      messages: view?.messages ?? conversation.messages,
      tools: settings.definitions,
      ...settings.request,
      ...(this.iteration === 1 && settings.toolChoice !== undefined ? { toolChoice: settings.toolChoice } : {}),
    };
    const { buildRequest } = settings.steps;
    return buildRequest === undefined ? request : stepAnswer('buildRequest', () => buildRequest(request));
  }

  beginIteration(): void {
    this.iteration++;
    this.attempt = 0;
    this.isReshaped = false;
    this.view = undefined;
    this.dispatch = undefined;
    if (this.inbox.pending === 0) return;
    const { iteration } = this;
    for (const message of this.inbox.drain(iteration)) {
      this.append(message);
      this.events.push({ type: 'message.injected', message, iteration });
    }
  }

  beginReshape(): void {
    this.isReshaped = true;
    this.#error = undefined;
    this.view = undefined;
  }

  seal(): void {
    if (this.isSealed) return;
    this.isSealed = true;
    this.#onSealed?.();
  }

  interruptTools(graceMs: number | undefined): void {
    this.dispatch?.interrupt(graceMs ?? this.settings.cancelGraceMs);
  }

  conclude(reason: TurnReason): void {
    this.#reason = reason;
  }

  /** Notes why the turn will end: the error of its result. */
  fail(error: TurnchartError): void {
    this.#error = error;
  }

  breakDown(error: unknown): void {
    this.fail(
      isTurnchartError(error)
        ? error
        : new TurnchartError('turn.broken', `A step of the turn threw: ${messageOf(error)}`, { cause: error }),
    );
  }

  land(): void {
    try {
      this.#land();
    } catch (thrown) {
      this.breakDown(thrown); // such as a frozen transcript: the turn ends anyway
    }
  }

  result(): TurnResult {
    this.#result ??= {
      turnId: this.turnId,
      reason: this.#reason,
      iterations: this.iteration,
      usage: this.#usage,
      ...(this.message === undefined ? {} : { message: this.message }),
      ...(this.#error === undefined || this.#reason === 'completed' ? {} : { error: this.#error }),
    };
    return this.#result;
  }

  output(): TurnOutput {
    const { inbox } = this;
    // Getters: a message may be accepted between the turn's last step and the operative's next.
    const waiting = {
      get late() {
        return inbox.pending;
      },
      get queued() {
        return inbox.queued;
      },
    };
    return { ...this.result(), waiting, toJSON: outputJson };
  }

  /** What inspectors see of it: never the transcript. */
  toJSON(): JsonValue {
    return { turnId: this.turnId, iteration: this.iteration, messages: this.conversation.messages.length };
  }

  #land(): void {
    const partial = this.#reason === 'aborted' ? this.fold?.partial('aborted') : undefined;
    if (this.#reason === 'failed' && this.fold !== undefined) this.events.push({ type: 'stream.reset' });
    this.fold = undefined;
    if (partial !== undefined) {
      this.message = partial;
      this.append(partial);
    }
    const open = openCalls(this.conversation);
    if (open.length === 0) return;
    const results = open.map((call) => {
      const fate = this.dispatch?.fateOf(call) ?? 'notStarted';
      if (typeof fate === 'object') return fate; // already announced
      const result = unstartedResult(call, fate);
      this.events.push({ type: 'toolCall.settled', call, result, durationMs: 0 });
      return result;
    });
    this.settleResults(results, this.#lastId());
  }

  // A host that no longer gives ids must not leave calls without results.
  #lastId(): string {
    try {
      return this.settings.host.createId('message');
    } catch (thrown) {
      this.breakDown(thrown);
      return defaultHost.createId('message');
    }
  }
}

// What inspectors see of a turn's end: the message by its id.
function outputJson(this: TurnOutput): object {
  const { turnId, reason, iterations, usage, message, error, waiting } = this;
  return { turnId, reason, iterations, usage, messageId: message?.id, error, waiting };
}

/** The record behind a chart's scope; throws on a scope this runtime did not make. */
export function recordOf(scope: TurnScope): TurnRecord {
  if (scope instanceof TurnRecord) return scope;
  throw new TurnchartError(
    'engine.foreign',
    'This turn was given a scope that no engine of this copy of turnchart made. Start turns through an engine.',
  );
}
