// Running totals of a list of messages that only grows: what was counted once is not looked at again. Called by
// transformers before every model call.

import { measureOf, tokensIn } from './measure.ts';
import type { Message } from './message.ts';

/** Totals up to and including one message. */
export interface Tally {
  readonly message: Message;
  readonly count: number;
  readonly tokens: number;
  /** Bytes of all results, and of the largest. */
  readonly resultBytes: number;
  readonly largestResult: number;
  /** The tally of the last compaction. */
  readonly boundary: Tally | undefined;
  readonly before: Tally | undefined;
}

const tallies = new WeakMap<readonly Message[], Tally>();

/**
 * The totals of a list; undefined when it is empty. Looks only at what is new since the last call with this array: a
 * list that was cut in between is recognised by its end; of one that was refilled the tally has to be forgotten.
 */
export function tallyOf(messages: readonly Message[]): Tally | undefined {
  let tally = tallies.get(messages);
  const known = tally;
  while (tally !== undefined && !(isThere(messages, tally) && isThere(messages, tally.boundary))) tally = tally.before;
  for (let index = tally?.count ?? 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) break;
    tally = next(tally, message);
  }
  if (tally === undefined) tallies.delete(messages);
  else if (tally !== known) tallies.set(messages, tally);
  return tally;
}

/** About how many tokens messages cost; of a list with a tally only the new ones are looked at. Never throws. */
export function tokensOf(of: Message | readonly Message[]): number {
  const list = of as readonly Message[]; // a key that is not in the map does no harm
  if (tallies.has(list)) return tallyOf(list)?.tokens ?? 0;
  return Array.isArray(of) ? list.reduce((sum, message) => sum + tokensIn(message), 0) : tokensIn(of as Message);
}

/** The list was refilled: what was counted does not hold. */
export function forgetTally(messages: readonly Message[]): void {
  tallies.delete(messages);
}

function isThere(messages: readonly Message[], tally: Tally | undefined): boolean {
  return tally === undefined || messages[tally.count - 1] === tally.message;
}

function next(before: Tally | undefined, message: Message): Tally {
  const { tokens, results, boundary } = measureOf(message);
  let resultBytes = before?.resultBytes ?? 0;
  let largestResult = before?.largestResult ?? 0;
  for (const bytes of results) {
    resultBytes += bytes;
    if (bytes > largestResult) largestResult = bytes;
  }
  const tally = {
    message,
    count: (before?.count ?? 0) + 1,
    tokens: (before?.tokens ?? 0) + tokens,
    resultBytes,
    largestResult,
    boundary: before?.boundary,
    before,
  };
  if (boundary !== undefined) tally.boundary = tally;
  return tally;
}
