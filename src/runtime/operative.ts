// The operative's public face: turns calls into events of its chart and the chart's decisions into promises.

import { createActor } from 'xstate';
import { taskNotices, type TellNotice } from '../contracts/background-task.ts';
import type { Engine } from '../contracts/engine.ts';
import { reasonOf, TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../contracts/events.ts';
import { defaultHost } from '../contracts/host.ts';
import type {
  Operative,
  OperativeCommand,
  OperativeOptions,
  OperativeState,
  ResumeResult,
  SubmitOutcome,
  SubmitPolicy,
  SubmitResult,
} from '../contracts/operative.ts';
import type { ToolSession } from '../contracts/tool.ts';
import { createConversation, type Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { OperativeMachineEvent, Question } from '../machines/operative.ts';
import { relay } from '../machines/relay.ts';
import { checkOptions, invalidOption } from '../contracts/option-table.ts';
import { acceptMessage } from './accept-message.ts';
import { commandOptions, operativeOptions } from './check-options.ts';
import { claimConversation } from './claim.ts';
import { inspectedOperativeLogic, operativeLogic } from './charts.ts';
import { noteActor } from './facade-actors.ts';
import { internalsOf } from './engine-internals.ts';
import { noEvents } from './event-hub.ts';
import { isStored } from './held-transcript.ts';
import type { OpenQuestion } from './open-question.ts';
import { ConversationScope } from './operative-scope.ts';
import { createSession } from './session.ts';
import { Ticket } from './ticket.ts';
import { watchOf } from './watch.ts';

/**
 * Makes an operative. It holds the conversation until it is closed: throws `conversation.busy` if someone else holds
 * it, `conversation.invalid` if it is not a conversation. A transcript that was stored in the middle of a turn is
 * repaired.
 */
export function createOperative<TurnContext = unknown>(options: OperativeOptions<TurnContext>): Operative<TurnContext> {
  // Inside, contexts are opaque: a turn is started with the context that its tools are typed for.
  return new ChartedOperative(options as unknown as OperativeOptions) as unknown as Operative<TurnContext>;
}

class ChartedOperative implements Operative {
  readonly conversation: Conversation;
  readonly session: ToolSession;
  readonly #scope: ConversationScope;
  readonly #actor: OperativeActor;
  /** Its chart has died: the error that every command gets. */
  #broken: TurnchartError | undefined;
  /** Called if the chart dies, so that nobody waits for its answer: one for each caller who has none yet. */
  readonly #unanswered = new Set<(broken: TurnchartError) => void>();

  constructor(options: OperativeOptions) {
    checkOptions('createOperative', options, operativeOptions);
    const engine = typeof options.engine === 'function' ? undefined : internalsOf(options.engine);
    const onListenerError = engine?.settings.onListenerError ?? (() => undefined);
    const host = engine?.settings.host ?? defaultHost;
    this.conversation = options.conversation ?? createConversation();
    this.session = createSession(host); // before the claim: a host may throw
    const { announceTasks = 'off' } = options;
    if (announceTasks !== 'off') {
      this.session.get<TellNotice>(taskNotices, () => (text, taskId) => this.#announce(announceTasks, text, taskId));
    }
    claimConversation(this.conversation);
    const watch = watchOf(options, onListenerError, engine?.watch);
    this.#scope = new ConversationScope(options, {
      conversation: this.conversation,
      session: this.session,
      host,
      onListenerError,
      watch,
      notify: () => {
        if (watch === undefined) this.#actor.send(sealedEvent);
        else relay(actor.getSnapshot().children['turn'] ?? actor, actor, sealedEvent);
      },
    });
    const input = {
      scope: this.#scope,
      reloads: options.reloadBeforeStart !== undefined,
      startsLate: options.lateMessages === 'start',
    };
    const logic = watch === undefined ? operativeLogic : inspectedOperativeLogic;
    const actor = createActor(logic, { id: 'operative', input, ...watch });
    this.#actor = actor;
    noteActor(this, actor);
    const show = watch?.show?.({ parent: actor, conversation: this.conversation, now: () => host.now() });
    if (show !== undefined) this.#scope.hub.subscribe(show);
    this.#actor.subscribe({ next: () => this.#scope.afterStep(), error: (error) => this.#break(error) });
    this.#actor.start();
  }

  get state(): OperativeState {
    if (this.#broken !== undefined) return 'closed';
    const value = this.#actor.getSnapshot().value as
      | OperativeState
      | { readonly active: OperativeState }
      | { readonly compacting: string };
    if (typeof value === 'string') return value;
    return 'active' in value ? value.active : 'compacting';
  }

  async submit(
    input: string | Message,
    options?: { readonly turnContext?: unknown; readonly policy?: SubmitPolicy },
  ): Promise<SubmitResult> {
    if (options !== undefined) checkOptions('submit', options, commandOptions.submit);
    this.#checkAlive();
    const { ledger, transcript } = this.#scope;
    const message = this.#accept(input);
    const known = ledger.known(message.id);
    const ticket = known ?? new Ticket(message, options?.turnContext);
    // First of all, since it may throw: nobody would hear of the promise below.
    if (known === undefined) ticket.isLanded = typeof input !== 'string' && isStored(transcript.find(message.id));
    // Its events begin in the step that decides it.
    const decided = new Promise<SubmitResult>((resolve, refuse) => {
      this.#unanswered.add(refuse);
      ticket.onDecision((outcome) => {
        this.#unanswered.delete(refuse);
        resolve(this.#resultOf(ticket, outcome));
      });
    });
    if (known === undefined) {
      ledger.note(ticket);
      this.#actor.send({ type: 'message.submit', policy: options?.policy ?? 'steer', submission: ticket });
      if (ticket.outcome !== undefined) this.#checkAlive(); // decided in the step in which the chart died
    }
    return decided;
  }

  resume(options?: { readonly turnContext?: unknown }): Promise<ResumeResult> {
    return this.#ask('resume', options, (question) => ({
      type: 'turn.resume',
      answerable: this.#scope.whyNotResume() === undefined,
      question,
    }));
  }

  cancel(options?: { readonly graceMs?: number }): Promise<TurnResult | undefined> {
    const { ledger } = this.#scope;
    return this.#ask('cancel', options, (question) => ({
      type: 'turn.cancel',
      ...options,
      // A getter: the event may wait in the mailbox while earlier ones hold a message.
      get holds() {
        return ledger.queued > 0;
      },
      question,
    }));
  }

  compact(options?: { readonly instructions?: string }): Promise<boolean> {
    return this.#ask('compact', options, (question) => ({
      type: 'operative.compact',
      possible: this.can('compact').allowed,
      question,
    }));
  }

  async close(): Promise<void> {
    if (this.#broken === undefined) await this.#ask('close', {}, (question) => ({ type: 'operative.close', question }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  withdraw(messageId: string): boolean {
    return this.#scope.withdraw(messageId);
  }

  can(command: OperativeCommand): ReturnType<Operative['can']> {
    const why = this.#broken?.message ?? whyNot(command, this.state, this.#scope);
    return why === undefined ? { allowed: true } : { allowed: false, why };
  }

  subscribe(listener: (event: OperativeEvent) => void): () => void {
    if (typeof listener !== 'function') throw invalidOption('listener', 'a function', listener);
    return this.#scope.hub.subscribe(listener);
  }

  partial(): Message | undefined {
    return this.#scope.partial();
  }

  #accept(input: string | Message): Message {
    return acceptMessage(input, this.#scope.parts.host, (id) => this.#scope.isTaken(id));
  }

  #ask<Answer>(
    kind: Question['kind'],
    options: { readonly turnContext?: unknown; readonly instructions?: string; readonly graceMs?: number } = {},
    eventOf: (question: OpenQuestion) => OperativeMachineEvent,
  ): Promise<Answer> {
    return new Promise<Answer>((resolve, refuse) => {
      checkOptions(kind, options, commandOptions[kind]);
      this.#checkAlive();
      const leave: OpenQuestion['refuse'] = (error) => {
        this.#unanswered.delete(leave);
        if (kind === 'close') resolve(undefined as Answer); // closed it is, whatever the chart died of
        else refuse(error);
      };
      const answer: OpenQuestion['answer'] = (value) => {
        this.#unanswered.delete(leave);
        resolve(value as Answer); // each kind of question is answered with its own kind of value
      };
      this.#unanswered.add(leave);
      this.#actor.send(eventOf({ ...options, kind, answer, refuse: leave, toJSON: () => kind }));
    });
  }

  #resultOf(ticket: Ticket, outcome: SubmitOutcome): SubmitResult {
    return {
      messageId: ticket.message.id,
      ...outcome,
      events: outcome.outcome === 'rejected' ? noEvents() : this.#scope.readEvents(),
      get delivery() {
        return ticket.delivery;
      },
    };
  }

  // A settled task: submitted like any steer, or placed first in the next turn.
  #announce(how: 'steer' | 'queue', text: string, task: string): void {
    const message = { ...this.#accept(text), meta: { task } };
    if (how === 'queue') this.#scope.ledger.announce(message);
    else this.submit(message).catch(() => undefined); // a broken operative reports it to its callers anyway
  }

  #checkAlive(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  // Its guards and actions are written never to cause that; a host that throws can.
  #break(error: unknown): void {
    const broken = new TurnchartError(
      'turn.broken',
      `This operative is broken and takes nothing more: ${reasonOf(error)}. Its conversation is free: make a new one.`,
      { cause: error },
    );
    this.#broken = broken;
    this.#scope.breakDown(error);
    for (const leave of this.#unanswered) leave(broken);
    this.#scope.transcript.release();
  }
}

