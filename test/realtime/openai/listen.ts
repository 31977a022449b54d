// What a session reported, kept in order, and a way to wait for the next event.

import type { RealtimeEvent, RealtimeSession } from '../../../src/contracts/realtime.ts';

type Type = RealtimeEvent['type'];
type Of<Wanted extends Type> = Extract<RealtimeEvent, { readonly type: Wanted }>;

/** The ear at a session. */
export interface Listener {
  readonly events: readonly RealtimeEvent[];
  all<Wanted extends Type>(type: Wanted): readonly Of<Wanted>[];
  /**
   * The first event of this type that fits, already told or still to come. Rejects when the session ends without it.
   */
  next<Wanted extends Type>(type: Wanted, fits?: (event: Of<Wanted>) => boolean): Promise<Of<Wanted>>;
  /** Every event until the session's end. */
  readonly end: Promise<readonly RealtimeEvent[]>;
}

/** Begins to listen. */
export function listen(session: RealtimeSession): Listener {
  const events: RealtimeEvent[] = [];
  const waiting = new Set<() => void>();
  let isOver = false;
  const all = <Wanted extends Type>(type: Wanted): readonly Of<Wanted>[] =>
    events.filter((event): event is Of<Wanted> => event.type === type);
  const end = (async () => {
    for await (const event of session.events) {
      events.push(event);
      for (const look of waiting) look();
    }
    isOver = true;
    for (const look of waiting) look();
    return events;
  })();
  return {
    events,
    all,
    end,
    next: (type, fits = () => true) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = all(type).find(fits);
          if (found === undefined && !isOver) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`the session ended without ${type}; it told ${shown(events)}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

function shown(events: readonly RealtimeEvent[]): string {
  return events.map(({ type }) => type).join(', ');
}
