// One submission: its message, what was decided about it, and its fate. Made by the operative, kept by its ledger.

import type { Delivery, SubmitOutcome } from '../contracts/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import { textOf, type Message } from '../conversation/message.ts';
import type { Submission } from '../machines/operative.ts';

/** One submission: its message, the decision at the call, and its fate. */
export class Ticket implements Submission {
  readonly message: Message;
  readonly turnContext: unknown;
  /** Position in the order of acceptance. */
  sequence = 0;
  /** It is in the transcript. */
  isLanded = false;
  /** It was held for the next turn (policy `queue`), so that turn is its own. */
  isHeld = false;
  /** `message.queued` was published for it. */
  isAnnounced = false;
  /** The iteration that asked the model with it. */
  iteration = 0;
  outcome: SubmitOutcome | undefined;
  #delivery: Delivery | undefined;
  #resolveDelivery: ((delivery: Delivery) => void) | undefined;
  #promise: Promise<Delivery> | undefined;
  #listeners: ((outcome: SubmitOutcome) => void)[] | undefined;

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

  /** The fate: created on first use, resolves once. */
  get delivery(): Promise<Delivery> {
    this.#promise ??= new Promise((resolve) => {
      if (this.#delivery === undefined) this.#resolveDelivery = resolve;
      else resolve(this.#delivery);
    });
    return this.#promise;
  }

  /** Calls back with the decision: within the call that makes it, or at once if it is made already. */
  onDecision(listener: (outcome: SubmitOutcome) => void): void {
    if (this.outcome === undefined) (this.#listeners ??= []).push(listener);
    else listener(this.outcome);
  }

  decide(outcome: SubmitOutcome): void {
    this.outcome = outcome;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener(outcome);
  }

  /** Only the first call counts. */
  deliver(delivery: Delivery): void {
    if (this.#delivery !== undefined) return;
    this.#delivery = delivery;
    this.#resolveDelivery?.(delivery);
    this.#resolveDelivery = undefined;
  }
}

/** What is remembered of a delivered message for the life of the operative: neither its text nor its context. */
export interface SettledTicket {
  readonly outcome: SubmitOutcome;
  readonly delivery: Delivery;
}

/** Rebuilds the ticket for a repeated submission of the same id. */
export function rebuiltTicket(messageId: string, { outcome, delivery }: SettledTicket): Ticket {
  const ticket = new Ticket({ id: messageId, role: 'user', content: [] }, undefined);
  ticket.decide(outcome);
  ticket.deliver(delivery);
  return ticket;
}
