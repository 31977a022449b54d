// The actor of an inspected tool call, found through the context its tool was given: what runs inside the call is shown
// below it.

import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { ShowTranscript } from '../contracts/inspect.ts';

/** Options of `createActor` for an inspected actor: its own inspector, or a parent whose inspector sees it. */
export interface Watch {
  readonly inspect?: (event: InspectionEvent) => void;
  readonly parent?: AnyActorRef;
  /** Not an XState option: shows the transcript too. */
  readonly show?: ShowTranscript | undefined;
}

// On the context itself and enumerable, so that a context copied with a spread still has it.
const below = Symbol('turnchart.below');

/** Called once by whoever makes the context of an inspected call. */
export function noteWatch(context: object, watch: Watch): void {
  Object.assign(context, { [below]: watch });
}

/** The options with which an actor is shown below the call; undefined if nobody inspects. */
export function watchBelow(context: object): Watch | undefined {
  return (context as { readonly [below]?: Watch })[below];
}