interface OperativeActor {
  start(): unknown;
  send(event: OperativeMachineEvent): void;
  getSnapshot(): { readonly value: unknown };
  subscribe(observer: { next: () => void; error: (error: unknown) => void }): unknown;
}

const sealedEvent = { type: 'turn.sealed' } as const;

function whyNot(command: OperativeCommand, state: OperativeState, scope: ConversationScope): string | undefined {
  if (state === 'closed' || state === 'closing')
    return command === 'cancel' && state === 'closing' ? undefined : 'The operative is closed.';
  const isIdle = state === 'idle';
  switch (command) {
    case 'start':
      return isIdle ? undefined : `A turn is claimed (${state}); a message steers it or waits.`;
    case 'steer':
      return state === 'running' || state === 'reloading' ? undefined : `No turn takes messages now (${state}).`;
    case 'resume':
      return isIdle ? scope.whyNotResume() : undefined;
    case 'cancel':
      return isIdle ? 'No turn is running.' : undefined;
    case 'compact':
      return isIdle ? scope.whyNotCompact() : `The operative is busy (${state}).`;
  }
}

/** Builds an operative step by step; every method returns a new builder. */
export class OperativeBuilder<TurnContext = unknown> {
  readonly #options: OperativeOptions<TurnContext>;

  private constructor(options: OperativeOptions<TurnContext>) {
    this.#options = options;
  }

  /** A builder of an operative on this engine and conversation (default: a new one). */
  static create<T>(engine: Engine<T>, conversation?: Conversation): OperativeBuilder<T> {
    return new OperativeBuilder({ engine, ...(conversation === undefined ? {} : { conversation }) });
  }

  withReloadBeforeStart(reload: NonNullable<OperativeOptions['reloadBeforeStart']>): OperativeBuilder<TurnContext> {
    return this.with({ reloadBeforeStart: reload });
  }

  withFrameInjectedMessage(frame: ((message: Message) => Message) | null): OperativeBuilder<TurnContext> {
    return this.with({ frameInjectedMessage: frame });
  }

  /** Sets any options; each one given replaces what was there. */
  with(options: Partial<OperativeOptions<TurnContext>>): OperativeBuilder<TurnContext> {
    return new OperativeBuilder({ ...this.#options, ...options });
  }

  build(): Operative<TurnContext> {
    return createOperative(this.#options);
  }
}
