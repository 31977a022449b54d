// The ordered record of accepted messages. A message waits here until a turn drains it or ends without it; none ever
// travels to a turn, so that none can die with one.

import type { Delivery } from '../contracts/operative.ts';
import type { Message } from '../conversation/message.ts';
import type { Inbox } from '../services/turn-record.ts';
import { retold, settledOf, Ticket, type Settled } from './ticket.ts';

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
    return found === undefined || found instanceof Ticket ? found : retold(messageId, found);
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
