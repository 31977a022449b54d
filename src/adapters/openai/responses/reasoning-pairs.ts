// Keeps reasoning items together with what followed them: OpenAI refuses a reasoning item without its follower, and a
// follower whose id it knows without its reasoning. Called by encode-answer.ts.

import { objectsAt, textAt, without, type JsonObject } from '../json-fields.ts';

/** An item of an answer that may be sent back. */
export interface Candidate {
  readonly item: JsonObject;
  /** Came from this server; else it cannot be what followed a reasoning item. */
  readonly isOwn: boolean;
  /** False for a reasoning item that the server would not find again. */
  readonly canReplay: boolean;
  /** The item without an id; absent = it is then left out. */
  readonly withoutId?: JsonObject;
}

/** An item of the original answer, kept in the message's `meta.providerItems`. */
interface OriginalItem {
  readonly id: string | undefined;
  readonly isReasoning: boolean;
}

/** The items to send, in order. A pair is sent with both ids, or the reasoning is left out and its follower loses its id. */
export function keepPairs(candidates: readonly Candidate[], meta: JsonObject | undefined): readonly JsonObject[] {
  const order = orderOf(candidates, meta);
  const byId = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const id = textAt(candidate.item, 'id');
    if (id !== undefined) byId.set(id, candidate);
  }
  const stands = new Set<Candidate>();
  const orphaned = new Set<Candidate>();
  const at = (position: number): Candidate | undefined => {
    const id = order[position]?.id;
    return id === undefined ? candidates[position] : byId.get(id);
  };
  // From the end: a reasoning item is kept if its follower is.
  for (let position = order.length - 1; position >= 0; position--) {
    const candidate = at(position);
    if (candidate === undefined || !isReasoning(candidate)) continue;
    const follower = at(position + 1);
    if (candidate.canReplay && follower?.isOwn && (!isReasoning(follower) || stands.has(follower)))
      stands.add(candidate);
  }
  let isOrphaned = false;
  for (const [position, told] of order.entries()) {
    const candidate = at(position);
    if (told.isReasoning) isOrphaned = candidate === undefined || !stands.has(candidate);
    else if (isOrphaned && candidate !== undefined) orphaned.add(candidate);
  }
  return candidates.flatMap((candidate) => {
    if (isReasoning(candidate)) return stands.has(candidate) ? [candidate.item] : [];
    if (!orphaned.has(candidate)) return [candidate.item];
    return candidate.withoutId === undefined ? [] : [candidate.withoutId];
  });
}

function orderOf(candidates: readonly Candidate[], meta: JsonObject | undefined): readonly OriginalItem[] {
  const told = objectsAt(meta, 'providerItems');
  const known = new Set(told.map((item) => textAt(item, 'id')));
  // The stored order counts only if it contains the id of every item.
  const isOfThese = candidates.every(({ item }) => item['id'] !== undefined && known.has(textAt(item, 'id')));
  const source = told.length > 0 && isOfThese ? told : candidates.map(({ item }) => item);
  return source.map((item) => ({ id: textAt(item, 'id'), isReasoning: item['type'] === 'reasoning' }));
}

function isReasoning(candidate: Candidate): boolean {
  return candidate.item['type'] === 'reasoning';
}

/** The item without its id, as if it were new to the server. */
export function withoutId(item: JsonObject): JsonObject {
  return without(item, 'id');
}
