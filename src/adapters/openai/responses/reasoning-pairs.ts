// Keeps reasoning items together with what followed them: OpenAI refuses a reasoning item without its follower, and a
// follower whose id it knows without its reasoning. Called by encode-answer.ts.

import { objectsAt, textAt, without, type JsonObject } from '../json-fields.ts';

/** An item of an answer that may be sent back. */
export interface Candidate {
  readonly item: JsonObject;
  /** Made from what this server said; else it cannot be what followed a reasoning item. */
  readonly isOwn: boolean;
  /** False: a reasoning item the server would not find again. */
  readonly canReplay: boolean;
  /** How the item is written without an id; absent = not at all. */
  readonly withoutId?: JsonObject;
}

/** An item as the answer had it, kept in the message's `meta.providerItems`. */
interface Told {
  readonly id: string | undefined;
  readonly isReasoning: boolean;
}

/** The items to send, in order. Both of a pair are sent with their ids, or neither is: the follower then loses its id. */
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
  // From the end: a reasoning item stands if what followed it does.
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

function orderOf(candidates: readonly Candidate[], meta: JsonObject | undefined): readonly Told[] {
  const told = objectsAt(meta, 'providerItems');
  const known = new Set(told.map((item) => textAt(item, 'id')));
  // Only an order that names every item with an id is the order of this answer.
  const isOfThese = candidates.every(({ item }) => item['id'] !== undefined && known.has(textAt(item, 'id')));
  const source = told.length > 0 && isOfThese ? told : candidates.map(({ item }) => item);
  return source.map((item) => ({ id: textAt(item, 'id'), isReasoning: item['type'] === 'reasoning' }));
}

function isReasoning(candidate: Candidate): boolean {
  return candidate.item['type'] === 'reasoning';
}

/** An item as one the server has not seen before. */
export function withoutId(item: JsonObject): JsonObject {
  return without(item, 'id');
}
