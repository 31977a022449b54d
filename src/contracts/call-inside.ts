// What a turn does for work that runs inside one of its calls: the library's own seam between a turn and the Agent tool.

import type { Usage } from '../conversation/usage.ts';
import type { Approve } from './engine.ts';
import type { Host } from './host.ts';

/** Carried by the contexts of background tools. */
export interface CallInside {
  /** The engine's. */
  readonly host: Host;
  /** Who is asked about the turn's own calls. */
  readonly approve: Approve | undefined;
  /** How long the call has after a cancel; undefined while nobody has cancelled. */
  readonly graceMs: number | undefined;
  /** Lists the tokens of a model that worked inside the call; nothing once the turn is over. */
  countSubagent(usage: Usage): void;
}

/** Under which a context carries it. */
export const callInside: unique symbol = Symbol.for('turnchart.callInside');

/** What a context carries; undefined where a test or a host made it by hand. */
export function insideOf(context: object): CallInside | undefined {
  return (context as { readonly [callInside]?: CallInside })[callInside];
}
