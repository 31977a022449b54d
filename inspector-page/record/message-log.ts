// Everything the inspector was told, in order, and which actors it is about. Grows only; views look at it up to a place.

import { readChart, type ShownChart } from '../../src/inspect/chart-config.ts';

/** One message, as the page works with it. */
export interface Entry {
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'actor' | 'event' | 'snapshot';
  readonly actor: Actor;
  /** Who sent the event; undefined = somebody who is no actor. */
  readonly source: Actor | undefined;
  readonly event: EventData | undefined;
  readonly snapshot: SnapshotData | undefined;
}

/** An event with its payload. */
export interface EventData {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What of a snapshot is known; other inspectors send less. */
export interface SnapshotData {
  readonly status?: unknown;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** An actor and what happened to it. */
export class Actor {
  readonly id: string;
  /** The program it lives in. */
  readonly program: string;
  readonly name: string;
  readonly parentId: string | undefined;
  /** Index of the entry that told of it first. */
  readonly born: number;
  readonly bornAt: number;
  readonly chart: ShownChart;
  readonly children: Actor[] = [];
  readonly snapshots: Entry[] = [];
  readonly events: Entry[] = [];
  parent: Actor | undefined;
  /** How many children of each name there are. */
  readonly counts = new Map<string, number>();
  /** Its place among the children of that name: the third turn is 3. */
  ordinal = 1;
  /** Index of the entry that told of its end. */
  ended = Infinity;
  endedAt: number | undefined;

  constructor(
    id: string,
    told: { readonly name: string; readonly parentId: string | undefined; readonly chart: ShownChart },
    born: { readonly index: number; readonly at: number },
  ) {
    this.id = id;
    this.program = id.split('.', 1)[0] ?? '';
    this.name = told.name;
    this.parentId = told.parentId;
    this.chart = told.chart;
    this.born = born.index;
    this.bornAt = born.at;
  }

  get root(): Actor {
    return this.parent?.root ?? this;
  }

  /** Its last snapshot no later than `place`. */
  snapshotAt(place: number): Entry | undefined {
    return this.snapshots[countUpTo(this.snapshots, place) - 1];
  }

  /** It and everything below had ended by then: what lives below an ended root has ended with it. */
  hasEnded(place: number): boolean {
    return this.ended <= place || (this.parent?.hasEnded(place) ?? false);
  }
}

/** How many of the entries, which stand in order, are no later than `place`. */
export function countUpTo(entries: readonly Entry[], place: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.index ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The log. */
export class MessageLog {
  readonly entries: Entry[] = [];
  readonly roots: Actor[] = [];
  readonly programs = new Set<string>();
  /** What was told, for the export. */
  readonly messages: object[] = [];
  readonly #actors = new Map<string, Actor>();
  readonly #charts = new Map<string, ShownChart>();
  readonly #rootCounts = new Map<string, number>();

  get last(): number {
    return this.entries.length - 1;
  }

  actor(id: string | undefined): Actor | undefined {
    return id === undefined ? undefined : this.#actors.get(id);
  }

  get actorCount(): number {
    return this.#actors.size;
  }

  /** Takes one message in; what is none is left out. */
  add(message: unknown): void {
    if (!isObject(message)) return;
    const { type, sessionId } = message;
    if (typeof sessionId !== 'string') return;
    const told = Number(message['createdAt']);
    const at = (Number.isFinite(told) && told) || this.entries.at(-1)?.at || 0;
    const place = { index: this.entries.length, at };
    switch (type) {
      case '@xstate.actor':
        if (this.#actors.has(sessionId)) return; // told again to a page that came back
        this.#push(message, { ...place, kind: 'actor', actor: this.#enter(sessionId, message, place) });
        return;
      case '@xstate.event': {
        const actor = this.#known(sessionId, place);
        const source = typeof message['sourceId'] === 'string' ? this.#known(message['sourceId'], place) : undefined;
        actor.events.push(this.#push(message, { ...place, kind: 'event', actor, source, event: eventOf(message) }));
        return;
      }
      case '@xstate.snapshot': {
        const actor = this.#known(sessionId, place);
        const snapshot: SnapshotData = isObject(message['snapshot']) ? message['snapshot'] : {};
        actor.snapshots.push(
          this.#push(message, { ...place, kind: 'snapshot', actor, event: eventOf(message), snapshot }),
        );
        if (snapshot.status !== undefined && snapshot.status !== 'active' && actor.ended === Infinity) {
          actor.ended = place.index;
          actor.endedAt = at;
        }
        return;
      }
      default:
    }
  }

  #push(message: object, entry: Omit<Entry, 'source' | 'event' | 'snapshot'> & Partial<Entry>): Entry {
    const whole: Entry = { source: undefined, event: undefined, snapshot: undefined, ...entry };
    this.messages.push(message);
    this.entries.push(whole);
    return whole;
  }

  // One that was never told of, because its beginning is no longer remembered.
  #known(id: string, place: { readonly index: number; readonly at: number }): Actor {
    return this.#actors.get(id) ?? this.#enter(id, { name: id.replace(/^p\d+\./, '') }, place);
  }

  #enter(
    id: string,
    message: Readonly<Record<string, unknown>>,
    place: { readonly index: number; readonly at: number },
  ): Actor {
    const { name, parentId, definition } = message;
    const actor = new Actor(
      id,
      {
        name: typeof name === 'string' ? name : id,
        parentId: typeof parentId === 'string' ? parentId : undefined,
        chart: this.#chartOf(definition),
      },
      place,
    );
    const parent = this.actor(actor.parentId); // looked for first: nobody is its own parent
    this.#actors.set(id, actor);
    this.programs.add(actor.program);
    const siblings = parent?.children ?? this.roots;
    actor.parent = parent;
    const counts = parent?.counts ?? this.#rootCounts;
    actor.ordinal = 1 + (counts.get(actor.name) ?? 0);
    counts.set(actor.name, actor.ordinal);
    siblings.push(actor);
    return actor;
  }

  #chartOf(definition: unknown): ShownChart {
    const text = typeof definition === 'string' ? definition : '';
    let chart = this.#charts.get(text);
    if (chart === undefined) {
      chart = readChart(parsed(text));
      this.#charts.set(text, chart);
    }
    return chart;
  }
}

function eventOf(message: Readonly<Record<string, unknown>>): EventData {
  const event = message['event'];
  if (isObject(event) && typeof event['type'] === 'string') return event as EventData; // just looked at
  return { type: typeof event === 'string' ? event : '' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
