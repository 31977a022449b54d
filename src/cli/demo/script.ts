// A script is what the demo model does about one goal: a generator that asks for tool calls and ends with its answer.
// The model keeps nothing between its calls: a script is run from its start each time, on the results found in the request.

import type { ToolCallBlock, ToolResultStatus } from '../../index.ts';
import type { ToolUse } from './capabilities.ts';

/** How a call went, and the text of its result. */
export interface ToolOutcome {
  readonly status: ToolResultStatus;
  readonly text: string;
}

/** A call of the transcript with its result. */
export interface Evidence {
  readonly call: ToolCallBlock;
  readonly outcome: ToolOutcome;
}

/** Calls wanted now, with what to think and to say before them. */
export interface Ask {
  readonly thinking: string;
  readonly say: string;
  readonly calls: readonly ToolUse[];
  /** The calls may have effects: one that was interrupted is not made a second time. */
  readonly once?: true;
}

/** Yields what it needs, gets the outcomes in the order of the calls, returns its answer. */
export type Script = Generator<Ask, string, readonly ToolOutcome[]>;

/** What to do next. */
export type Step =
  | { readonly type: 'call'; readonly thinking: string; readonly say: string; readonly calls: readonly ToolUse[] }
  | { readonly type: 'answer'; readonly text: string };

/**
 * Runs the script on the evidence. Each piece of evidence answers one call, matched by tool and arguments in order;
 * calls without evidence are the next step. Calls that never started, or were interrupted, are made again.
 */
export function nextStep(script: Script, evidence: readonly Evidence[]): Step {
  const unused = [...evidence];
  let state = script.next([]);
  while (state.done !== true) {
    const ask = state.value;
    const outcomes = ask.calls.map((call) => take(unused, call, ask.once === true));
    const missing = ask.calls.filter((_, index) => outcomes[index] === undefined);
    if (missing.length > 0) return { type: 'call', thinking: ask.thinking, say: ask.say, calls: missing };
    state = script.next(outcomes.filter((outcome) => outcome !== undefined));
  }
  return { type: 'answer', text: state.value };
}

function take(unused: Evidence[], use: ToolUse, once: boolean): ToolOutcome | undefined {
  const key = stable(use.args);
  const at = unused.findIndex(
    ({ call, outcome }) =>
      call.name === use.name &&
      stable(call.args ?? {}) === key &&
      (once || !unfinished(outcome)) &&
      outcome.status !== 'notStarted',
  );
  return at < 0 ? undefined : unused.splice(at, 1)[0]?.outcome;
}

function unfinished(outcome: ToolOutcome): boolean {
  return outcome.status === 'interrupted' || outcome.status === 'notStarted';
}

// JSON with sorted keys: stores and transformers may reorder the keys of arguments.
function stable(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([left], [right]) => (left < right ? -1 : 1)))
      : field,
  );
}
