// The actions of the operative's chart, in the chart's own words. One step of an operative:
// 1. A call of the facade (operative.ts) is an event in the actor's mailbox; an event sent during a step waits there.
// 2. The chart (machines/operative.ts) chooses a transition, and its actions call methods here, in order. They answer
//    their ticket or question, or keep it until its answer is known. Those that claim, begin or end a turn call
//    `hub.hold()`: from then on events wait, so that no listener runs while the operative is between two states. The
//    end of a turn is noted in `#ended`.
// 3. The chart is in its new state: children that it left stop; those that it invokes (turn, reload, compact) start.
// 4. `afterStep`: if no turn is left, messages that landed get the delivery `queued`. `hub.release()` delivers the waiting
//    events, and those they cause, in order. Then the waiting cancels and closes are answered with what `#ended` held.
//
// The flags of a ticket (ticket.ts): `isLanded` = its message is in the transcript, so it is not appended again;
// `isHeld` = it was submitted with policy `queue`, so the next turn is its own and may take its context; `isAnnounced`
// = `message.queued` was published for it, so the end of a turn does not announce it again.

import type { Engine } from '../contracts/engine.ts';
import { isTurnchartError, messageOf, TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent, TurnResult } from '../contracts/events.ts';
import type { OperativeOptions } from '../contracts/operative.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { TurnMachineInput } from '../machines/turn.ts';
import type { Compaction, CompactScope } from '../services/compact.ts';
import type { ReloadScope } from '../services/reload.ts';
import type { TurnSettings } from '../services/settings.ts';
import { atOnce } from '../contracts/at-once.ts';
import { ClaimedTurn, recordOn, type TurnHome } from './claimed-turn.ts';
import { internalsOf } from './engine-internals.ts';
import { EventHub, noEvents } from './event-hub.ts';
import { failingSettings } from './failing-settings.ts';
import { frameWith } from './frame.ts';
import { HeldTranscript } from './held-transcript.ts';
import { Ledger } from './ledger.ts';
import type { OpenQuestion } from './open-question.ts';
import type { Ticket } from './ticket.ts';

/**
 * The runtime behind one operative's chart. The chart's actions are called only in its steps, with the tickets and open
 * questions that the facade put into its events.
 */
export class ConversationScope implements ReloadScope, CompactScope, TurnHome {
  readonly options: OperativeOptions;
  readonly parts: TurnHome['parts'];
  readonly ledger: Ledger;
  readonly hub: EventHub;
  readonly transcript: HeldTranscript;
  #turn: ClaimedTurn | undefined;
  /** A turn has ended in this step, and its end is not published yet. */
  #ended: TurnResult | undefined;
  /** Cancels and closes that wait for the end of the turn; a close learns only that it is over. */
  readonly #waiting: OpenQuestion[] = [];
  #compact: OpenQuestion | undefined;

  constructor(
    options: OperativeOptions,
    parts: TurnHome['parts'] & {
      readonly conversation: Conversation;
      readonly onListenerError: (error: unknown) => void;
    },
  ) {
    this.options = options;
    this.parts = parts;
    this.hub = new EventHub(parts.onListenerError);
    this.ledger = new Ledger(frameWith(options.frameInjectedMessage, (error) => this.hub.onListenerError(error)));
    this.transcript = new HeldTranscript(parts.conversation);
  }

  /** No new message may get this id. */
  isTaken(messageId: string): boolean {
    return this.ledger.has(messageId) || this.transcript.find(messageId) !== undefined;
  }

  /** The rest of the current turn's events; none if no turn is claimed. */
  readEvents(): AsyncIterable<OperativeEvent> {
    return this.#turn?.channel.read() ?? noEvents();
  }

  partial(): ReturnType<ClaimedTurn['partial']> {
    return this.#turn?.partial();
  }

  withdraw(messageId: string): boolean {
    if (this.ledger.withdraw(messageId) === undefined) return false;
    this.#turn?.push({ type: 'message.withdrawn', messageId }); // nothing waits without a turn
    return true;
  }

