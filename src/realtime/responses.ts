// All known answers: the one in the conversation, out-of-band ones, the current request, and those that are over. Their
// ids are the generation tokens: events of no live answer are dropped.

import type { ResponseOrigin } from '../contracts/realtime.ts';
import type { ResponseOwner } from '../machines/realtime-session.ts';
import type { Debt, Waiter, ReplyOrder } from './reply-ledger.ts';

/** An answer between its beginning and its end. */
export interface LiveResponse {
  readonly responseId: string;
  readonly origin: ResponseOrigin;
  /** False for an answer that was given up before it began: its existence is never reported. */
  readonly isTold: boolean;
  /** Interrupted: nothing more of it is passed on. */
  isSilenced: boolean;
  /** Items whose audio was passed on, and items that were deleted because none was. */
  readonly known: Set<string>;
  /** The debts it pays, in case it is never reported. */
  readonly debts: readonly Debt[];
  /** Something of it was passed on. */
  isHeard: boolean;
  /** The user began to speak before anything of it was passed on. */
  isMissed: boolean;
  /** When something of it last arrived. */
  heardAt: number;
  /** For an out-of-band answer: how long nothing of it may arrive. */
  timer: unknown;
}

const mostRemembered = 256;

/** How long nothing of it has arrived. Starts over if the clock was set back. */
export function silenceOf(response: LiveResponse | undefined, now: number): number {
  if (response === undefined) return Infinity;
  response.heardAt = Math.min(response.heardAt, now);
  return now - response.heardAt;
}

/** The answers of one session. */
export class Responses {
  /** The answer in the conversation. */
  current: LiveResponse | undefined;
  /** The active answer that the server mentioned but never announced; '' if it did not say which. */
  occupiedBy: string | undefined;
  /** The answer that has ended, and for which the last request was refused all the same. */
  refusedFor: string | undefined;
  /** Out-of-band answers and requests. */
  readonly beside = new Map<string, LiveResponse>();
  readonly besideRequests = new Map<string, Waiter>();
  #inFlight: { readonly eventId: string; readonly order: ReplyOrder } | undefined;
  // A request that was given up and may still be answered.
  #recalledInFlight: string | undefined;
  readonly #recalled = new Set<string>();
  readonly #ended = new Set<string>();
  // Ended here before the server said so.
  readonly #unended = new Set<string>();
  readonly #besideIds = new Set<string>();

  /** A request was sent, wanted or not: no other may be sent. */
  get isWaiting(): boolean {
    return this.#inFlight !== undefined || this.#recalledInFlight !== undefined;
  }

  ask(eventId: string, order: ReplyOrder): void {
    this.#inFlight = { eventId, order };
  }

  /** The current request, if the event id is its own or is missing. */
  isRequest(eventId: string | undefined): boolean {
    return this.isWaiting && (eventId === undefined || eventId === (this.#inFlight?.eventId ?? this.#recalledInFlight));
  }

  /** Gives up the current request; its answer, should it begin, is not wanted. */
  recall(): ReplyOrder | undefined {
    const given = this.#inFlight;
    if (given === undefined) return undefined;
    this.#inFlight = undefined;
    this.#recalledInFlight = given.eventId;
    remember(this.#recalled, given.eventId);
    return given.order;
  }

  /** The request is answered, refused or forgotten. Returns its order if it was still wanted. */
  endRequest(): ReplyOrder | undefined {
    const order = this.#inFlight?.order;
    this.#inFlight = undefined;
    this.#recalledInFlight = undefined;
    return order;
  }

  ownerOf(requestId: string | undefined): ResponseOwner {
    if (requestId === undefined) return 'server';
    if (requestId === this.#inFlight?.eventId) return 'own';
    return this.#recalled.has(requestId) ? 'recalled' : 'server';
  }

  /** Looks an answer up by its id: the check each delta pays for. */
  live(responseId: string): LiveResponse | undefined {
    const { current } = this;
    return current !== undefined && current.responseId === responseId ? current : this.beside.get(responseId);
  }

  hasEnded(responseId: string): boolean {
    return this.#ended.has(responseId);
  }

  /** It was given up here but may still run on the server. */
  isUnended(responseId: string): boolean {
    return this.#unended.has(responseId);
  }

  /** The server has ended one that was given up; false for any other. */
  endUnended(responseId: string): boolean {
    return this.#unended.delete(responseId);
  }

  /** It is or was out-of-band: its items are in no conversation. */
  isBeside(responseId: string): boolean {
    return this.#besideIds.has(responseId);
  }

  begin(
    responseId: string,
    origin: ResponseOrigin,
    owner: ResponseOwner,
    now: number,
    debts: readonly Debt[] = [],
  ): LiveResponse {
    const isWanted = owner !== 'recalled';
    const response: LiveResponse = {
      responseId,
      origin,
      isTold: isWanted,
      isSilenced: !isWanted,
      known: new Set(),
      debts,
      isHeard: false,
      isMissed: false,
      heardAt: now,
      timer: undefined,
    };
    if (origin === 'outOfBand') {
      this.beside.set(responseId, response);
      remember(this.#besideIds, responseId);
    } else {
      this.current = response;
    }
    this.occupiedBy = undefined;
    this.refusedFor = undefined;
    return response;
  }

  /** `isGivenUp`: the server has not reported the end. */
  end(responseId: string, isGivenUp = false): void {
    if (this.current?.responseId === responseId) this.current = undefined;
    this.beside.delete(responseId);
    remember(this.#ended, responseId);
    if (isGivenUp) remember(this.#unended, responseId);
  }
}

function remember(set: Set<string>, id: string): void {
  set.add(id);
  if (set.size <= mostRemembered) return;
  const oldest = set.values().next();
  if (oldest.done !== true) set.delete(oldest.value);
}
