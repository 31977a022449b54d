// Decides which old groups of a history go. Pure: the caller stores the cut. Called by snip.
//
// An example: high mark 1,000 tokens, low mark 600; the request R and the answers A1 to A10, 100 tokens each.
// - 1,100 tokens are 100 too many. A cut moves in steps of 1,000 - 600 = 400, so 400 must go, and 32 for the marker.
// - R is the oldest, but a landmark of at most 1,000 / 5 = 200 tokens, so it stays. A1 to A4 are only 400: A5 goes too.
// - The view is R, the marker and A6 to A10, about 620 tokens. Up to A13 (1,400 tokens) the plan is the same, so the
//   view only grows at its end and cached prefixes stay good. With A14 two steps must go (832): A1 to A9.

import type { TransformerContext } from '../contracts/transformer.ts';
import { atomicGroups, type MessageGroup } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { tokensOf } from '../conversation/tally.ts';
import { requestTokens } from './context-size.ts';
import { findLandmarks, quotesOf } from './landmarks.ts';
import { compactionId, lastMessageId, summaryId } from './window.ts';
import { idOf, placeOf } from './words.ts';

/** Tokens of the whole request, as the provider counts them: above `high` groups go until `low` is reached. */
export interface CutMarks {
  readonly high: number;
  readonly low: number;
}

/** Where a history was cut. What went never comes back. */
export interface Cut {
  /** The id of the first message after the cut. */
  readonly from: string;
  /** The id of what was the last message then: answers up to it were given before the cut. */
  readonly until: string;
  /** Estimated tokens that a landmark before the cut may have in order to stay. */
  readonly keepLimit: number;
}

/** What goes: all messages before `end` that are not in one of the groups `staying`. */
export interface CutPlan {
  readonly end: number;
  readonly staying: readonly MessageGroup[];
  /** What the marker quotes of landmarks that go. */
  readonly quotes: readonly string[];
  /** Answers before this index were given before the cut. */
  readonly staleBefore: number;
  /** The cut to remember and to give to the next plan. */
  readonly cut: Cut | undefined;
}

/** Estimated tokens of the marker without its quotes, at most. Dropping less would make the view longer. */
const markerEstimate = 32;

/**
 * Above the high mark the oldest groups go until the low mark is reached, in steps of the distance between the marks;
 * after an overflow until half of what is shown is left. The last group stays. So do landmarks before the cut: the
 * first user message, the last request, the last user message and the last task list, each of at most a fifth of the
 * high mark; a summary may have half of it. Undefined when nothing goes.
 */
export function planCut(
  messages: readonly Message[],
  context: TransformerContext,
  marks: CutMarks,
  previousCut: Cut | undefined,
): CutPlan | undefined {
  // Names that end in "Tokens" are in tokens of the provider. Groups are measured in estimated tokens, as are the aim,
  // the gain and the limit.
  const totalTokens = requestTokens(messages, context);
  const isTooMuch = context.overflow && !isFresh(messages, context);
  const answeredBefore = placeOf(messages, previousCut?.until) + 1;
  const alreadyCutBefore = answeredBefore > 0 ? Math.max(0, placeOf(messages, previousCut?.from)) : 0;
  if (totalTokens <= marks.high && alreadyCutBefore === 0 && !isTooMuch) return undefined;
  const estimatedPerToken = tokensOf(messages) / context.estimateTokens(messages);

  const previousLimit = previousCut?.keepLimit ?? Infinity;
  const previous = chooseGroups(messages, 0, alreadyCutBefore, previousLimit);
  const shownTokens = totalTokens - previous.gain / estimatedPerToken;
  const goalTokens = isTooMuch ? Math.min(marks.high, shownTokens) / 2 : marks.high;
  const stepTokens = isTooMuch ? 1 : Math.max(1, marks.high - marks.low);
  const excessTokens = Math.ceil((totalTokens - goalTokens) / stepTokens) * stepTokens;
  const estimatedAim = excessTokens * estimatedPerToken + markerEstimate;
  const keepLimit = Math.min(previousLimit, (goalTokens / 5) * estimatedPerToken);
  const next = excessTokens > 0 ? chooseGroups(messages, estimatedAim, alreadyCutBefore, keepLimit) : previous;

  // A step that gains almost nothing is not worth a changed prefix.
  if (next.gain > previous.gain + markerEstimate) {
    const cut = { from: idOf(messages[next.end]), until: idOf(messages.at(-1)), keepLimit };
    return { ...next, staleBefore: messages.length, cut };
  }
  return previous.gain > 0 ? { ...previous, staleBefore: answeredBefore, cut: previousCut } : undefined;
}

/** True if nothing was added since the last compaction, which then was the answer to an overflow. */
export function isFresh(messages: readonly Message[], context: TransformerContext): boolean {
  return idOf(messages.at(0)) === summaryId(compactionId(lastMessageId(context)));
}

interface Choice extends Pick<CutPlan, 'end' | 'staying' | 'quotes'> {
  /** Estimated tokens that the view loses. */
  readonly gain: number;
}

// The oldest groups: all before the message `alreadyCutBefore`, and as many as gain `aim`. Where that ends depends only
// on the groups up to there, so it stays the same as the history grows. All tokens here are estimated.
function chooseGroups(messages: readonly Message[], aim: number, alreadyCutBefore: number, keepLimit: number): Choice {
  // A quarter of the tokens that a landmark may have, at four bytes a token.
  const quoteBytes = Math.min(1000, Math.max(300, keepLimit));
  const partsOf = ({ start, end }: MessageGroup) => messages.slice(start, end);
  const tokensIn = (group: MessageGroup) => partsOf(group).reduce((sum, part) => sum + measureOf(part).tokens, 0);
  // A summary replaces many messages, so it may have half of the high mark.
  const isSummary = (group: MessageGroup) => idOf(messages[group.start]).startsWith(summaryId(''));
  const mayStay = (group: MessageGroup) => tokensIn(group) <= keepLimit * (isSummary(group) ? 2.5 : 1);
  const landmarksWith = findLandmarks(messages, mayStay);
  let landmarks: readonly MessageGroup[] = [];
  let chosenTokens = 0;
  let stayingTokens = 0; // of landmarks that stay, and of quotes
  let end = 0;
  for (const group of atomicGroups(messages).slice(0, -1)) {
    if (chosenTokens - stayingTokens >= aim && end >= alreadyCutBefore) break;
    chosenTokens += tokensIn(group);
    end = group.end;
    const found = landmarksWith(group);
    if (found === undefined) continue;
    landmarks = found;
    stayingTokens = found.reduce((sum, each) => sum + (mayStay(each) ? tokensIn(each) : quoteBytes / 4), 0);
  }
  return {
    end,
    staying: landmarks.filter(mayStay),
    quotes: landmarks.flatMap((group) => (mayStay(group) ? [] : quotesOf(partsOf(group), quoteBytes))),
    gain: chosenTokens - stayingTokens,
  };
}
