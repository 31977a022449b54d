// Which answers there are: the one in the conversation, those beside it, the request that is under way, and those that are
// over. Its ids are the generation tokens: what belongs to no live one is dropped.

import type { ResponseOrigin } from '../contracts/realtime.ts';
import type { ResponseOwner } from '../machines/realtime-session.ts';
import type { Debt, Debtor, ReplyOrder } from './reply-ledger.ts';

/** An answer between its beginning and its end. */
export interface LiveResponse {
  readonly responseId: string;
  readonly origin: ResponseOrigin;
  /** False for one that was given up before it began: nobody hears that it ever was. */
  readonly isTold: boolean;
  /** Interrupted: nothing of it comes through any more. */
  isSilenced: boolean;
  /** Items of which audio came through, and items that were deleted because none did. */
  readonly known: Set<string>;
  /** What it pays, for the case that nobody hears of it. */
  readonly debts: readonly Debt[];
  /** Something of it came through. */
  isHeard: boolean;
  /** The user began to speak before anything of it came through. */
  isMissed: boolean;
  /** When something of it came last. */
  heardAt: number;
  /** Of one beside the conversation: how long nothing may come of it. */
  timer: unknown;
}

const mostRemembered = 256;

/** How long nothing has come of it. Begins anew when the clock was put back. */
export function silenceOf(response: LiveResponse | undefined, now: number): number {
  if (response === undefined) return Infinity;
  response.heardAt = Math.min(response.heardAt, now);
  return now - response.heardAt;
}

/** The answers of one session. */
export class Responses {
  /** The answer in the conversation. */
  current: LiveResponse | undefined;
  /** The server's word for an active answer that was not told here; '' when it did not say which. */
  occupiedBy: string | undefined;
  /** The answer that has ended, and for which the last request was refused all the same. */
  refusedFor: string | undefined;
  /** Answers beside the conversation, and the requests for such. */
  readonly beside = new Map<string, LiveResponse>();
  readonly besideRequests = new Map<string, Debtor>();
  #inFlight: { readonly eventId: string; readonly order: ReplyOrder } | undefined;
  // A request that was given up and may still be answered.
  #recalledInFlight: string | undefined;
  readonly #recalled = new Set<string>();
  readonly #ended = new Set<string>();
  // Ended here before the server said so.
  readonly #unended = new Set<string>();
  readonly #besideIds = new Set<string>();

  /** A request is under way, wanted or not: no other may be sent. */
  get isWaiting(): boolean {
    return this.#inFlight !== undefined || this.#recalledInFlight !== undefined;
  }

  ask(eventId: string, order: ReplyOrder): void {
    this.#inFlight = { eventId, order };
  }

  /** The request under way when the event is its, or is nobody's and so can only mean it. */
  isRequest(eventId: string | undefined): boolean {
    return this.isWaiting && (eventId === undefined || eventId === (this.#inFlight?.eventId ?? this.#recalledInFlight));
  }

  /** Gives the request under way up; its answer, should it begin, is not wanted. */
  recall(): ReplyOrder | undefined {
    const given = this.#inFlight;
    if (given === undefined) return undefined;
    this.#inFlight = undefined;
    this.#recalledInFlight = given.eventId;
    remember(this.#recalled, given.eventId);
    return given.order;
  }

  /** The request is answered, refused or forgotten; its order, where it was still wanted. */
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

  /** The server may think that it goes on still: it was given up here. */
  isUnended(responseId: string): boolean {
    return this.#unended.has(responseId);
  }

  /** The server has ended one that was given up; false for any other. */
  endUnended(responseId: string): boolean {
    return this.#unended.delete(responseId);
  }

  /** It stands, or stood, beside the conversation: its items are in none. */
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

  /** `isGivenUp`: the server has not said so. */
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
