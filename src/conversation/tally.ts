// Running totals of a growing list of messages: each message is counted only once. Called by transformers before every
// model call.

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
 * The totals of a list; undefined when it is empty. Reads only what was added since the last call with this array. A
 * list that was shortened since is recognised by its end; if it was refilled, call `forgetTally` first.
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

/** About how many tokens messages cost; of a list with a tally only new messages are read. Never throws. */
export function tokensOf(of: Message | readonly Message[]): number {
  const list = of as readonly Message[]; // the map may be asked for any key
  if (tallies.has(list)) return tallyOf(list)?.tokens ?? 0;
  return Array.isArray(of) ? list.reduce((sum, message) => sum + tokensIn(message), 0) : tokensIn(of as Message);
}

/** Forgets the totals of a list that was refilled. */
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
