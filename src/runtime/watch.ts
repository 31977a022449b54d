// Whether an actor is inspected, by whom, and where in the tree of actors it is shown. Everything that makes an actor
// for callers (operative, turn, registry, session) asks here.

import type { Inspect } from '../contracts/inspect.ts';
import type { ToolContext } from '../contracts/tool.ts';
import { watchBelow, type Watch } from '../services/watch.ts';
import { quietly } from './quietly.ts';

export type { Watch } from '../services/watch.ts';

/** The options that say who inspects. */
export interface WatchOptions {
  readonly inspect?: Inspect | undefined;
  readonly inspectUnder?: ToolContext | undefined;
}

/**
 * Undefined: nobody inspects. The given inspector comes first, then that of the tool call around it, then the `usual`
 * one. What an inspector throws goes to `onError`.
 */
export function watchOf(
  { inspect, inspectUnder }: WatchOptions,
  onError: (thrown: unknown) => void,
  usual?: Watch,
): Watch | undefined {
  if (inspect === undefined) return (inspectUnder && watchBelow(inspectUnder)) ?? usual;
  const tell = typeof inspect === 'function' ? inspect : (event: unknown) => inspect.next?.(event);
  return { inspect: quietly(tell, onError), show: inspect.showTranscript };
}
