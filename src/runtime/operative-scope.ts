// What the operative's chart does: claims, ledger, transcript and events of one conversation.

import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../contracts/events.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { OperativeOptions, ResumeResult } from '../contracts/operative.ts';
import type { ToolSession } from '../contracts/tool.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import { noUsage } from '../conversation/usage.ts';
import type { Question, Submission } from '../machines/operative.ts';
import type { TurnMachineInput } from '../machines/turn.ts';
import { Broadcaster } from '../services/broadcast.ts';
import type { CompactScope } from '../services/compact.ts';
import type { ReloadScope } from '../services/reload.ts';
import type { TurnSettings } from '../services/settings.ts';
import { appendMessage, putContents, type EventSink } from '../services/transcript.ts';
import { atOnce } from '../services/thenable.ts';
import { TurnRecord } from '../services/turn-record.ts';
import type { Watch } from '../services/watch.ts';
import { makeValid, noteValid, releaseConversation } from './claim.ts';
import { internalsOf } from './engine-internals.ts';
import { EventHub, TurnChannel } from './event-hub.ts';
import { frameWith } from './frame.ts';
import { withFreshIds } from './fresh-ids.ts';
import { Ledger, Ticket } from './ledger.ts';
import { settingsOf } from './settings.ts';

/** A question with its answer's way back. */
export interface OpenQuestion extends Question {
  readonly turnContext?: unknown;
  /** What a `compact` should heed. */
  readonly instructions?: string | undefined;
  /** Resolves a `resume`, `cancel`, `compact` or `close`. */
  answer(value: ResumeResult | TurnResult | boolean | undefined): void;
  refuse(error: TurnchartError): void;
  /** What inspectors see of it: never the turn's context. */
  toJSON?(): JsonValue;
}

/** The turn that is claimed or runs. */
interface Claim {
  readonly turnId: string;
  readonly channel: TurnChannel;
  readonly turnContext: unknown;
  settings: TurnSettings;
  /** Resumes that wait for the reload to know whether there is anything to do; the first made the claim. */
  readonly resumes: { readonly question: OpenQuestion; readonly events: AsyncIterable<OperativeEvent> }[];
  isAnnounced: boolean;
  /** What a reload brought and what it lacked, to be told once the turn is announced. */
  reloaded: { readonly messages: number; readonly missing: readonly Message[] } | undefined;
  error: TurnchartError | undefined;
}

/** The runtime behind one operative's chart. Its methods are the chart's actions and are called in its steps only. */
export class ConversationScope implements ReloadScope, CompactScope {
  readonly conversation: Conversation;
  readonly session: ToolSession;
  readonly ledger: Ledger;
  readonly hub: EventHub;
  /** Wait for the next turn to begin, whoever starts it; accepted by that turn. */
  readonly notices: Message[] = [];
  readonly #options: OperativeOptions;
  readonly #host: Host;
  readonly #notifySealed: () => void;
  readonly #watch: Watch | undefined;
  readonly #waiting: OpenQuestion[] = [];
  #claim: Claim | undefined;
  #record: TurnRecord | undefined;
  #ended: TurnResult | undefined;
  #compact: OpenQuestion | undefined;
  /** The id of a cut answer at the end of the transcript that no turn of this operative made. */
  #cutElsewhere: string | undefined;
  #storedIds: Set<string> | undefined;
  #onListenerError: (error: unknown) => void;

  constructor(
    options: OperativeOptions,
    parts: {
      readonly conversation: Conversation;
      readonly session: ToolSession;
      readonly host: Host;
      readonly onListenerError: (error: unknown) => void;
      readonly watch: Watch | undefined;
      readonly notify: () => void;
    },
  ) {
    this.#options = options;
    this.#host = parts.host;
    this.#notifySealed = parts.notify;
    this.#watch = parts.watch;
    this.conversation = parts.conversation;
    this.session = parts.session;
    this.#onListenerError = parts.onListenerError;
    const onListenerError = (error: unknown) => this.#onListenerError(error);
    this.hub = new EventHub(onListenerError);
    this.#noteCut(parts.conversation);
    this.ledger = new Ledger(frameWith(options.frameInjectedMessage, onListenerError));
  }

