// The ordered record of accepted messages. A message waits here until a turn drains it or ends without it; none ever
// travels to a turn, so that none can die with one.

import type { OperativeEvent } from '../contracts/events.ts';
import type { Delivery, SubmitOutcome } from '../contracts/operative.ts';
import type { Submission } from '../machines/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import { textOf, type Message } from '../conversation/message.ts';
import type { Inbox } from '../services/turn-record.ts';

/** The ledger of a bare `Engine.run`: steers wait until they are drained; what is left at the end is handed back. */
export class SteerLedger implements Inbox {
  readonly #waiting: Message[] = [];
  readonly #accepted = new Set<string>();

  get pending(): number {
    return this.#waiting.length;
  }

  /** A bare run has no next turn to hold messages for. */
  readonly queued = 0;

  /** A message of this id was accepted before. */
  has(messageId: string): boolean {
    return this.#accepted.has(messageId);
  }

  /** Takes a message in. One that is in the transcript already waits for nothing. */
  accept(message: Message, isInTranscript = false): void {
    this.#accepted.add(message.id);
    if (!isInTranscript) this.#waiting.push(message);
  }

  drain(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  answered(): void {
    // Nobody asks a bare run what became of a steer: its result tells.
  }
}

/** What the operative decided about a submission, with the events from that moment on. */
export type Decision = SubmitOutcome & { readonly events: AsyncIterable<OperativeEvent> };

/** One submission: its message, the decision at the call, and its fate. */
export class Ticket implements Submission {
  readonly message: Message;
  readonly turnContext: unknown;
  /** Position in the order of acceptance. */
  sequence = 0;
  /** It is in the transcript. */
  isLanded = false;
  /** It was held for the next turn, so that turn is its own. */
  isHeld = false;
  /** It was told as queued. */
  isAnnounced = false;
  /** The turn and iteration that asked the model with it. */
  turnId = '';
  iteration = 0;
  outcome: SubmitOutcome | undefined;
  #delivery: Delivery | undefined;
  #resolveDelivery: ((delivery: Delivery) => void) | undefined;
  #promise: Promise<Delivery> | undefined;
  #listeners: ((decision: Decision) => void)[] | undefined;

  constructor(message: Message, turnContext: unknown) {
    this.message = message;
    this.turnContext = turnContext;
  }

  get messageId(): string {
    return this.message.id;
  }

  /** What inspectors see of it: the message in short, never the turn's context. */
  toJSON(): JsonValue {
    return { messageId: this.messageId, text: textOf(this.message).slice(0, 200) };
  }

