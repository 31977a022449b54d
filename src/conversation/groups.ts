// Divides a transcript into the groups that transformers may keep or drop. Called by everything that shortens a
// history.

import { measureOf } from './measure.ts';
import type { Message } from './message.ts';

/** The messages from index `start` up to, not including, `end`. */
export interface MessageGroup {
  readonly start: number;
  readonly end: number;
}

/**
 * The groups of a valid transcript (`pairingFault` finds nothing, apart from an open tail), in order, without gaps.
 * After dropping any of them the rest is valid again. A user message (also a boundary) is a group. An answer is a
 * group: assistant messages that follow each other directly, such as after a `pause`, with the `tool` message that
 * holds the results of the last one. So a call never loses its result, and no block loses the thinking or the server
 * call that it continues: those are in the same answer. One iteration of a long tool loop is one group, so that the
 * loop can be cut between its iterations. An invalid transcript is grouped as well; stray `tool` messages belong to
 * what is before them.
 */
export function atomicGroups(messages: readonly Message[]): readonly MessageGroup[] {
  const groups: MessageGroup[] = [];
  let start = 0;
  for (let end = 1; end <= messages.length; end++) {
    if (isInsideGroup(messages, end)) continue;
    groups.push({ start, end });
    start = end;
  }
  return groups;
}

/** True if the message at `index` belongs to the group of the one before it. */
export function isInsideGroup(messages: readonly Message[], index: number): boolean {
  const role = roleAt(messages, index);
  return role === 'tool' || (role === 'assistant' && roleAt(messages, index - 1) === role);
}

function roleAt(messages: readonly Message[], index: number): Message['role'] | undefined {
  const message = messages[index];
  return message && measureOf(message).role;
}