  /** Called after each step of the chart: publishes what the step ended, and answers those who waited for that. */
  afterStep(): void {
    const ended = this.#ended;
    const isOver = this.#turn === undefined;
    this.#ended = undefined;
    if (isOver) this.ledger.rest();
    this.hub.release();
    if (!isOver && ended === undefined) return;
    for (const question of this.#waiting.splice(0)) question.answer(question.kind === 'cancel' ? ended : undefined);
  }

  claim(ticket: Ticket): void {
    const { turnId } = this.#open(ticket.turnContext);
    this.ledger.start(ticket);
    ticket.decide({ outcome: 'startedTurn', turnId });
    this.#announceSoon();
  }

  claimResume(question: OpenQuestion): void {
    const turn = this.#open(question.turnContext);
    if (this.options.reloadBeforeStart !== undefined) return turn.keepWaiting(question);
    question.answer({ outcome: 'startedTurn', events: turn.channel.read() });
    this.#announceSoon();
  }

  claimWaiting(): void {
    const { turnContext, preempts } = this.ledger.startWaiting();
    const { turnId } = this.#open(turnContext);
    for (const ticket of preempts) ticket.decide({ outcome: 'startedTurn', turnId });
    this.#announceSoon();
  }

  steer(ticket: Ticket): void {
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'injected', turnId: this.#turn?.turnId ?? '' });
    this.#announceSoon();
  }

  keepLate(ticket: Ticket): void {
    this.ledger.steer(ticket);
    ticket.decide({ outcome: 'queued' });
  }

  hold(ticket: Ticket): void {
    this.hub.hold(); // a listener to the turn's start may withdraw the message
    this.ledger.hold(ticket);
    ticket.decide({ outcome: 'queued' });
    this.#announceSoon();
    this.#turn?.push({ type: 'message.queued', message: ticket.message });
  }

  preempt(ticket: Ticket): void {
    this.ledger.preempt(ticket);
  }

  reject(ticket: Ticket, why: 'busy' | 'closed'): void {
    this.ledger.forget(ticket);
    ticket.deliver({ status: 'rejected' });
    ticket.decide({ outcome: 'rejected', why });
  }

  demotePreempts(): void {
    for (const ticket of this.ledger.takePreempts()) this.keepLate(ticket);
  }

  joinResume(question: OpenQuestion): void {
    if (this.#turn?.isInDoubt === true) this.#turn.keepWaiting(question);
    else question.answer({ outcome: 'alreadyRunning', events: this.readEvents() });
  }

  declineResume(question: OpenQuestion): void {
    question.answer({ outcome: 'nothingToDo', events: noEvents() });
  }

  dropClaim(): void {
    this.hub.hold();
    for (const question of this.#turn?.drop() ?? []) this.declineResume(question);
    this.#turn = undefined;
  }

  endClaim(reason: 'aborted' | 'failed'): void {
    this.hub.hold();
    this.#ended = this.#turn?.end(reason);
    this.#turn = undefined;
  }

  beginTurn(): void {
    this.hub.hold();
    this.#turn?.begin();
  }

  turnInput(): TurnMachineInput {
    return (this.#turn ?? this.#open(undefined)).input();
  }

  finishTurn(): void {
    this.endClaim('failed'); // counts only if the turn has no record of its own reason
  }

  breakTurn(error: unknown): void {
    this.#turn?.breakDown(error);
    this.demotePreempts();
    this.finishTurn();
  }

  /** The operative's own chart died: whoever waits for its turn is informed of the end. */
  breakDown(error: unknown): void {
    try {
      this.breakTurn(error);
    } catch {
      this.#turn?.channel.end(); // a transcript that nothing can be appended to
      this.#turn = undefined;
    }
    this.ledger.giveUp();
    this.afterStep();
  }

  awaitEnd(question: OpenQuestion): void {
    this.#waiting.push(question);
  }

  answerIdle(question: OpenQuestion): void {
    question.answer(undefined);
  }

  rejectClosed(question: OpenQuestion): void {
    const text = `This operative is closed, so it cannot ${question.kind}. Create a new one.`;
    question.refuse(new TurnchartError('operative.closed', text));
  }

  beginCompact(question: OpenQuestion): void {
    this.#compact = question;
  }

  /** No turn runs, so only listeners hear of it. */
  compaction(): Compaction {
    let hasGained = false;
    const push = (event: OperativeEvent) => {
      if (event.type === 'message.appended') hasGained = true;
      // The append announces a compaction; besides that only a failure is announced.
      if (event.type !== 'transformer.applied') this.hub.publish(event);
    };
    return {
      record: recordOn(this, this.#askEngine(), '', undefined, { push }),
      instructions: this.#compact?.instructions,
      hasGained: () => hasGained,
    };
  }

  /** Why a compaction would do nothing, whatever the transcript holds. */
  whyNotCompact(): string | undefined {
    return this.#askEngine().compactor === undefined ? 'No transformer of this engine can compact.' : undefined;
  }

  endCompact(gained: boolean): void {
    this.hub.hold(); // a listener to the claimed turn should find it begun
    this.#answerCompact(gained);
    // A resume that reloads is announced once the reload, or a waiting message, has shown that there is something to
    // do.
    const isWaitedFor = this.ledger.pending + this.ledger.queued > 0;
    if (this.#turn?.isInDoubt === false || isWaitedFor) this.#turn?.announce();
  }

  abandonCompact(): void {
    this.#answerCompact(false);
    this.endClaim('aborted');
  }

  declineCompact(question: OpenQuestion): void {
    question.answer(false);
  }

  close(): void {
    for (const ticket of this.ledger.takePreempts()) this.reject(ticket, 'closed');
    this.hub.hold();
    this.hub.publish({ type: 'operative.closed' });
    this.transcript.release();
  }

  load(): unknown {
    return this.options.reloadBeforeStart?.();
  }

  takeLoaded(loaded: unknown): boolean {
    return this.#turn?.takeLoaded(loaded) ?? false;
  }

  failLoad(error: unknown): void {
    this.#turn?.failLoad(error);
  }

  /** Why a resume would do nothing; undefined if it would do something, or if only the reload can show that. */
  whyNotResume(): string | undefined {
    const { reloadBeforeStart } = this.options;
    return reloadBeforeStart === undefined ? this.transcript.whyNothing(this.ledger.owes) : undefined;
  }

  toJSON(): JsonValue {
    const { length } = this.transcript.conversation.messages;
    return { messages: length, pending: this.ledger.pending, queued: this.ledger.queued };
  }

  #open(turnContext: unknown): ClaimedTurn {
    this.hub.hold(); // a listener to the turn should find the operative in its new state
    const turn = new ClaimedTurn(this, this.#askEngine(), turnContext);
    this.#turn = turn;
    return turn;
  }

  // Without an engine the turn fails with the error that says why, like any failure of a model.
  #askEngine(): TurnSettings {
    const { engine } = this.options;
    try {
      const { settings } = internalsOf(typeof engine === 'function' ? askFunction(engine) : engine);
      this.hub.onListenerError = settings.onListenerError;
      return settings;
    } catch (thrown) {
      return failingSettings(thrown, this.parts.host);
    }
  }

  // A turn claimed during a compaction is announced when that is done, so that the events of a compaction come between
  // turns.
  #announceSoon(): void {
    if (this.#compact === undefined) this.#turn?.announce();
  }

  #answerCompact(gained: boolean): void {
    this.transcript.tidy();
    this.#compact?.answer(gained);
    this.#compact = undefined;
  }
}

function askFunction(engine: () => Engine): Engine {
  try {
    return atOnce(engine(), 'The engine function');
  } catch (thrown) {
    if (isTurnchartError(thrown)) throw thrown;
    throw new TurnchartError('turn.broken', `The engine function threw: ${messageOf(thrown)}`, { cause: thrown });
  }
}
