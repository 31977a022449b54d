// What a turn does for work that runs inside one of its calls: the library's own seam between a turn and the Agent
// tool.

import type { Usage } from '../conversation/usage.ts';
import type { Approve } from './engine.ts';
import type { Host } from './host.ts';

/** Carried by the contexts of background tools. */
export interface CallInside {
  /** The engine's. */
  readonly host: Host;
  /** The function that approves the turn's own calls. */
  readonly approve: Approve | undefined;
  /** How long the call may still run after a cancel, in milliseconds; undefined if not cancelled. */
  readonly graceMs: number | undefined;
  /** Adds the usage of a model that worked inside the call. Does nothing once the turn is over. */
  countSubagent(usage: Usage): void;
}

/** The property under which a context carries its `CallInside`. */
export const callInside: unique symbol = Symbol.for('turnchart.callInside');

/** The `CallInside` of a context; undefined if a test or a host made the context by hand. */
export function insideOf(context: object): CallInside | undefined {
  return (context as { readonly [callInside]?: CallInside })[callInside];
}
