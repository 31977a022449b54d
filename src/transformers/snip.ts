// Drops old groups of a history that is too long, in steps, so that what is left seldom changes. Called by the
// transformers that keep to a budget.

import type { TransformerContext } from '../contracts/transformer.ts';
import { atomicGroups } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { tallyOf } from '../conversation/tally.ts';
import { requestTokens } from './context-size.ts';
import { compactionId, noteInvented, summaryId } from './window.ts';

/** Where a history was cut when it had so many messages: what went never comes back. Kept by the first message. */
export type Cuts = WeakMap<Message, { readonly start: number; readonly count: number }>;

const markers = new WeakSet<Message>();

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
  const overflow = context.overflow && !isFresh(messages);
  const before = cuts.get(first);
  const least = before !== undefined && messages.length >= before.count ? before.start : 0;
  const goal = overflow ? Math.min(marks.high, total) / 2 : marks.high;
  // What another transformer cut is not cut again: two markers would move each other.
  if ((total <= goal && least === 0) || messages.some((message) => markers.has(message))) return messages;
  const perToken = tally.tokens / context.estimateTokens(messages);
  const step = overflow ? 1 : Math.max(1, marks.high - marks.low);
  const over = Math.max(0, total - goal);
  const cut = over > 0 ? Math.ceil(over / step) * step * perToken + markerTokens : 0;
  const { shown, start } = withoutOldest(messages, cut, least);
  if (start > least) cuts.set(first, { start, count: messages.length });
  return shown;
}

/** Nothing came since the last compaction: if there was an overflow, that was the answer to it. */
export function isFresh(messages: readonly Message[]): boolean {
  const [first, last] = [messages[0], messages.at(-1)];
  return (
    first !== undefined && last !== undefined && measureOf(first).id === summaryId(compactionId(measureOf(last).id))
  );
}

// Drops at least `cut` tokens and what comes before message `least`. Where that ends depends on what is dropped alone, so
// it stays as the history grows.
function withoutOldest(
  messages: readonly Message[],
  cut: number,
  least: number,
): { readonly shown: readonly Message[]; readonly start: number } {
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
  let start = 0;
  for (; end < groups.length - 1; end++) {
    if (passed - kept() >= cut && start >= least) break;
    start += groups[end]?.length ?? 0;
    const measure = (groups[end] ?? []).map(measureOf);
    passed += tokensOf(end);
    left -= tokensOf(end);
    if (measure.some(({ calls }) => calls.includes(taskListTool))) taskList = end;
    if (measure[0]?.role !== 'user') continue;
    firstUser ??= end;
    lastUser = end;
  }
  if (passed - kept() <= markerTokens) return { shown: messages, start: 0 };
  const goes = groups.map((_, index) => index < end && index !== firstUser && index !== lastUser && index !== taskList);
  const count = groups.reduce((sum, group, index) => sum + (goes[index] ? group.length : 0), 0);
  const place = goes.indexOf(true);
  const shown = groups.flatMap((group, index) => {
    if (index === place) return [marker(group[0], count)];
    return goes[index] ? [] : group;
  });
  return { shown, start };
}

function marker(first: Message | undefined, count: number): Message {
  const text = `[${count} earlier messages are left out here to save space.]`;
  const message = noteInvented({ id: `snip-${first?.id ?? ''}`, role: 'user', content: [{ type: 'text', text }] });
  markers.add(message);
  return message;
}
