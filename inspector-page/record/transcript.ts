// The transcript at a place of the log, told by the events of a `transcript` actor and by what was submitted.

import { countUpTo, type Actor } from './message-log.ts';
import { Fold } from './transcript-fold.ts';
import type { Transcript } from './transcript-lines.ts';

/** The transcript actor of the conversation an actor belongs to: the nearest one above or below it. */
export function transcriptOf(actor: Actor | undefined): Actor | undefined {
  for (let at = actor; at !== undefined; at = at.parent) {
    if (at.name === 'transcript') return at;
    const found = at.children.find((child) => child.name === 'transcript');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the transcript of one actor, forwards at the cost of what is new. */
export class TranscriptReader {
  readonly #actor: Actor;
  #fold = new Fold();
  #place = -1;
  #told = 0;
  #sent = 0;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** At a place; `now` is the time there. */
  at(place: number, now: number): Transcript {
    if (place < this.#place) {
      this.#fold = new Fold();
      this.#told = 0;
      this.#sent = 0;
    }
    this.#place = place;
    const told = this.#actor.events;
    const sent = this.#actor.parent?.events ?? [];
    const [toldCount, sentCount] = [countUpTo(told, place), countUpTo(sent, place)];
    for (; this.#told < toldCount; this.#told++) {
      const entry = told[this.#told];
      if (entry === undefined) continue;
      while (this.#sent < sentCount && (sent[this.#sent]?.index ?? Infinity) < entry.index) {
        this.#fold.submitted(sent[this.#sent++]);
      }
      this.#fold.take(entry);
    }
    while (this.#sent < sentCount) this.#fold.submitted(sent[this.#sent++]);
    return { lines: this.#fold.lines(), figures: { ...this.#fold.sums, ...timesOf(this.#actor.parent, place, now) } };
  }
}

// How long models wrote and tools ran, from the lives of their actors.
function timesOf(
  owner: Actor | undefined,
  place: number,
  now: number,
): { readonly modelMs: number; readonly toolMs: number } {
  const times = { modelMs: 0, toolMs: 0 };
  if (owner === undefined) return times;
  const turns = owner.name === 'turn' ? [owner] : owner.children.filter(({ name }) => name === 'turn');
  for (const turn of turns) {
    if (turn.born > place) continue;
    for (const service of turn.children) {
      if (service.born > place) continue;
      const until = service.ended <= place ? (service.endedAt ?? now) : service.hasEnded(place) ? service.bornAt : now;
      const ms = Math.max(0, until - service.bornAt);
      if (service.name === 'streamModel') times.modelMs += ms;
      if (service.name === 'dispatchTools') times.toolMs += ms;
    }
  }
  return times;
}