  /** The fate; made when asked for, resolves once. */
  get delivery(): Promise<Delivery> {
    this.#promise ??=
      this.#delivery === undefined
        ? new Promise((resolve) => {
            this.#resolveDelivery = resolve;
          })
        : Promise.resolve(this.#delivery);
    return this.#promise;
  }

  /** Calls back with the decision, once it is taken. */
  onDecision(listener: (decision: Decision) => void): void {
    (this.#listeners ??= []).push(listener);
  }

  /** `read` makes the events of one caller: each reads its own. */
  decide(outcome: SubmitOutcome, read: () => AsyncIterable<OperativeEvent>): void {
    this.outcome = outcome;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener({ ...outcome, events: read() });
  }

  /** The first fate stands. */
  deliver(delivery: Delivery): void {
    if (this.#delivery !== undefined) return;
    this.#delivery = delivery;
    this.#resolveDelivery?.(delivery);
    this.#resolveDelivery = undefined;
  }
}

/**
 * What is remembered of a message whose fate was told, for the life of the operative: flat and small, for there is one
 * for each message ever accepted.
 */
interface Settled {
  readonly outcome: Exclude<SubmitOutcome['outcome'], 'rejected'>;
  /** Of the outcome; empty where it names no turn. */
  readonly turnId: string;
  readonly status: Exclude<Delivery['status'], 'rejected'>;
  readonly toldBy: string;
  readonly iteration: number;
}

function settledOf(outcome: SubmitOutcome, delivery: Delivery): Settled | undefined {
  if (outcome.outcome === 'rejected' || delivery.status === 'rejected') return undefined;
  const hasTurn = 'turnId' in delivery;
  return {
    outcome: outcome.outcome,
    turnId: 'turnId' in outcome ? outcome.turnId : '',
    status: delivery.status,
    toldBy: hasTurn ? delivery.turnId : '',
    iteration: hasTurn ? delivery.iteration : 0,
  };
}

// The ticket as whoever submits its id again has to find it.
function ticketOf(messageId: string, { outcome, turnId, status, toldBy, iteration }: Settled): Ticket {
  const ticket = new Ticket({ id: messageId, role: 'user', content: [] }, undefined);
  ticket.outcome = outcome === 'queued' ? { outcome } : { outcome, turnId };
  ticket.deliver(status === 'answered' || status === 'unanswered' ? { status, turnId: toldBy, iteration } : { status });
  return ticket;
}

/** How a drained message is marked; must keep its id. */
export type Frame = (message: Message) => Message;

/** The ledger of an operative. */
export class Ledger implements Inbox {
  readonly #frame: Frame;
  readonly #accepted = new Map<string, Ticket | Settled>();
  #sequence = 0;
  #turnId = '';
  /** Start the claimed turn; not yet appended by it. */
  #starters: Ticket[] = [];
  /** Wait for a drain. */
  #steers: Ticket[] = [];
  /** Wait for the next turn, policy `queue`. */
  #next: Ticket[] = [];
  /** Wait for the running turn to stop, policy `preempt`. */
  #preempts: Ticket[] = [];
  /** In the transcript and part of what the running turn asks the model. */
  #asked: Ticket[] = [];
  /** Appended when a turn ended; the next turn takes them along, or nobody does. */
  #landed: Ticket[] = [];
  /** In the transcript, unanswered, their fate told: a reload must not lose them. */
  #owed: Ticket[] = [];

  constructor(frame: Frame) {
    this.#frame = frame;
  }

  get pending(): number {
    return this.#steers.length;
  }

  get queued(): number {
    return this.#next.length;
  }

  /** Something in the transcript waits for an answer. */
  get owes(): boolean {
    return this.#owed.length > 0;
  }

  /** The first ticket of this id that was not refused, or one that says the same once its fate was told. */
  known(messageId: string): Ticket | undefined {
    const found = this.#accepted.get(messageId);
    return found === undefined || found instanceof Ticket ? found : ticketOf(messageId, found);
  }

  /** A message of this id was accepted. */
  has(messageId: string): boolean {
    return this.#accepted.has(messageId);
  }

  /** Takes note of a submission before it is decided: the same id may come again meanwhile. */
  note(ticket: Ticket): void {
    this.#accepted.set(ticket.messageId, ticket);
  }

  start(ticket: Ticket): void {
    this.#accept(ticket);
    this.#starters.push(ticket);
  }

  /** As `start`, in front of the others. */
  startFirst(tickets: readonly Ticket[]): void {
    for (const ticket of tickets) this.#accept(ticket);
    this.#starters.unshift(...tickets);
  }

  steer(ticket: Ticket): void {
    this.#accept(ticket);
    this.#steers.push(ticket);
  }

  hold(ticket: Ticket): void {
    ticket.isHeld = true;
    ticket.isAnnounced = true;
    this.#accept(ticket);
    this.#next.push(ticket);
  }

  preempt(ticket: Ticket): void {
    this.#accept(ticket);
    this.#preempts.push(ticket);
  }

  /** Takes a waiting message out; undefined when it does not wait. */
  withdraw(messageId: string): Ticket | undefined {
    const ticket = this.#accepted.get(messageId);
    if (!(ticket instanceof Ticket) || ticket.isLanded) return undefined;
    for (const lane of [this.#steers, this.#next]) {
      const index = lane.indexOf(ticket);
      if (index < 0) continue;
      lane.splice(index, 1);
      this.#tell(ticket, { status: 'withdrawn' });
      return ticket;
    }
    return undefined;
  }

  /** Takes the waiting preempts out: as late messages, or to refuse them. */
  takePreempts(): readonly Ticket[] {
    const taken = this.#preempts;
    this.#preempts = [];
    return taken;
  }

  /** Gives up a message that was accepted but must not count as such. */
  forget(ticket: Ticket): void {
    this.#accepted.delete(ticket.messageId);
  }

  /** The claimed turn has a message to start with. */
  get hasStarters(): boolean {
    return this.#starters.length > 0;
  }

  /**
   * Makes what waits the starters of the next turn, in order, preempts last. The turn gets the context of the message
   * that makes it start: the first preempt, else the first held one, else the first late one.
   */
  startWaiting(): { readonly turnContext: unknown; readonly preempts: readonly Ticket[] } {
    const preempts = this.#preempts;
    const starter = preempts[0] ?? this.#landed.find(({ isHeld }) => isHeld) ?? this.#landed[0];
    this.#starters = [...this.#landed, ...preempts];
    this.#landed = [];
    this.#preempts = [];
    return { turnContext: starter?.turnContext, preempts };
  }

  /** Held messages start the claimed turn, which has nothing else to answer. */
  startHeld(): void {
    this.#starters.push(...this.#next.splice(0));
  }

  /** The claimed turn begins: its starters are part of what it asks; returns those the transcript lacks. */
  begin(turnId: string): readonly Message[] {
    this.#turnId = turnId;
    const starters = this.#starters;
    this.#starters = [];
    const fresh = starters.filter((ticket) => !ticket.isLanded).map((ticket) => ticket.message);
    for (const ticket of starters) this.#ask(ticket, 0);
    return fresh;
  }

  /** Messages of ended turns that nobody answered: a reloaded transcript must have them, in order, before the starters. */
  outstanding(): readonly Message[] {
    return bySequence(this.#owed).map((ticket) => ticket.message);
  }

  /** The transcript was replaced and has these ids: what is there is not appended again, what is not will be. */
  noteStored(ids: ReadonlySet<string>): void {
    for (const ticket of [...this.#starters, ...this.#steers, ...this.#next]) {
      ticket.isLanded = ids.has(ticket.messageId);
    }
  }

  drain(iteration: number): readonly Message[] {
    const drained = this.#steers;
    this.#steers = [];
    const fresh = drained.filter((ticket) => !ticket.isLanded);
    for (const ticket of drained) this.#ask(ticket, iteration);
    return fresh.map((ticket) => this.#frame(ticket.message));
  }

  answered(iteration: number): void {
    for (const ticket of this.#asked) this.#tell(ticket, { status: 'answered', turnId: this.#turnId, iteration });
    this.#asked = [];
    this.#owed = [];
  }

  /** The turn ended: what it asked in vain is unanswered. `landed` = late and held messages to append, `late` those to announce. */
  end(): { readonly late: readonly Message[]; readonly landed: readonly Message[] } {
    for (const ticket of this.#asked) {
      this.#tell(ticket, { status: 'unanswered', turnId: ticket.turnId, iteration: ticket.iteration });
      this.#owed.push(ticket);
    }
    this.#asked = [];
    return this.#land([...this.#steers, ...this.#next]);
  }

  /** The claimed turn ended before it began: its starters land like late messages. */
  endUnbegun(): ReturnType<Ledger['end']> {
    const starters = this.#starters;
    this.#starters = [];
    return this.#land([...starters, ...this.#steers, ...this.#next]);
  }

  /** Nothing starts by itself: what landed rests in the transcript. */
  rest(): void {
    for (const ticket of this.#landed) {
      this.#tell(ticket, { status: 'queued' });
      this.#owed.push(ticket);
    }
    this.#landed = [];
  }

  #land(tickets: readonly Ticket[]): ReturnType<Ledger['end']> {
    const ordered = bySequence(tickets);
    const landing = ordered.filter((ticket) => !ticket.isLanded); // the others landed at an earlier end, or a store had them
    const late = ordered.filter((ticket) => !ticket.isAnnounced);
    for (const ticket of ordered) {
      ticket.isLanded = true;
      ticket.isAnnounced = true;
    }
    this.#steers = [];
    this.#next = [];
    this.#landed.push(...ordered);
    return { late: late.map(({ message }) => message), landed: landing.map(({ message }) => message) };
  }

  // From here on only what has to be told again is remembered.
  #tell(ticket: Ticket, delivery: Delivery): void {
    ticket.deliver(delivery);
    const told = ticket.outcome === undefined ? undefined : settledOf(ticket.outcome, delivery);
    if (told !== undefined && this.#accepted.get(ticket.messageId) === ticket) {
      this.#accepted.set(ticket.messageId, told);
    }
  }

  #accept(ticket: Ticket): void {
    if (ticket.sequence === 0) ticket.sequence = ++this.#sequence;
    this.note(ticket);
  }

  #ask(ticket: Ticket, iteration: number): void {
    ticket.isLanded = true;
    ticket.turnId = this.#turnId;
    ticket.iteration = iteration;
    this.#asked.push(ticket);
  }
}

function bySequence(tickets: readonly Ticket[]): readonly Ticket[] {
  return tickets.toSorted((left, right) => left.sequence - right.sequence);
}
