// One submission on its way: its message, what was decided about it, and its fate. Made by the operative, kept by its ledger.

import { TurnchartError } from '../contracts/errors.ts';
import type { OperativeEvent } from '../contracts/events.ts';
import type { Delivery, SubmitOutcome } from '../contracts/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import { textOf, type Message } from '../conversation/message.ts';
import type { Submission } from '../machines/operative.ts';

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

/** The chart passes on what the facade gave it, and the facade gives nothing but tickets. */
export function ticketIn(submission: Submission): Ticket {
  if (submission instanceof Ticket) return submission;
  throw new TurnchartError('engine.foreign', 'A submission must come from an operative of this copy of turnchart.');
}

/**
 * What is remembered of a message whose fate was told, for the life of the operative: flat and small, for there is one
 * for each message ever accepted.
 */
export interface Settled {
  readonly outcome: Exclude<SubmitOutcome['outcome'], 'rejected'>;
  /** Of the outcome; empty where it names no turn. */
  readonly turnId: string;
  readonly status: Exclude<Delivery['status'], 'rejected'>;
  readonly toldBy: string;
  readonly iteration: number;
}

/** Undefined for what was refused: it was never accepted. */
export function settledOf(outcome: SubmitOutcome, delivery: Delivery): Settled | undefined {
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

/** The ticket as whoever submits its id again has to find it. */
export function retold(messageId: string, { outcome, turnId, status, toldBy, iteration }: Settled): Ticket {
  const ticket = new Ticket({ id: messageId, role: 'user', content: [] }, undefined);
  ticket.outcome = outcome === 'queued' ? { outcome } : { outcome, turnId };
  ticket.deliver(status === 'answered' || status === 'unanswered' ? { status, turnId: toldBy, iteration } : { status });
  return ticket;
}
