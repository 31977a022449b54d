// The model's calls that wait for a result, grouped by answer: one reply is owed once all calls of an answer have their
// results and the answer is over. Called by the session.

import type { WireToolCall } from './wire.ts';

/** The calls of one answer. */
interface Batch {
  readonly responseId: string;
  open: number;
  /** The answer is over: no further call of it comes. */
  isDone: boolean;
  /** No reply is wanted: the answer was interrupted. */
  isSilent: boolean;
  wantsReply: boolean;
  /** Items of the results. */
  readonly items: string[];
}

/** A call without a result. */
export interface OpenCall {
  readonly call: WireToolCall;
  readonly responseId: string;
  /** Its answer is out-of-band: the conversation has no place for a result. */
  readonly isBeside: boolean;
}

const mostRemembered = 4_096;

/** The open calls of one session. */
export class OpenCalls {
  readonly #open = new Map<string, OpenCall>();
  readonly #batches = new Map<string, Batch>();
  // Calls that have their result, so that a repetition is one.
  readonly #closed = new Set<string>();

  get size(): number {
    return this.#open.size;
  }

  get all(): readonly OpenCall[] {
    return [...this.#open.values()];
  }

  find(callId: string): OpenCall | undefined {
    return this.#open.get(callId);
  }

  /** False if the call is already known. */
  add(responseId: string, call: WireToolCall, isBeside: boolean): boolean {
    if (this.#open.has(call.callId) || this.#closed.has(call.callId)) return false;
    this.#open.set(call.callId, { call, responseId, isBeside });
    this.#batch(responseId).open++;
    return true;
  }

  /** The answer is over. `isSilent`: it was interrupted. Returns the items for which a reply is now owed, if one is. */
  finish(responseId: string, isSilent: boolean): readonly string[] | undefined {
    const batch = this.#batches.get(responseId);
    if (batch === undefined) return undefined;
    batch.isDone = true;
    batch.isSilent ||= isSilent;
    return this.#settle(batch);
  }

  /** A call has its result, or never will. `item` = what the server was given. */
  close(callId: string, item: string | undefined, wantsReply: boolean): readonly string[] | undefined {
    const open = this.#open.get(callId);
    if (open === undefined) return undefined;
    this.#open.delete(callId);
    this.#closed.add(callId);
    if (this.#closed.size > mostRemembered) this.#forgetOldest();
    const batch = this.#batch(open.responseId);
    batch.open--;
    batch.wantsReply ||= wantsReply && !open.isBeside;
    if (item !== undefined) batch.items.push(item);
    return this.#settle(batch);
  }

  /** Silence was requested: the model gets the results of these calls but does not reply to them. */
  silence(): void {
    for (const batch of this.#batches.values()) batch.isSilent = true;
  }

  #batch(responseId: string): Batch {
    const known = this.#batches.get(responseId);
    if (known !== undefined) return known;
    const batch = { responseId, open: 0, isDone: false, isSilent: false, wantsReply: false, items: [] };
    this.#batches.set(responseId, batch);
    return batch;
  }

  #settle(batch: Batch): readonly string[] | undefined {
    if (!batch.isDone || batch.open > 0) return undefined;
    this.#batches.delete(batch.responseId);
    return batch.wantsReply && !batch.isSilent ? batch.items : undefined;
  }

  #forgetOldest(): void {
    const oldest = this.#closed.values().next();
    if (oldest.done !== true) this.#closed.delete(oldest.value);
  }
}
