// What the operative's chart does: its actions, in the chart's own words.

import type { TurnResult, OperativeEvent } from '../contracts/events.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Question, Submission } from '../machines/operative.ts';
import type { TurnMachineInput } from '../machines/turn.ts';
import type { CompactScope } from '../services/compact.ts';
import type { ReloadScope } from '../services/reload.ts';
import { releaseConversation } from './claim.ts';
import { ClaimedTurn, nothing, type ClaimedTurnParts } from './claimed-turn.ts';
import { EventHub } from './event-hub.ts';
import { frameWith } from './frame.ts';
import { HeldTranscript } from './held-transcript.ts';
import { Ledger } from './ledger.ts';
import { answerAll, refuseClosed, type OpenQuestion } from './open-question.ts';
import { ticketIn } from './ticket.ts';

/** The runtime behind one operative's chart. Its methods are the chart's actions and are called in its steps only. */
export class ConversationScope implements ReloadScope, CompactScope {
  readonly ledger: Ledger;
  readonly hub: EventHub;
  /** Wait for the next turn to begin, whoever starts it; accepted by that turn. */
  readonly notices: Message[] = [];
  readonly #reload: OperativeOptions['reloadBeforeStart'];
  readonly #host: Host;
  readonly #transcript: HeldTranscript;
  readonly #turn: ClaimedTurn;
  /** Cancels and closes that wait for the end of the turn. */
  readonly #waiting: OpenQuestion[] = [];
  #compact: OpenQuestion | undefined;

