// The ordered record of accepted messages. A message waits here until a turn drains it or ends without it; none is ever
// sent to a turn, so that none can be lost with one.
//
// The way of a ticket: it is noted, then waits as a starter, a steer, a held message or a preempt. `begin` and `drain`
// make it part of what the turn asks; then it is answered, or the turn ends without an answer and it is owed. What the
// turn did not ask lands at its end, in the transcript. There it starts the next turn (`startWaiting`), or if none
// follows, it is owed with the delivery `queued` (`rest`). What is owed is answered by the next turn, and survives a
// reload.

import type { Delivery } from '../contracts/operative.ts';
import type { Message } from '../conversation/message.ts';
import type { Inbox } from '../services/turn-record.ts';
import { rebuiltTicket, Ticket, type SettledTicket } from './ticket.ts';

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

  /** Accepts a message. One that is in the transcript already does not wait for a drain. */
  accept(message: Message, isInTranscript = false): void {
    this.#accepted.add(message.id);
    if (!isInTranscript) this.#waiting.push(message);
  }

  drain(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  answered(): void {
    // Nobody asks a bare run about the fate of a steer: its result shows it.
  }
}

/** How a drained message is marked; must keep its id. */
export type Frame = (message: Message) => Message;

/** The ledger of an operative. */
export class Ledger implements Inbox {
  readonly #frame: Frame;
  readonly #accepted = new Map<string, Ticket | SettledTicket>();
  #sequence = 0;
  #turnId = '';
  /** Placed before the messages that start the next turn; never a reason to start one. */
  readonly #notices: Ticket[] = [];
  /** Start the claimed turn; not yet appended by it. */
  readonly #starters: Ticket[] = [];
  /** Wait for a drain. */
  readonly #steers: Ticket[] = [];
  /** Wait for the next turn, policy `queue`. */
  readonly #next: Ticket[] = [];
  /** Wait for the running turn to stop, policy `preempt`. */
  readonly #preempts: Ticket[] = [];
  /** In the transcript and part of what the running turn asks the model. */
  readonly #asked: Ticket[] = [];
  /** Appended when a turn ended; read by the next turn, if one starts. */
  readonly #landed: Ticket[] = [];
  /** In the transcript, unanswered, their delivery resolved: a reload must not lose them. */
  readonly #owed: Ticket[] = [];

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

  /** The ticket accepted under this id; after its delivery, a rebuilt one with the same outcome. */
  known(messageId: string): Ticket | undefined {
    const found = this.#accepted.get(messageId);
    return found === undefined || found instanceof Ticket ? found : rebuiltTicket(messageId, found);
  }

  /** A message of this id was accepted. */
  has(messageId: string): boolean {
    return this.#accepted.has(messageId);
  }

  /** Registers a submission before it is decided where it waits: the same id may come again meanwhile. */
  note(ticket: Ticket): void {
    ticket.sequence = ++this.#sequence;
    this.#accepted.set(ticket.message.id, ticket);
  }

  /** Accepts a message that nobody submitted, for the next turn that begins. */
  announce(message: Message): void {
    const ticket = new Ticket(message, undefined);
    ticket.decide({ outcome: 'queued' });
    this.note(ticket);
    this.#notices.push(ticket);
  }

  start(ticket: Ticket): void {
    this.#starters.push(ticket);
  }

  steer(ticket: Ticket): void {
    this.#steers.push(ticket);
  }

  hold(ticket: Ticket): void {
    ticket.isHeld = true;
    ticket.isAnnounced = true;
    this.#next.push(ticket);
  }

  preempt(ticket: Ticket): void {
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
    return this.#preempts.splice(0);
  }

  /** Unregisters a submission that is rejected: its id may be submitted again. */
  forget(ticket: Ticket): void {
    this.#accepted.delete(ticket.message.id);
  }

  /**
   * Makes what waits the starters of the next turn, in order, preempts last. The turn gets the context of the message
   * that makes it start: the first preempt, else the first held one, else the first late one.
   */
  startWaiting(): { readonly turnContext: unknown; readonly preempts: readonly Ticket[] } {
    const preempts = this.takePreempts();
    const landed = this.#landed.splice(0);
    const starter = preempts[0] ?? landed.find(({ isHeld }) => isHeld) ?? landed[0];
    this.#starters.push(...landed, ...preempts);
    return { turnContext: starter?.turnContext, preempts };
  }

