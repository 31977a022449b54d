// Drops old groups of a history that is too long, in steps, so that what is left seldom changes. Called by the
// transformers that keep to a budget.

import type { TransformerContext } from '../contracts/transformer.ts';
import { atomicGroups } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { tallyOf } from '../conversation/tally.ts';
import { requestTokens } from './context-size.ts';
import { compactionId, noteInvented, summaryId } from './window.ts';

/** How much of a history was cut when it had `at` tokens: it never comes back. Kept by the first message. */
export type Cuts = WeakMap<Message, { readonly tokens: number; readonly at: number }>;

/** A tool whose last call is the list of what is to be done. */
const taskListTool = 'TodoWrite';
/** What the marker costs at most. Dropping less would make the view longer. */
const markerTokens = 32;

/**
 * Over the high mark the oldest groups go until the low mark, in steps of the distance between the marks; after an
 * overflow until half of what there is. The first user message stays, of what goes also the last user message and the
 * last task list, and the last group always. A marker stands where the first group went. The same array when nothing does.
 */
export function snip(
  messages: readonly Message[],
  context: TransformerContext,
  marks: { readonly high: number; readonly low: number },
  cuts: Cuts,
): readonly Message[] {
  const tally = tallyOf(messages);
  const first = messages[0];
  if (tally === undefined || first === undefined) return messages;
  const total = requestTokens(messages, context);
  const overflow = context.overflow && !isFresh(first, messages.at(-1));
  const before = cuts.get(first);
  const wasCut = before !== undefined && tally.tokens >= before.at;
  const goal = overflow ? Math.min(marks.high, total) / 2 : marks.high;
  if (total <= goal && !wasCut) return messages;
  const perToken = tally.tokens / context.estimateTokens(messages);
  const step = overflow ? 1 : Math.max(1, marks.high - marks.low);
  const over = Math.ceil(Math.max(0, total - goal) / step) * step * perToken;
  const cut = wasCut ? Math.max(before.tokens, over) : over;
  if (cut > (wasCut ? before.tokens : 0)) cuts.set(first, { tokens: cut, at: tally.tokens });
  return withoutOldest(messages, cut, tally.tokens - Math.max(0, total - goal) * perToken);
}

// Compacted at this very point: that was the answer to the overflow.
function isFresh(first: Message, last: Message | undefined): boolean {
  return first.id === summaryId(compactionId(last?.id ?? ''));
}

function withoutOldest(messages: readonly Message[], cut: number, limit: number): readonly Message[] {
  const groups = atomicGroups(messages).map(({ start, end }) => messages.slice(start, end));
  const tokensOf = (index: number | undefined) =>
    index === undefined ? 0 : (groups[index] ?? []).reduce((sum, message) => sum + measureOf(message).tokens, 0);
  let left = groups.reduce((sum, _, index) => sum + tokensOf(index), markerTokens);
  let passed = 0;
  let firstUser: number | undefined;
  let lastUser: number | undefined;
  let taskList: number | undefined;
  const kept = () =>
    [...new Set([firstUser, lastUser, taskList])].reduce((sum: number, index) => sum + tokensOf(index), 0);
  let end = 0;
  for (; end < groups.length - 1; end++) {
    if (passed >= cut && left + kept() <= limit) break;
    const measure = (groups[end] ?? []).map(measureOf);
    passed += tokensOf(end);
    left -= tokensOf(end);
    if (measure.some(({ calls }) => calls.includes(taskListTool))) taskList = end;
    if (measure[0]?.role !== 'user') continue;
    firstUser ??= end;
    lastUser = end;
  }
  if (passed - kept() <= markerTokens) return messages;
  const goes = groups.map((_, index) => index < end && index !== firstUser && index !== lastUser && index !== taskList);
  const count = groups.reduce((sum, group, index) => sum + (goes[index] ? group.length : 0), 0);
  const place = goes.indexOf(true);
  return groups.flatMap((group, index) => {
    if (index === place) return [marker(group[0], count)];
    return goes[index] ? [] : group;
  });
}

function marker(first: Message | undefined, count: number): Message {
  const text = `[${count} earlier messages are left out here to save space.]`;
  return noteInvented({ id: `snip-${first?.id ?? ''}`, role: 'user', content: [{ type: 'text', text }] });
}
