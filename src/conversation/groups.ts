// Cuts a transcript into the pieces that transformers may keep or drop. Called by everything that windows or snips.

import { measureOf } from './measure.ts';
import type { Message } from './message.ts';

/** The messages from index `start` up to, not including, `end`. */
export interface MessageGroup {
  readonly start: number;
  readonly end: number;
}

/**
 * The groups of a valid transcript (`pairingFault` finds nothing, an open tail aside), in order, without gaps: what is
 * left after dropping any of them is valid again. A user message (also a boundary) is a group. An answer is a group:
 * assistant messages that follow each other directly, as after a `pause`, with the `tool` message that holds the
 * results of the last one. So a call never loses its result, and no block loses the thinking or the server call that
 * it continues: those stand in the same answer. One iteration of a long tool loop is one group, so that such a loop can
 * be cut between its iterations. Messages of a transcript that is not valid are grouped as well; stray `tool`
 * messages go with what stands before them.
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

/** The message at `index` belongs to the group of the one before it. */
export function isInsideGroup(messages: readonly Message[], index: number): boolean {
  const role = roleAt(messages, index);
  return role === 'tool' || (role === 'assistant' && roleAt(messages, index - 1) === role);
}

function roleAt(messages: readonly Message[], index: number): Message['role'] | undefined {
  const message = messages[index];
  return message && measureOf(message).role;
}
