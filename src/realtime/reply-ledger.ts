// The replies the model owes: the ledger behind the chart's debt region. It rules out two kinds of errors, "silent
// after a tool" and "already has an active response": automatic debts share one reply, explicit ones get a reply each.

import type { RealtimeResponseRequest } from '../contracts/realtime.ts';
import type { JsonValue } from '../conversation/json.ts';

/** Who is waiting for a reply. */
export interface Waiter {
  /** The answer has begun. */
  begun(): void;
  /** It will not. */
  failed(error: unknown): void;
}

/** One reason for the model to speak. */
export interface Debt {
  /** Order of arrival. */
  readonly version: number;
  readonly cause: 'client' | 'tool';
  /** A separate answer with these settings. Undefined: any answer that knows the items will do. */
  readonly request: RealtimeResponseRequest | undefined;
  readonly raw: JsonValue | undefined;
  readonly waiter: Waiter | undefined;
  /** Items the answer has to know. */
  readonly items: readonly string[];
}

/** Debts that one `response.create` pays. */
export interface ReplyOrder {
  readonly debts: readonly Debt[];
  readonly request: RealtimeResponseRequest;
  readonly raw: JsonValue | undefined;
  readonly cause: 'client' | 'tool';
}

/** The parts of a debt. */
export interface DebtParts {
  readonly cause: Debt['cause'];
  readonly request?: RealtimeResponseRequest;
  readonly raw?: JsonValue;
  readonly waiter?: Waiter;
  readonly items?: readonly string[];
}

/** The debts of one session. */
export class ReplyLedger {
  #debts: Debt[] = [];
  #version = 0;
  // Items that were sent and that the server has not confirmed.
  readonly #unconfirmed = new Set<string>();

  /** How many replies are owed, without one that is under way. */
  get owed(): number {
    return this.#debts.length;
  }

  add({ cause, request, raw, waiter, items = [] }: DebtParts): void {
    this.#debts.push({ version: ++this.#version, cause, request, raw, waiter, items });
  }

  /** An item was sent: an answer that begins before it is confirmed does not know it. */
  sent(itemId: string): void {
    this.#unconfirmed.add(itemId);
  }

  /** The server has the item: an answer that begins from now on knows it. */
  confirm(itemId: string): void {
    this.#unconfirmed.delete(itemId);
  }

  /** Takes the oldest debt, together with every automatic one that its answer also pays. */
  take(): ReplyOrder | undefined {
    const [first] = this.#debts;
    if (first === undefined) return undefined;
    // An answer with its own instructions or tools speaks of nothing else.
    const isPlain = first.raw === undefined && (first.request === undefined || Object.keys(first.request).length === 0);
    const debts = this.#debts.filter((debt) => debt === first || (isPlain && debt.request === undefined));
    this.#debts = this.#debts.filter((debt) => !debts.includes(debt));
    return {
      debts,
      request: first.request ?? {},
      raw: first.raw,
      cause: debts.every(({ cause }) => cause === 'tool') ? 'tool' : 'client',
    };
  }

  /** The request was refused: its debts are owed again, in their old places. */
  restore(debts: readonly Debt[]): void {
    this.#debts = [...this.#debts, ...debts].toSorted((left, right) => left.version - right.version);
  }

  /** The server answers by itself: that pays every automatic debt whose items it knew. */
  payByServer(): void {
    const isPaid = (debt: Debt) =>
      debt.request === undefined && !debt.items.some((item) => this.#unconfirmed.has(item));
    for (const debt of this.#debts) if (isPaid(debt)) debt.waiter?.begun();
    this.#debts = this.#debts.filter((debt) => !isPaid(debt));
  }

  /** The item was refused: nothing is owed for it. */
  forget(itemId: string): void {
    this.#unconfirmed.delete(itemId);
    this.#debts = this.#debts.filter(({ items }) => !items.includes(itemId) || items.length > 1);
  }

  /** Nothing is owed any more. */
  fail(error: unknown): void {
    const debts = this.#debts;
    this.#debts = [];
    for (const { waiter } of debts) waiter?.failed(error);
  }
}
