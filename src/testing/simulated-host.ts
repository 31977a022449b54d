// A Host whose time, randomness and ids are controlled by the test: no timer fires until the test advances the clock.

import type { IdKind } from '../conversation/identity.ts';
import type { Host } from '../contracts/host.ts';
import { nextMacrotask } from './real-time.ts';

/** Options of `simulatedHost`. */
export interface SimulatedHostOptions {
  /** The same seed gives the same `random()` values. Default 1. */
  readonly seed?: number;
  /** First value of `now()`, in milliseconds. Default 0. */
  readonly startAt?: number;
}

/** A Host with a virtual clock. Its functions do not use `this`. */
export interface SimulatedHost extends Host {
  /**
   * Moves the clock by `ms`: fires every timer that falls due on the way, in order of due time and then of creation,
   * each at its own time, and lets its microtasks run before the next one fires. Timers created on the way fire too
   * if they fall due within `ms`. Resolves when all of this has settled; a second call waits for the first. Rejects
   * with what a timer's callback threw (the clock then stands at that timer), and with a RangeError if `ms` is negative
   * or not finite. Does not wait for real I/O.
   */
  advance(ms: number): Promise<void>;
  /** `advance(0)`: runs everything that is due now. */
  settle(): Promise<void>;
  /** The number of timers that were neither fired nor cleared: 0 in a test that leaks none. */
  pendingTimers(): number;
}

interface Timer {
  readonly due: number;
  readonly sequence: number;
  readonly fn: () => void;
}

const prefixes: Readonly<Record<IdKind, string>> = {
  message: 'msg_',
  turn: 'turn_',
  task: 'task_',
  call: 'call_',
  session: 'session_',
};

/** More timers than this in one `advance` count as an endless loop. */
const maxTimersPerAdvance = 1_000_000;

/**
 * A host for tests. `createId` counts per kind (`msg_1`, `msg_2`, `turn_1`): two hosts make the same ids, so share one
 * host if two engines share a conversation. A delay that is negative or not a number counts as 0.
 */
export function simulatedHost(options: SimulatedHostOptions = {}): SimulatedHost {
  let time = options.startAt ?? 0;
  let sequence = 0;
  // Sorted by due time, then by creation.
  const timers: Timer[] = [];
  const counters = new Map<IdKind, number>();
  const random = randomFrom(options.seed ?? 1);
  let running: Promise<void> = Promise.resolve();

  async function run(ms: number): Promise<void> {
    const end = time + ms;
    await nextMacrotask();
    for (let fired = 0; ; fired++) {
      const next = timers[0];
      if (next === undefined || next.due > end) break;
      if (fired === maxTimersPerAdvance) {
        throw new Error(
          `simulatedHost: advance(${ms}) fired ${fired} timers, and one is still due at ${next.due}: ` +
            'a timer seems to restart itself without a delay.',
        );
      }
      timers.shift();
      time = Math.max(time, next.due);
      next.fn();
      await nextMacrotask();
    }
    time = end;
  }

  function advance(ms: number): Promise<void> {
    if (!(ms >= 0 && ms < Infinity)) {
      return Promise.reject(new RangeError(`simulatedHost: advance expects milliseconds, 0 or more, got ${ms}.`));
    }
    const result = running.then(() => run(ms));
    running = result.catch(() => undefined);
    return result;
  }

  return {
    now: () => time,
    setTimeout(fn, ms) {
      const timer: Timer = { due: time + (ms > 0 ? ms : 0), sequence: ++sequence, fn };
      timers.splice(placeOf(timers, timer), 0, timer);
      return timer;
    },
    clearTimeout(id) {
      const timer = id as Timer | null | undefined; // only timers made by setTimeout are found below
      if (timer === null || timer === undefined) return;
      const place = placeOf(timers, timer);
      if (timers[place] === timer) timers.splice(place, 1);
    },
    random,
    createId(kind) {
      const count = (counters.get(kind) ?? 0) + 1;
      counters.set(kind, count);
      return prefixes[kind] + count;
    },
    advance,
    settle: () => advance(0),
    pendingTimers: () => timers.length,
  };
}

/** The timer's position, or the one it would get, in the sorted list. */
function placeOf(timers: readonly Timer[], timer: Timer): number {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = timers[middle];
    const isBefore =
      other !== undefined && (other.due < timer.due || (other.due === timer.due && other.sequence < timer.sequence));
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Mulberry32: small, seedable and good enough for jitter. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}