  constructor(
    options: OperativeOptions,
    parts: Pick<ClaimedTurnParts, 'session' | 'host' | 'watch'> & {
      readonly conversation: Conversation;
      readonly onListenerError: (error: unknown) => void;
      /** Called in the step that seals a turn. */
      readonly notify: () => void;
    },
  ) {
    const { session, host, watch } = parts;
    let tellError = parts.onListenerError;
    const onListenerError = (error: unknown) => tellError(error);
    this.#reload = options.reloadBeforeStart;
    this.#host = host;
    this.hub = new EventHub(onListenerError);
    this.ledger = new Ledger(frameWith(options.frameInjectedMessage, onListenerError));
    this.#transcript = new HeldTranscript(parts.conversation);
    this.#turn = new ClaimedTurn({
      options,
      transcript: this.#transcript,
      ledger: this.ledger,
      hub: this.hub,
      session,
      host,
      watch,
      notices: this.notices,
      onSealed: parts.notify,
      onEngine: (settings) => {
        tellError = settings.onListenerError;
      },
    });
  }

  /** The transcript had this id before the ledger knew it. */
  isStored(messageId: string): boolean {
    return this.#transcript.has(messageId);
  }

  /** No new message may get this id. */
  isTaken(messageId: string): boolean {
    return this.ledger.has(messageId) || (this.#host !== defaultHost && this.isStored(messageId));
  }

  /** The rest of the current turn's events; nothing when none is claimed. */
  readEvents(): AsyncIterable<OperativeEvent> {
    return this.#turn.readEvents();
  }

  partial(): Message | undefined {
    return this.#turn.partial();
  }

  withdraw(messageId: string): boolean {
    if (this.ledger.withdraw(messageId) === undefined) return false;
    this.#turn.push({ type: 'message.withdrawn', messageId });
    return true;
  }

  /** Called after each step of the chart: publishes what the step ended. */
  afterStep(): void {
    if (this.#turn.claim === undefined) this.ledger.rest();
    const ended = this.#turn.takeEnded();
    this.hub.release();
    if (ended !== undefined) answerAll(this.#waiting.splice(0), ended);
  }

  claim(submission: Submission): void {
    const ticket = ticketIn(submission);
    if (this.#turn.claim !== undefined) return this.steer(ticket);
    const claim = this.#turn.open(ticket.turnContext);
    this.ledger.start(ticket);
    ticket.decide({ outcome: 'startedTurn', turnId: claim.turnId }, () => claim.channel.read());
    this.#announceSoon();
  }

  claimResume(question: Question): void {
    const open = question as OpenQuestion;
    if (this.#turn.claim !== undefined) return this.joinResume(question);
    const claim = this.#turn.open(open.turnContext);
    const events = claim.channel.read();
    if (this.#reload !== undefined) {
      claim.resumes.push({ question: open, events });
      return;
    }
    open.answer({ outcome: 'startedTurn', events });
    this.#announceSoon();
  }

  claimWaiting(): void {
    const { turnContext, preempts } = this.ledger.startWaiting();
    const claim = this.#turn.open(turnContext);
    for (const ticket of preempts) {
      ticket.decide({ outcome: 'startedTurn', turnId: claim.turnId }, () => claim.channel.read());
    }
    this.#announceSoon();
  }

  steer(submission: Submission): void {
    const ticket = ticketIn(submission);
    const turnId = this.#turn.claim?.turnId ?? '';
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'injected', turnId }, () => this.readEvents());
    this.#announceSoon();
  }

  keepLate(submission: Submission): void {
    const ticket = ticketIn(submission);
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'queued' }, () => this.readEvents());
  }

  hold(submission: Submission): void {
    const ticket = ticketIn(submission);
    this.ledger.hold(ticket);
    ticket.decide({ outcome: 'queued' }, () => this.readEvents());
    this.#announceSoon();
    this.#turn.push({ type: 'message.queued', message: ticket.message });
  }

  preempt(submission: Submission): void {
    this.ledger.preempt(ticketIn(submission));
  }

  reject(submission: Submission, why: 'busy' | 'closed'): void {
    const ticket = ticketIn(submission);
    this.ledger.forget(ticket);
    ticket.deliver({ status: 'rejected' });
    ticket.decide({ outcome: 'rejected', why }, nothing);
  }

  demotePreempts(): void {
    for (const ticket of this.ledger.takePreempts()) this.keepLate(ticket);
  }

  joinResume(question: Question): void {
    const open = question as OpenQuestion;
    const { claim } = this.#turn;
    // Behind a resume whose reload has yet to show whether there is anything to do.
    if (claim !== undefined && claim.resumes.length > 0)
      claim.resumes.push({ question: open, events: claim.channel.read() });
    else open.answer({ outcome: 'alreadyRunning', events: this.readEvents() });
  }

  declineResume(question: Question): void {
    if (this.#turn.claim !== undefined) return this.joinResume(question);
    (question as OpenQuestion).answer({ outcome: 'nothingToDo', events: nothing() });
  }

  dropClaim(): void {
    for (const question of this.#turn.drop()) this.declineResume(question);
  }

  endClaim(reason: 'aborted' | 'failed'): void {
    this.#turn.endUnbegun(reason);
  }

  beginTurn(): void {
    this.#turn.begin();
  }

  turnInput(): TurnMachineInput {
    return this.#turn.input();
  }

  finishTurn(_result?: TurnResult): void {
    this.#turn.finish();
  }

  breakTurn(error: unknown): void {
    if (!this.#turn.breakDown(error)) return;
    this.demotePreempts();
    this.finishTurn();
  }

  awaitEnd(question: Question): void {
    this.#waiting.push(question as OpenQuestion);
  }

  answerIdle(question: Question): void {
    (question as OpenQuestion).answer(undefined);
  }

  rejectClosed(question: Question): void {
    refuseClosed(question as OpenQuestion);
  }

  beginCompact(question: Question): void {
    this.#compact = question as OpenQuestion;
  }

  compaction(): ReturnType<CompactScope['compaction']> {
    return { ...this.#turn.compaction(), instructions: this.#compact?.instructions };
  }

  /** Why a compaction would do nothing, whatever the transcript holds. */
  whyNotCompact(): string | undefined {
    return this.#turn.askEngine().compactor === undefined ? 'No transformer of this engine can compact.' : undefined;
  }

  endCompact(gained: boolean): void {
    this.hub.hold(); // who hears of the turn that was claimed should find it begun
    this.#compact?.answer(gained);
    this.#compact = undefined;
    // A resume that reloads is announced once the reload has shown that there is something to do, or a message has.
    const { claim } = this.#turn;
    const isWaitedFor = this.ledger.pending + this.ledger.queued > 0;
    if (claim !== undefined && (claim.resumes.length === 0 || isWaitedFor)) this.#turn.announce(claim);
  }

  abandonCompact(): void {
    this.#compact?.answer(false);
    this.#compact = undefined;
    if (this.#turn.claim !== undefined) this.endClaim('aborted');
    else answerAll(this.#waiting.splice(0), undefined);
  }

  declineCompact(question: Question): void {
    (question as OpenQuestion).answer(false);
  }

  close(): void {
    for (const ticket of this.ledger.takePreempts()) this.reject(ticket, 'closed');
    this.hub.hold();
    this.hub.publish({ type: 'operative.closed' });
    releaseConversation(this.#transcript.conversation);
    this.#turn.forget();
    // With a turn to end, whoever waits is answered when that end is published.
    if (!this.#turn.hasEnded) answerAll(this.#waiting.splice(0), undefined);
  }

  load(): unknown {
    return this.#reload?.();
  }

  takeLoaded(loaded: unknown): boolean {
    return this.#turn.takeLoaded(loaded);
  }

  failLoad(error: unknown): void {
    this.#turn.failLoad(error);
  }

  /** A model has something to answer. */
  isAnswerable(): boolean {
    return this.#transcript.isAnswerable(this.ledger.owes);
  }

  /** Why a resume would do nothing; undefined where it would, or where only the reload can tell. */
  whyNotResume(): string | undefined {
    return this.#reload === undefined ? this.#transcript.whyNothing(this.ledger.owes) : undefined;
  }

  toJSON(): JsonValue {
    const { length } = this.#transcript.conversation.messages;
    return { messages: length, pending: this.ledger.pending, queued: this.ledger.queued };
  }

  // A turn claimed while the transcript is compacted is announced when that is done: what a compaction tells stands
  // between turns.
  #announceSoon(): void {
    const { claim } = this.#turn;
    if (claim !== undefined && this.#compact === undefined) this.#turn.announce(claim);
  }
}
