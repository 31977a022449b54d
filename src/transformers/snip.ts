// Drops old groups of a history that is too long, in steps, so that what is left seldom changes. Called by the
// transformers that keep to a budget.

import type { TransformerContext } from '../contracts/transformer.ts';
import { atomicGroups, type MessageGroup } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { tallyOf } from '../conversation/tally.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { requestTokens } from './context-size.ts';
import { quoteMark } from './summary-request.ts';
import { withoutStaleThoughts } from './thoughts.ts';
import { compactionId, lastTold, summaryId } from './window.ts';
import { idOf, isSaidByUser, isSteer, placeOf, wordsIn } from './words.ts';

/** Where a history was cut, for what went never comes back. */
export interface Cut {
  /** The id of the first message behind the cut. */
  from: string;
  /** The id of what was the last message then: answers up to it were given before the cut. */
  until: string;
  /** Tokens that a message may have in order to stay before the cut. */
  share: number;
}

const markers = new WeakSet<Message>();

/** A tool whose last call is the list of what is to be done. */
const taskListTool = 'TodoWrite';
/** What the marker costs at most without its quotes. Dropping less would make the view longer. */
const markerTokens = 32;

/**
 * Over the high mark the oldest groups go until the low mark, in steps of the distance between the marks; after an
 * overflow until half of what there is. The last group stays, and of what is before the cut the first user message, the
 * last request with the last user message, and the last task list, each if it takes no more than a fifth of the high
 * mark; and a summary that takes no more than half of it. A marker stands where the first group went, and quotes those user messages that went. The same array when
 * nothing goes.
 */
export function snip(
  messages: readonly Message[],
  context: TransformerContext,
  marks: { readonly high: number; readonly low: number },
  cut: Partial<Cut>,
): readonly Message[] {
  const tally = tallyOf(messages);
  if (tally === undefined) return messages;
  const total = requestTokens(messages, context);
  const isTooMuch = context.overflow && !isFresh(messages, context);
  const until = placeOf(messages, cut.until);
  const least = until < 0 ? 0 : Math.max(0, placeOf(messages, cut.from));
  // What another transformer cut is not cut again: two markers would move each other.
  const isFit = total <= marks.high && least === 0 && !isTooMuch;
  if (isFit || messages.some((message) => markers.has(message))) return messages;
  const perToken = tally.tokens / context.estimateTokens(messages);
  const kept = groupsToDrop(messages, 0, least, cut.share ?? Infinity);
  const goal = isTooMuch ? Math.min(marks.high, total - kept.gain / perToken) / 2 : marks.high;
  const step = isTooMuch ? 1 : Math.max(1, marks.high - marks.low);
  const steps = Math.max(0, Math.ceil((total - goal) / step));
  const share = Math.min(cut.share ?? Infinity, (goal / 5) * perToken);
  const more = steps > 0 ? groupsToDrop(messages, steps * step * perToken + markerTokens, least, share) : kept;
  // A step that gains next to nothing would change the prefix for it.
  const isMore = more.gain > kept.gain + markerTokens;
  if (!isMore && kept.gain <= 0) return messages;
  if (isMore) Object.assign(cut, { from: idOf(messages.at(more.end)), until: idOf(messages.at(-1)), share });
  return isMore ? withMarker(messages, more, messages.length) : withMarker(messages, kept, until + 1);
}

/** Nothing came since the last compaction: if there was an overflow, that was the answer to it. */
export function isFresh(messages: readonly Message[], context: TransformerContext): boolean {
  return idOf(messages.at(0)) === summaryId(compactionId(lastTold(context)));
}

interface Dropped {
  readonly groups: ReadonlySet<MessageGroup>;
  /** The first message behind the cut. */
  readonly end: number;
  /** Tokens less. */
  readonly gain: number;
  /** What is told of user messages that went. */
  readonly quotes: readonly string[];
}

// As many of the oldest groups as have at least `aim` tokens, and what comes before message `least`. Where that ends
// depends on what is dropped alone, so it stays as the history grows.
function groupsToDrop(messages: readonly Message[], aim: number, least: number, share: number): Dropped {
  const quoteBytes = Math.min(1000, Math.max(300, share));
  const tokensOf = ({ start, end }: MessageGroup) =>
    messages.slice(start, end).reduce((sum, message) => sum + measureOf(message).tokens, 0);
  // A summary stands for much, so it may have half of the high mark.
  const isSummary = (group: MessageGroup) => idOf(messages.at(group.start)).startsWith(summaryId(''));
  const fits = (group: MessageGroup) => tokensOf(group) <= (isSummary(group) ? share * 2.5 : share);
  const groups = new Set<MessageGroup>();
  const staying: { first?: MessageGroup; request?: MessageGroup; last?: MessageGroup; tasks?: MessageGroup } = {};
  let asked: MessageGroup | undefined;
  let isFraming = false; // steers say what they are: whatever says nothing is a request
  let tokens = 0;
  let kept = 0;
  let end = 0;
  for (const group of atomicGroups(messages).slice(0, -1)) {
    if (tokens - kept >= aim && end >= least) break;
    groups.add(group);
    tokens += tokensOf(group);
    end = group.end;
    const parts = messages.slice(group.start, group.end);
    if (parts.some(isSaidByUser)) {
      staying.first ??= group;
      staying.last = group;
      const isFramed = parts.some((message) => measureOf(message).isFramed);
      isFraming ||= isFramed;
      if (!isFramed) asked = group;
      if (asked && (isFraming || !isSteer(messages, group.start))) staying.request = asked;
    } else if (parts.some((message) => measureOf(message).calls.includes(taskListTool)) && fits(group)) {
      staying.tasks = group;
    } else {
      continue;
    }
    kept = [...new Set(Object.values(staying))].reduce(
      (sum, each) => sum + (fits(each) ? tokensOf(each) : quoteBytes / 4),
      0,
    );
  }
  const quotes: string[] = [];
  for (const group of new Set(Object.values(staying))) {
    if (fits(group)) {
      groups.delete(group);
      continue;
    }
    // Of a summary also the request that it ends with.
    const parts = messages.slice(group.start, group.end).map(wordsIn).join(' ').split(quoteMark);
    for (const part of parts) {
      quotes.push(boundedText(part, Math.max(200, quoteBytes / parts.length)).replace(/\s+/g, ' '));
    }
  }
  return { groups, end, gain: tokens - kept, quotes };
}

function withMarker(messages: readonly Message[], { groups, quotes }: Dropped, stale: number): readonly Message[] {
  const left = withoutStaleThoughts(messages, (index) => index < stale);
  const shown: Message[] = [];
  let end = 0;
  let count = 0;
  for (const group of groups) {
    shown.push(...left.slice(end, group.start));
    end = group.end;
    count += end - group.start;
  }
  shown.push(...left.slice(end));
  const [{ start } = { start: 0 }] = groups;
  const asked = quotes.length > 0 ? ` What the user asked in them: “${quotes.join('”, “')}”` : '';
  const text = `[${count} earlier messages are left out here to save space.${asked}]`;
  const marker: Message = { id: `snip-${idOf(messages.at(start))}`, role: 'user', content: [{ type: 'text', text }] };
  markers.add(marker);
  return shown.toSpliced(start, 0, marker);
}
