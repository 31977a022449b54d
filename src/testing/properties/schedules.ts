// Arbitrary schedules: how long each step of a concurrent test waits, so that every interleaving can occur.

import type { Arbitrary } from 'fast-check';
import { nextMacrotask } from '../real-time.ts';
import { fc } from './fast-check.ts';

/** Options of `schedules`. */
export interface SchedulesConstraints {
  /** Most pauses; after them the schedule no longer waits. Default 64. */
  readonly maxPauses?: number;
}

/** When the steps of one run continue. Immutable: the same schedule may be started any number of times. */
export interface Schedule {
  /** Each pause in microtask turns, or 'settled' = until no microtask is left. */
  readonly pauses: readonly (number | 'settled')[];
  /**
   * Begins a run and returns its `pause`: await it before each step of all concurrent functions. It uses the pauses in
   * the order of the calls, and no longer waits once they are used up.
   */
  start(): () => Promise<void>;
}

/**
 * Arbitrary schedules: pauses of 0 to 14 microtask turns (from one await to one step of a turn), sometimes 90, sometimes
 * until everything has settled. Shrinks to no pauses.
 */
export function schedules(constraints: SchedulesConstraints = {}): Arbitrary<Schedule> {
  const pause = fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.integer({ min: 0, max: 14 }), weight: 12 },
    { arbitrary: fc.constant(90), weight: 1 },
    { arbitrary: fc.constant('settled' as const), weight: 2 },
  );
  return fc
    .array(pause, { maxLength: constraints.maxPauses ?? 64 })
    .map((pauses) => ({ pauses, start: () => pauser(pauses) }));
}

function pauser(pauses: Schedule['pauses']): () => Promise<void> {
  let next = 0;
  return async () => {
    const turns = pauses[next++] ?? 0;
    if (turns === 'settled') return nextMacrotask();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
}
