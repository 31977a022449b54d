// The actor of an inspected tool call, found through the context its tool was given: what runs inside the call is shown
// below it.

import type { AnyActorRef } from 'xstate';

// On the context itself and enumerable, so that a context copied with a spread still has it.
const callActor = Symbol('turnchart.callActor');

/** Called once by whoever makes the context. */
export function noteCallActor(context: object, actor: AnyActorRef): void {
  Object.assign(context, { [callActor]: actor });
}

/** Undefined where nobody inspects. */
export function actorOfCall(context: object): AnyActorRef | undefined {
  return (context as { readonly [callActor]?: AnyActorRef })[callActor];
}
