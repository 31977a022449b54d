// Whether an actor is watched, by whom, and where in the tree of actors it is shown. Everything that makes an actor for
// callers (operative, turn, registry, session) asks here.

import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { Inspect } from '../contracts/inspect.ts';
import type { ToolContext } from '../contracts/tool.ts';
import { actorOfCall } from '../services/call-actor.ts';
import { quietly } from './settings.ts';

/** What a watched actor is made with, for `createActor`: an inspector of its own, or a parent whose inspector sees it. */
export interface Watch {
  readonly inspect?: (event: InspectionEvent) => void;
  readonly parent?: AnyActorRef;
}

/** The options that say who watches. */
export interface WatchOptions {
  readonly inspect?: Inspect | undefined;
  readonly inspectUnder?: ToolContext | undefined;
}

/**
 * Undefined: nobody watches. An inspector of one's own comes first, then the tool call one runs in, then the `usual` one.
 * What an inspector throws goes to `onError`.
 */
export function watchOf(
  { inspect, inspectUnder }: WatchOptions,
  onError: (thrown: unknown) => void,
  usual?: Watch,
): Watch | undefined {
  if (inspect !== undefined) {
    return { inspect: quietly(typeof inspect === 'function' ? inspect : (event) => inspect.next?.(event), onError) };
  }
  const parent = inspectUnder === undefined ? undefined : actorOfCall(inspectUnder);
  return parent === undefined ? usual : { parent };
}