  /** Held messages start the claimed turn if no other message waits for it. */
  startHeld(): void {
    if (this.#starters.length + this.#steers.length === 0) this.#starters.push(...this.#next.splice(0));
  }

  /** The claimed turn begins: its starters are part of what it asks; returns those the transcript lacks. */
  begin(turnId: string): readonly Message[] {
    this.#turnId = turnId;
    return this.#ask([...this.#notices.splice(0), ...this.#starters.splice(0)], 0);
  }

  /** Unanswered messages of ended turns: a reloaded transcript must have them, in order, before the starters. */
  outstanding(): readonly Message[] {
    return bySequence(this.#owed).map((ticket) => ticket.message);
  }

  /** The transcript was replaced and has these ids: only waiting messages that it lacks will be appended. */
  noteStored(ids: ReadonlySet<string>): void {
    for (const ticket of [...this.#starters, ...this.#steers, ...this.#next]) {
      ticket.isLanded = ids.has(ticket.message.id);
    }
  }

  drain(iteration: number): readonly Message[] {
    return this.#ask(this.#steers.splice(0), iteration).map(this.#frame);
  }

  answered(iteration: number): void {
    const delivery: Delivery = { status: 'answered', turnId: this.#turnId, iteration };
    for (const ticket of this.#asked.splice(0)) this.#tell(ticket, delivery);
    this.#owed.length = 0;
  }

  /**
   * The turn ended: what it asked without an answer is unanswered. Starters of one that ended before it began land like
   * late messages. `landed` = starters, late and held messages to append, `late` those to announce.
   */
  end(): { readonly late: readonly Message[]; readonly landed: readonly Message[] } {
    for (const ticket of this.#asked.splice(0)) {
      this.#owe(ticket, { status: 'unanswered', turnId: this.#turnId, iteration: ticket.iteration });
    }
    const landed: Message[] = [];
    const late: Message[] = [];
    for (const ticket of bySequence([
      ...this.#starters.splice(0),
      ...this.#steers.splice(0),
      ...this.#next.splice(0),
    ])) {
      const { message, isLanded, isAnnounced } = ticket;
      if (!isLanded) landed.push(message); // the others landed at an earlier end, or a store had them
      if (!isAnnounced) late.push(message);
      ticket.isLanded = true;
      ticket.isAnnounced = true;
      this.#landed.push(ticket);
    }
    return { late, landed };
  }

  /**
   * Nothing will be appended any more: what waits is rejected, whatever was decided about it; what landed is `queued`.
   * Whoever waits for a decision is told by the operative.
   */
  giveUp(): void {
    for (const ticket of this.#accepted.values()) {
      if (!(ticket instanceof Ticket)) continue;
      ticket.deliver({ status: ticket.isLanded ? 'queued' : 'rejected' });
    }
  }

  /** No turn follows by itself: messages that landed stay in the transcript, with delivery `queued`. */
  rest(): void {
    for (const ticket of this.#landed.splice(0)) this.#owe(ticket, { status: 'queued' });
  }

  #owe(ticket: Ticket, delivery: Delivery): void {
    this.#tell(ticket, delivery);
    this.#owed.push(ticket);
  }

  // From here on only what a repeated submission needs is remembered.
  #tell(ticket: Ticket, delivery: Delivery): void {
    ticket.deliver(delivery);
    const { message, outcome } = ticket;
    if (outcome !== undefined) this.#accepted.set(message.id, { outcome, delivery });
  }

  // They are part of what the turn asks; returns those the transcript lacks.
  #ask(tickets: readonly Ticket[], iteration: number): readonly Message[] {
    const lacking: Message[] = [];
    for (const ticket of tickets) {
      if (!ticket.isLanded) lacking.push(ticket.message);
      ticket.isLanded = true;
      ticket.iteration = iteration;
      this.#asked.push(ticket);
    }
    return lacking;
  }
}

function bySequence(tickets: readonly Ticket[]): readonly Ticket[] {
  return tickets.toSorted((left, right) => left.sequence - right.sequence);
}
