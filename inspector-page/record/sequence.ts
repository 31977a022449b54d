// Who sent what to whom: lanes for kinds of actors, rows for events.

import type { Actor, Entry, MessageLog } from './message-log.ts';

/** A column. All turns of an operative share one, and so do all tool calls of a batch. */
export interface Lane {
  readonly key: string;
  readonly name: string;
  /** From the left; changes when a lane comes in between. */
  position: number;
}

/** An event on its way. */
export interface SequenceRow {
  readonly entry: Entry;
  readonly from: Lane;
  readonly to: Lane;
}

const outside = '';
// More of them are no picture: the actors of a pool, each with a name of its own, share the last one.
const mostLanes = 40;

/** Lanes and rows; grows with the log. */
export class Sequence {
  lanes: readonly Lane[];
  readonly rows: SequenceRow[] = [];
  readonly #root: Actor;
  readonly #outside: Lane = { key: outside, name: 'caller', position: 0 };
  readonly #lanes = new Map<string, Lane>();
  readonly #laneOf = new Map<Actor, Lane>();
  #seen = 0;

  constructor(root: Actor) {
    this.#root = root;
    this.lanes = [this.#outside];
  }

  /** Takes in what the log has got since. */
  follow(log: MessageLog): void {
    for (; this.#seen < log.entries.length; this.#seen++) {
      const entry = log.entries[this.#seen];
      if (entry?.kind !== 'event' || entry.actor.root !== this.#root || isQuiet(entry)) continue;
      const to = this.#lane(entry.actor);
      const source = entry.event?.type === 'xstate.init' ? entry.actor.parent : entry.source;
      this.rows.push({ entry, from: source === undefined ? this.#outside : this.#lane(source), to });
    }
  }

  #lane(actor: Actor): Lane {
    let lane = this.#laneOf.get(actor);
    if (lane !== undefined) return lane;
    let key = laneKey(actor);
    let name = nameOf(actor);
    if (!this.#lanes.has(key) && this.#lanes.size >= mostLanes) [key, name] = ['others', 'others'];
    lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, name, position: 0 };
      this.#lanes.set(key, lane);
      this.#place();
    }
    this.#laneOf.set(actor, lane);
    return lane;
  }

  // Who starts whom, from left to right; a transcript, to which most lines lead, beside who has it, where it is in sight.
  #place(): void {
    const lanes = [...this.#lanes.values()].toSorted((left, right) => rankOf(left) - rankOf(right));
    const below = (key: string): Lane[] =>
      lanes
        .filter((lane) => lane.key.startsWith(`${key}/`) && !lane.key.slice(key.length + 1).includes('/'))
        .flatMap((lane) => [lane, ...below(lane.key)]);
    const own = lanes.filter(({ key }) => !key.includes('/')).flatMap((lane) => [lane, ...below(lane.key)]);
    const others = lanes.filter((lane) => !own.includes(lane));
    this.lanes = [this.#outside, ...own, ...others];
    for (const [position, lane] of this.lanes.entries()) lane.position = position;
  }
}

function rankOf({ name }: Lane): number {
  return name === 'transcript' ? 0 : 1;
}

// What an actor says to itself, and text as it is written, would hide the rest.
function isQuiet({ event, source, actor }: Entry): boolean {
  return source === actor || event?.type === 'message.streaming' || event?.type === 'usage';
}

function laneKey(actor: Actor): string {
  return actor.parent === undefined ? nameOf(actor) : `${laneKey(actor.parent)}/${nameOf(actor)}`;
}

function nameOf({ name }: Actor): string {
  return name.replace(/:\d+$/, '');
}
