// Sends an event with its sender, so that an inspector can show who sent it.

import type { AnyActorRef, EventObject } from 'xstate';

/** Like `target.send`, with `source` as the sender. */
export function relay<Event extends EventObject>(source: AnyActorRef, target: AnyActorRef, event: Event): void {
  // XState's own sendTo uses this; it is not in the declarations.
  const system = target.system as unknown as {
    readonly _relay?: (source: AnyActorRef, target: AnyActorRef, event: Event) => void;
  };
  if (typeof system?._relay === 'function') system._relay(source, target, event);
  else target.send(event);
}