  /** The transcript had this id before the ledger knew it: a host may store a message before it submits it. */
  isStored(messageId: string): boolean {
    const { messages } = this.conversation;
    // Read once: what this operative accepts later is in its ledger, and by hand one can only append.
    this.#storedIds ??= new Set(messages.map(({ id }) => id));
    return this.#storedIds.has(messageId) || messages.at(-1)?.id === messageId;
  }

  /** No new message may get this id. */
  isTaken(messageId: string): boolean {
    return this.ledger.has(messageId) || (this.#host !== defaultHost && this.isStored(messageId));
  }

  /** The rest of the current turn's events; nothing when none is claimed. */
  readEvents(): AsyncIterable<OperativeEvent> {
    return this.#claim?.channel.read() ?? nothing();
  }

  partial(): Message | undefined {
    return this.#record?.fold?.snapshot();
  }

  withdraw(messageId: string): boolean {
    if (this.ledger.withdraw(messageId) === undefined) return false;
    this.#push({ type: 'message.withdrawn', messageId });
    return true;
  }

  /** Called after each step of the chart: publishes what the step ended. */
  afterStep(): void {
    if (this.#claim === undefined) this.ledger.rest();
    const ended = this.#ended;
    this.#ended = undefined;
    this.hub.release();
    if (ended !== undefined) for (const question of this.#waiting.splice(0)) question.answer(answerOf(question, ended));
  }

  claim(submission: Submission): void {
    const ticket = ticketOf(submission);
    if (this.#claim !== undefined) return this.steer(ticket);
    const claim = this.#open(ticket.turnContext);
    this.ledger.start(ticket);
    ticket.decide({ outcome: 'startedTurn', turnId: claim.turnId }, () => claim.channel.read());
    this.#announceSoon();
  }

  claimResume(question: Question): void {
    const open = question as OpenQuestion;
    if (this.#claim !== undefined) return this.joinResume(question);
    const claim = this.#open(open.turnContext);
    const events = claim.channel.read();
    if (this.#options.reloadBeforeStart !== undefined) {
      claim.resumes.push({ question: open, events });
      return;
    }
    open.answer({ outcome: 'startedTurn', events });
    this.#announceSoon();
  }

  claimWaiting(): void {
    const { turnContext, preempts } = this.ledger.startWaiting();
    const claim = this.#open(turnContext);
    for (const ticket of preempts) {
      ticket.decide({ outcome: 'startedTurn', turnId: claim.turnId }, () => claim.channel.read());
    }
    this.#announceSoon();
  }

  steer(submission: Submission): void {
    const ticket = ticketOf(submission);
    const turnId = this.#claim?.turnId ?? '';
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'injected', turnId }, () => this.readEvents());
    this.#announceSoon();
  }

  keepLate(submission: Submission): void {
    const ticket = ticketOf(submission);
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'queued' }, () => this.readEvents());
  }

  hold(submission: Submission): void {
    const ticket = ticketOf(submission);
    this.ledger.hold(ticket);
    ticket.decide({ outcome: 'queued' }, () => this.readEvents());
    this.#announceSoon();
    this.#push({ type: 'message.queued', message: ticket.message });
  }

  preempt(submission: Submission): void {
    this.ledger.preempt(ticketOf(submission));
  }

  reject(submission: Submission, why: 'busy' | 'closed'): void {
    const ticket = ticketOf(submission);
    this.ledger.forget(ticket);
    ticket.deliver({ status: 'rejected' });
    ticket.decide({ outcome: 'rejected', why }, nothing);
  }

  demotePreempts(): void {
    for (const ticket of this.ledger.takePreempts()) this.keepLate(ticket);
  }

  joinResume(question: Question): void {
    const open = question as OpenQuestion;
    const claim = this.#claim;
    // Behind a resume whose reload has yet to show whether there is anything to do.
    if (claim !== undefined && claim.resumes.length > 0)
      claim.resumes.push({ question: open, events: claim.channel.read() });
    else open.answer({ outcome: 'alreadyRunning', events: this.readEvents() });
  }

  declineResume(question: Question): void {
    if (this.#claim !== undefined) return this.joinResume(question);
    (question as OpenQuestion).answer({ outcome: 'nothingToDo', events: nothing() });
  }

  dropClaim(): void {
    const claim = this.#claim;
    this.#claim = undefined;
    this.hub.hold();
    claim?.channel.end(); // whoever submitted a known message meanwhile reads it
    // No turn tells of the reload, but the transcript is another one now.
    if (claim?.reloaded !== undefined) {
      this.hub.publish({ type: 'transcript.replaced', by: 'reload', messages: claim.reloaded.messages });
    }
    for (const { question } of claim?.resumes ?? []) this.declineResume(question);
  }

  endClaim(reason: 'aborted' | 'failed'): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    this.hub.hold();
    this.#announce(claim);
    const { landed, late } = this.ledger.endUnbegun();
    this.#finish(claim, landed, late, {
      turnId: claim.turnId,
      reason,
      iterations: 0,
      usage: noUsage,
      ...(claim.error === undefined ? {} : { error: claim.error }),
    });
  }

  beginTurn(): void {
    const claim = this.#claim;
    if (claim === undefined) return;
    this.hub.hold();
    this.#announce(claim);
    this.#checkTranscript(claim);
    if (this.notices.length > 0) {
      this.ledger.startFirst(this.notices.splice(0).map((message) => new Ticket(message, undefined)));
    }
    for (const message of this.ledger.begin(claim.turnId)) this.#append(claim, message);
  }

  turnInput(): TurnMachineInput {
    const claim = this.#claim ?? this.#open(undefined);
    const { settings } = claim;
    this.#record = this.#recordFor(settings, claim.turnId, claim.turnContext, claim.channel);
    return { scope: this.#record, stages: settings.stages };
  }

  finishTurn(_result: TurnResult): void {
    const claim = this.#claim;
    const record = this.#record;
    if (claim === undefined || record === undefined) return;
    this.hub.hold();
    const { landed, late } = this.ledger.end();
    this.#finish(claim, landed, late, record.result());
  }

  breakTurn(error: unknown): void {
    const record = this.#record;
    if (record === undefined) return;
    record.seal();
    record.breakDown(error);
    record.conclude('failed');
    record.land();
    this.demotePreempts();
    this.finishTurn(record.result());
  }

  awaitEnd(question: Question): void {
    this.#waiting.push(question as OpenQuestion);
  }

  answerIdle(question: Question): void {
    (question as OpenQuestion).answer(undefined);
  }

  rejectClosed(question: Question): void {
    (question as OpenQuestion).refuse(
      new TurnchartError(
        'operative.closed',
        `This operative is closed, so it cannot ${question.kind}. Create a new one.`,
      ),
    );
  }

  beginCompact(question: Question): void {
    this.#compact = question as OpenQuestion;
  }

  compaction(): ReturnType<CompactScope['compaction']> {
    let hasGained = false;
    const push: EventSink['push'] = (event) => {
      if (event.type === 'message.appended') hasGained = true;
      // No turn runs: the append tells of a compaction, and only a failure is told besides.
      if (event.type !== 'transformer.applied') this.hub.publish(event);
    };
    return {
      record: this.#recordFor(this.#askEngine(), '', undefined, { push }),
      instructions: this.#compact?.instructions,
      hasGained: () => hasGained,
    };
  }

  /** Why a compaction would do nothing, whatever the transcript holds. */
  whyNotCompact(): string | undefined {
    return this.#askEngine().compactor === undefined ? 'No transformer of this engine can compact.' : undefined;
  }

  endCompact(gained: boolean): void {
    this.hub.hold(); // who hears of the turn that was claimed should find it begun
    this.#compact?.answer(gained);
    this.#compact = undefined;
    // A resume that reloads is announced once the reload has shown that there is something to do.
    if (this.#claim?.resumes.length === 0) this.#announce(this.#claim);
  }

  abandonCompact(): void {
    this.#compact?.answer(false);
    this.#compact = undefined;
    if (this.#claim !== undefined) this.endClaim('aborted');
    else for (const question of this.#waiting.splice(0)) question.answer(undefined);
  }

  declineCompact(question: Question): void {
    (question as OpenQuestion).answer(false);
  }

  close(): void {
    for (const ticket of this.ledger.takePreempts()) this.reject(ticket, 'closed');
    this.hub.hold();
    this.hub.publish({ type: 'operative.closed' });
    releaseConversation(this.conversation);
    this.#record = undefined;
    // With a turn to end, whoever waits is answered when that end is published.
    if (this.#ended === undefined) for (const question of this.#waiting.splice(0)) question.answer(undefined);
  }

  load(): unknown {
    return this.#options.reloadBeforeStart?.();
  }

  takeLoaded(loaded: unknown): boolean {
    const claim = this.#claim;
    if (claim === undefined) return false;
    const contents = contentsOf(loaded);
    const scratch: Conversation = { system: contents.system, messages: [...contents.messages] };
    makeValid(scratch);
    const stored = new Set(scratch.messages.map((message) => message.id));
    const missing = this.ledger.outstanding().filter(({ id }) => !stored.has(id));
    if (scratch.messages.at(-1)?.id !== this.conversation.messages.at(-1)?.id) this.#noteCut(scratch);
    putContents(this.conversation, scratch);
    noteValid(this.conversation);
    this.ledger.noteStored(stored);
    this.#storedIds = stored;
    claim.reloaded = { messages: this.conversation.messages.length, missing };
    const isAnswerable = missing.length > 0 || this.isAnswerable();
    if (claim.isAnnounced && !this.ledger.hasStarters && this.ledger.pending === 0 && !isAnswerable) {
      this.ledger.startHeld(); // a resume with nothing to answer, but messages held for the next turn meanwhile
    }
    return claim.isAnnounced || isAnswerable;
  }

  failLoad(error: unknown): void {
    if (this.#claim === undefined) return;
    this.#claim.error = new TurnchartError(
      'reload.failed',
      `reloadBeforeStart failed, so the turn did not start: ${messageOf(error)}. The accepted messages are in the transcript; submit or resume tries again.`,
      { cause: error },
    );
  }

  /** A model has something to answer: a user or tool message at the end, or a cut answer that left messages unanswered. */
  isAnswerable(): boolean {
    const last = lastSaid(this.conversation.messages);
    if (last === undefined) return false;
    if (last.role !== 'assistant') return true;
    return isCut(last) && (this.ledger.owes || last.id === this.#cutElsewhere);
  }

  /** Why a resume would do nothing; undefined where it would, or where only the reload can tell. */
  whyNotResume(): string | undefined {
    if (this.#options.reloadBeforeStart !== undefined || this.isAnswerable()) return undefined;
    return this.conversation.messages.length === 0
      ? 'The transcript is empty.'
      : 'The last message is an answer already.';
  }

  toJSON(): JsonValue {
    return { messages: this.conversation.messages.length, pending: this.ledger.pending, queued: this.ledger.queued };
  }

  // What a cut answer left unanswered is known to the operative whose turn was cut. From another one's transcript, as after
  // a restart, only the cut itself can be read: it is taken for something to answer.
  #noteCut({ messages }: Conversation): void {
    const last = lastSaid(messages);
    this.#cutElsewhere = isCut(last) ? last?.id : undefined;
  }

  #open(turnContext: unknown): Claim {
    const claim: Claim = {
      turnId: this.#host.createId('turn'),
      channel: new TurnChannel(this.hub),
      turnContext,
      settings: this.#askEngine(),
      resumes: [],
      isAnnounced: false,
      reloaded: undefined,
      error: undefined,
    };
    this.#claim = claim;
    this.hub.hold(); // who hears of the turn should find the operative in its new state
    return claim;
  }

  // An engine function that throws gives a turn that fails with its error, as any failure of a model does.
  #askEngine(): TurnSettings {
    const { engine } = this.#options;
    try {
      const { settings } = internalsOf(typeof engine === 'function' ? atOnce(engine(), 'The engine function') : engine);
      this.#onListenerError = settings.onListenerError;
      return settings;
    } catch (thrown) {
      return failingSettings(thrown, this.#host);
    }
  }

  // Only what was put behind the last turn is looked at: the host may have done that by hand.
  #checkTranscript(claim: Claim): void {
    try {
      if (makeValid(this.conversation).length === 0) return;
      claim.channel.push({ type: 'transcript.replaced', by: 'repair', messages: this.conversation.messages.length });
    } catch (invalid) {
      claim.settings = failingSettings(invalid, this.#host);
    }
  }

  // A turn claimed while the transcript is compacted is announced when that is done: what a compaction tells stands
  // between turns.
  #announceSoon(): void {
    const claim = this.#claim;
    if (claim === undefined || this.#compact !== undefined) return;
    this.#announce(claim);
  }

  #announce(claim: Claim): void {
    if (!claim.isAnnounced) {
      claim.isAnnounced = true;
      claim.channel.push({ type: 'turn.started', turnId: claim.turnId });
      for (const [index, { question, events }] of claim.resumes.splice(0).entries()) {
        question.answer({ outcome: index === 0 ? 'startedTurn' : 'alreadyRunning', events });
      }
    }
    const { reloaded } = claim;
    if (reloaded === undefined) return;
    claim.reloaded = undefined;
    claim.channel.push({ type: 'turn.reloaded', messages: reloaded.messages });
    for (const message of reloaded.missing) this.#append(claim, message);
  }

  #finish(claim: Claim, landed: readonly Message[], late: readonly Message[], result: TurnResult): void {
    for (const message of landed) this.#append(claim, message);
    for (const message of late) claim.channel.push({ type: 'message.queued', message });
    claim.channel.push({ type: 'turn.completed', ...result });
    claim.channel.end();
    this.#ended = result;
    this.#claim = undefined;
    this.#record = undefined;
  }

  #recordFor(settings: TurnSettings, turnId: string, turnContext: unknown, events: EventSink): TurnRecord {
    return new TurnRecord({
      turnId,
      conversation: this.conversation,
      settings: withFreshIds(settings, (id) => this.ledger.has(id) || this.isStored(id)),
      session: this.session,
      events,
      inbox: this.ledger,
      onSealed: this.#notifySealed,
      turnContext,
      approve: this.#options.approve ?? settings.approve,
      watch: this.#watch,
    });
  }

  #append(claim: Claim, message: Message): void {
    appendMessage(this.conversation, message, claim.channel);
  }

  #push(event: OperativeEvent): void {
    if (this.#claim === undefined) this.hub.publish(event);
    else this.#claim.channel.push(event);
  }
}

