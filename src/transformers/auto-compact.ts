// The transformer that summarises the older part of a long history and keeps the summary as a boundary.

import type { Completion, Model } from '../contracts/model.ts';
import type { Transformer, TransformerContext, View } from '../contracts/transformer.ts';
import { isInsideGroup } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import { textOf, type Message } from '../conversation/message.ts';
import { tokensOf } from '../conversation/tally.ts';
import { aText, checkOptions, isObject, numberFrom, type Check } from '../contracts/option-table.ts';
import { contextTokensOf, memories, requestTokens } from './context-size.ts';
import { isFresh, type Cut } from './plan-cut.ts';
import { snip } from './snip.ts';
import { lastRequest, summaryRequest, type SummaryPart } from './summary-request.ts';
import { compactionId, lastMessageId, summaryId, viewOf, windowed } from './window.ts';
import { idOf, placeOf } from './words.ts';

/** When a history is compacted, in tokens of the whole request, and by which model. */
export interface AutoCompactOptions {
  /** Default: three quarters of the model's context. At least 1. */
  readonly atTokens?: number;
  /** Most tokens that stay word for word at the end. Default: a quarter of `atTokens`. */
  readonly keepTokens?: number;
  /** The model that summarises. Default: the turn's model. */
  readonly summarizer?: Model;
  /** Additional instructions for the summary. */
  readonly instructions?: string;
}

const autoCompactOptions = {
  atTokens: numberFrom(1),
  keepTokens: numberFrom(0),
  summarizer: ['a model', (value) => isObject(value) && typeof value['stream'] === 'function'],
  instructions: aText,
} satisfies Record<keyof AutoCompactOptions, Check>;

/** After this many failures in a row old groups are only dropped, no longer summarised. */
const mostFailures = 3;

/** Stop reasons of a complete summary. */
const wholeEnds: readonly string[] = ['endTurn', 'stopSequence', 'other'];

interface Memory {
  cut: Cut | undefined;
  /** The id of the last message at the last attempt. */
  tried: string;
  failures: number;
  /** The id of the last boundary made here. */
  boundary: string;
  /** The same for one that the user removed. */
  undone: string;
}

/**
 * Near the limit it asks a model for a summary of the older groups and appends a boundary to the transcript. A failure
 * is announced as `transformer.failed`, and old groups are dropped instead. To undo a compaction, remove the boundary's
 * message. Throws `options.invalid`.
 */
export function autoCompact(options: AutoCompactOptions = {}): Transformer {
  const { summarizer, instructions: always } = options;
  checkOptions('autoCompact', options, autoCompactOptions);
  const memoryOf = memories<Memory>();
  const atOf = (context: TransformerContext) => options.atTokens ?? contextTokensOf(context) * 0.75;
  const keepOf = (messages: readonly Message[], context: TransformerContext) =>
    Math.min(options.keepTokens ?? atOf(context) / 4, context.estimateTokens(messages) / 4);
  const snipped = (messages: readonly Message[], context: TransformerContext, high = atOf(context)) =>
    snip(messages, context, { high, low: (high * 2) / 3 }, memoryOf(context));

  const compacted = async (
    messages: readonly Message[],
    part: SummaryPart,
    context: TransformerContext,
    instructions = always,
  ): Promise<View> => {
    const last = lastMessageId(context);
    const completion = await context.complete(
      summaryRequest(part, summarizer ?? context.model, instructions),
      summarizer && { model: summarizer },
    );
    const request = lastRequest(part, keepOf(messages, context) * 2); // at most half of what is kept
    const boundary: Message = {
      id: compactionId(last),
      role: 'user',
      content: [{ type: 'boundary', summary: summaryIn(completion) + request, keepFrom: idOf(part.tail[0]) }],
    };
    const shown = windowed([...messages, boundary]);
    if (tokensOf(shown) >= tokensOf(messages)) throw new Error('the summary is longer than what it replaces');
    Object.assign(memoryOf(context), { tried: last, failures: 0, boundary: boundary.id });
    return { messages: snipped(shown, context), append: [boundary] };
  };

  return {
    name: 'autoCompact',
    alters: ['appendsBoundary', 'dropsGroups', 'addsMarker'],
    beforeIteration(conversation, context) {
      const messages = windowed(conversation.messages);
      const leftAlone = (high?: number) => viewOf(conversation.messages, snipped(messages, context, high));
      // Below the limit, what was dropped stays away.
      if (!context.overflow && requestTokens(messages, context) <= atOf(context)) return leftAlone();
      const memory = memoryOf(context);
      const { failures = 0, boundary } = memory;
      const start = tailStart(messages, keepOf(messages, context), context);
      const isNew = start > placeOf(messages, memory.tried);
      const part = isNew && failures < mostFailures ? partAt(messages, start, context) : undefined;
      const gain = part && context.estimateTokens(part.older) * 4 >= context.estimateTokens(messages);
      if (gain && !context.signal.aborted) {
        return compacted(messages, part, context).catch((error: unknown) => {
          if (context.signal.aborted) return undefined; // a cancelled attempt does not count
          Object.assign(memory, { tried: lastMessageId(context), failures: failures + 1 });
          context.reportFailure?.(error);
          return leftAlone();
        });
      }
      // The user removed the boundary made here: do not compact or drop more than necessary.
      const isUndone = !isNew && boundary !== undefined && idOf(messages[0]) !== summaryId(boundary);
      if (isUndone && memory.undone !== boundary) {
        memory.undone = boundary;
        memory.cut = undefined; // what it replaced comes back
      }
      return leftAlone(isUndone ? Infinity : undefined);
    },
    compact({ messages: given }, context, instructions) {
      const messages = windowed(given);
      const part = partAt(messages, tailStart(messages, keepOf(messages, context), context), context);
      // There is nothing, or only a summary, before the tail, or nothing was added since the last compaction.
      return part === undefined || isFresh(messages, context)
        ? undefined
        : compacted(messages, part, context, instructions);
    },
  };
}

/** The index where the recent groups that fit into `keep` tokens begin; the last group always counts as fitting. */
function tailStart(messages: readonly Message[], keep: number, context: TransformerContext): number {
  let left = keep;
  let start = messages.length;
  for (let index = start - 1; index >= 0; index--) {
    if (index > 0 && isInsideGroup(messages, index)) continue;
    left -= context.estimateTokens(messages.slice(index, start));
    if (start < messages.length && left < 0) break;
    start = index;
  }
  return start;
}

/** What a summary would replace. Undefined when no message of the transcript would go, or none would stay. */
function partAt(messages: readonly Message[], start: number, { transcript }: TransformerContext) {
  const ids = new Set(transcript.messages.map((message) => measureOf(message).id));
  const isStored = (message: Message) => ids.has(measureOf(message).id);
  // `keepFrom` of a boundary must be in the transcript.
  const place = messages.findIndex(
    (message, index) => index >= start && !isInsideGroup(messages, index) && isStored(message),
  );
  const older = messages.slice(0, Math.max(0, place));
  return older.some(isStored) ? { older, tail: messages.slice(place), isStored } : undefined;
}

function summaryIn({ message, stopReason }: Completion): string {
  const text = textOf(message).trim();
  if (text === '' || !wholeEnds.includes(stopReason))
    throw new Error(`the summary is empty or incomplete (stop reason: ${stopReason})`);
  return text;
}
