// The transformer that has the older part of a long history summarised, and keeps the summary as a boundary.

import type { Completion, Model } from '../contracts/model.ts';
import type { Transformer, TransformerContext, View } from '../contracts/transformer.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { atomicGroups } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import { textOf, type Message } from '../conversation/message.ts';
import { tokensOf } from '../conversation/tally.ts';
import { contextTokensOf, requestTokens } from './context-size.ts';
import { isFresh, snip, type Cuts } from './snip.ts';
import { lastRequest, summaryRequest } from './summary-request.ts';
import { compactionId, isInvented, viewOf, windowed } from './window.ts';

/** When a history is compacted, in tokens of the whole request, and by whom. */
export interface AutoCompactOptions {
  /** Default: three quarters of the model's context. */
  readonly atTokens?: number;
  /** What stays word for word at the end, at most. Default: a quarter of `atTokens`. */
  readonly keepTokens?: number;
  /** The model that summarises. Default: that of the turn. */
  readonly summarizer?: Model;
  /** What the summary should heed, in addition. */
  readonly instructions?: string;
}

/** After so many failures in a row a history is left to snipping. */
const mostFailures = 3;

/**
 * Near the limit it asks for a summary of the older groups and appends a boundary to the transcript. A failure is
 * announced as `transformer.failed`, and old groups are dropped instead. Undo = remove the boundary's message.
 */
export function autoCompact(options: AutoCompactOptions = {}): Transformer {
  const tried = new WeakSet<Message>();
  const failures = new WeakMap<Message, number>();
  const cuts: Cuts = new WeakMap();
  const atOf = (context: TransformerContext) => options.atTokens ?? contextTokensOf(context) * 0.75;
  const keepOf = (messages: readonly Message[], context: TransformerContext) =>
    Math.min(options.keepTokens ?? atOf(context) / 4, context.estimateTokens(messages) / 4);
  const snipped = (messages: readonly Message[], context: TransformerContext, high = atOf(context)) =>
    snip(messages, context, { high, low: (high * 2) / 3 }, cuts);

  const compacted = async (
    messages: readonly Message[],
    start: number,
    context: TransformerContext,
    instructions = options.instructions,
  ): Promise<View> => {
    const older = messages.slice(0, start);
    const { summarizer } = options;
    const completion = await context.complete(
      summaryRequest(older, instructions),
      summarizer === undefined ? undefined : { model: summarizer },
    );
    const request = lastRequest(older, Math.max(512, keepOf(messages, context) * 2)); // at most half of what is kept
    const boundary = boundaryOf(messages, start, summaryIn(completion) + request);
    const shown = windowed([...messages, boundary]);
    if (tokensOf(shown) >= tokensOf(messages)) throw new Error('the summary is longer than what it stands for');
    return { messages: snipped(shown, context), append: [boundary] };
  };

  const attempt = async (
    conversation: Conversation,
    messages: readonly Message[],
    start: number,
    context: TransformerContext,
  ) => {
    const [first, tail] = [messages[0], messages[start]];
    if (first === undefined || tail === undefined) return undefined;
    for (const message of messages) tried.add(message);
    try {
      return await compacted(messages, start, context);
    } catch (error) {
      if (context.signal.aborted) return undefined;
      failures.set(first, (failures.get(first) ?? 0) + 1);
      context.reportFailure?.(error);
      return viewOf(conversation.messages, snipped(messages, context));
    }
  };

  return {
    name: 'autoCompact',
    alters: ['appendsBoundary', 'dropsGroups', 'addsMarker'],
    beforeIteration(conversation, context) {
      const messages = windowed(conversation.messages);
      const [first] = messages;
      if (first === undefined) return undefined;
      if (!context.overflow && requestTokens(messages, context) <= atOf(context)) {
        return viewOf(conversation.messages, snipped(messages, context)); // what went before stays away
      }
      const start = tailStart(messages, keepOf(messages, context), context);
      const tail = messages[start];
      const older = messages.slice(0, start);
      const gain = !older.every(isInvented) && context.estimateTokens(older) * 4 >= context.estimateTokens(messages);
      const failed = failures.get(first) ?? 0;
      const isNew = tail !== undefined && !tried.has(tail);
      if (gain && isNew && failed < mostFailures && !context.signal.aborted) {
        return attempt(conversation, messages, start, context);
      }
      // Compacted here before, and somebody took the boundary away: then nothing goes that does not have to.
      const isUndone = gain && !isNew && failed === 0;
      return viewOf(conversation.messages, snipped(messages, context, isUndone ? Infinity : undefined));
    },
    compact(conversation, context, instructions) {
      const messages = windowed(conversation.messages);
      const start = tailStart(messages, keepOf(messages, context), context);
      // Nothing, or a summary alone, stands before the tail, or nothing came since the last compaction.
      if (messages.slice(0, start).every(isInvented) || isFresh(messages)) return undefined;
      return compacted(messages, start, context, instructions);
    },
  };
}

/** Where the recent groups begin that fit into `keep` tokens; the last group always does. */
function tailStart(messages: readonly Message[], keep: number, context: TransformerContext): number {
  const groups = atomicGroups(messages);
  let left = keep;
  let start = messages.length;
  for (const group of groups.toReversed()) {
    const tokens = context.estimateTokens(messages.slice(group.start, group.end));
    if (start < messages.length && (tokens > left || isInvented(messages[group.start] as Message))) break;
    left -= tokens;
    start = group.start;
  }
  return start;
}

function boundaryOf(messages: readonly Message[], start: number, summary: string): Message {
  const [tail, last] = [messages[start], messages.at(-1)].map((message) => (message ? measureOf(message).id : ''));
  const keepFrom = tail ?? '';
  return { id: compactionId(last ?? ''), role: 'user', content: [{ type: 'boundary', summary, keepFrom }] };
}

function summaryIn({ message, stopReason }: Completion): string {
  const text = textOf(message).trim();
  if (text === '' || stopReason === 'refusal') throw new Error(`the model gave no summary (${stopReason})`);
  return text;
}