// A model that does nothing but fail: the chart then needs no path of its own for an engine that could not be had.
function failingSettings(thrown: unknown, host: Host): TurnSettings {
  return settingsOf({
    model: {
      id: 'none',
      stream: () => {
        throw thrown;
      },
    },
    host,
  });
}

function contentsOf(loaded: unknown): Pick<Conversation, 'system' | 'messages'> {
  if (typeof loaded === 'object' && loaded !== null && 'messages' in loaded && Array.isArray(loaded.messages)) {
    const system = 'system' in loaded && Array.isArray(loaded.system) ? loaded.system : [];
    return { system, messages: loaded.messages };
  }
  throw new TypeError('it returned no conversation (an object with "system" and "messages" arrays)');
}

// The chart passes on what the facade gave it, and the facade gives nothing else.
function ticketOf(submission: Submission): Ticket {
  if (submission instanceof Ticket) return submission;
  throw new TurnchartError('engine.foreign', 'A submission must come from an operative of this copy of turnchart.');
}

// A compaction is nothing that anybody said.
function lastSaid(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ content }) => content[0]?.type !== 'boundary');
}

function isCut(message: Message | undefined): boolean {
  return message?.role === 'assistant' && message.meta?.['cut'] !== undefined;
}

function answerOf(question: OpenQuestion, ended: TurnResult): TurnResult | undefined {
  return question.kind === 'cancel' ? ended : undefined;
}

function nothing(): AsyncIterable<OperativeEvent> {
  const empty = new Broadcaster<OperativeEvent>();
  const events = empty.read();
  empty.end();
  return events;
}
