// The model's view since the last compaction. Every default transformer calls this first, so that they work in any
// order.

import type { TransformerContext, View } from '../contracts/transformer.ts';
import { isInsideGroup } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';
import { tallyOf } from '../conversation/tally.ts';
import { withoutStaleThoughts } from './thoughts.ts';
import { idOf, placeOf } from './words.ts';

/** The id of the transcript's last message that is not a boundary. In the view other messages may follow it. */
export function lastMessageId({ transcript }: TransformerContext): string {
  return idOf(transcript.messages.findLast((message) => !isBoundary(message)));
}

/** The id of the boundary made when `lastId` was the last message: a history is compacted only once at each place. */
export function compactionId(lastId: string): string {
  return `${lastId}-compacted`;
}

/** The id of the message that shows the summary of a boundary. */
export function summaryId(boundaryId: string): string {
  return `summary-${boundaryId}`;
}

/**
 * The summary of the last boundary as a user message, and everything from the group of `keepFrom` on, without
 * boundaries. A boundary whose `keepFrom` is missing is ignored. The same array when no boundary counts.
 */
export function windowed(messages: readonly Message[]): readonly Message[] {
  let places: Map<string, number> | undefined;
  for (let at = tallyOf(messages)?.boundary; at !== undefined; at = at.before?.boundary) {
    const keepFrom = measureOf(at.message).boundary?.keepFrom ?? '';
    let start = places?.get(keepFrom) ?? (places ? -1 : placeOf(messages, keepFrom));
    // Usually the last one counts. If not, index all places once, because there may be many boundaries.
    places ??= start < 0 ? new Map(messages.map((message, index) => [measureOf(message).id, index])) : undefined;
    if (start < 0) continue;
    // Also past a boundary that is misplaced between calls and their results.
    while (start > 0 && (isInsideGroup(messages, start) || isSplit(messages, start))) start--;
    const shown = [summaryOf(at.message), ...messages.slice(start)];
    const end = at.count - start; // answers before the boundary were given without its summary
    return withoutStaleThoughts(shown, (index) => index < end).filter((message) => !isBoundary(message));
  }
  return messages;
}

/** A view of these messages; undefined when it would be the same array. */
export function viewOf(before: readonly Message[], messages: readonly Message[]): View | undefined {
  return messages === before ? undefined : { messages };
}

function isSplit(messages: readonly Message[], index: number): boolean {
  const [message, next] = [messages[index], messages[index + 1]];
  return message !== undefined && next !== undefined && isBoundary(message) && measureOf(next).role === 'tool';
}

function isBoundary(message: Message): boolean {
  return measureOf(message).boundary !== undefined;
}

// One object for each boundary, so that what is cached for it stays valid.
const summaryOf = /* @__PURE__ */ oncePer((boundary: Message): Message => {
  const { id, boundary: compaction } = measureOf(boundary);
  return { id: summaryId(id), role: 'user', content: [{ type: 'text', text: compaction?.summary ?? '' }] };
});
