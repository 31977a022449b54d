// The transformer that shortens tool results: large ones, and old ones when they are many.

import type { Transformer } from '../contracts/transformer.ts';
import type { Block, ResultContent, ToolResultBlock } from '../conversation/block.ts';
import { contentBytes, measureOf, resultBytes } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';
import { tallyOf } from '../conversation/tally.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { checkOptions, numberFrom, type Check } from '../contracts/option-table.ts';
import { contextTokensOf, memories } from './context-size.ts';
import { withoutStaleThoughts } from './thoughts.ts';
import { viewOf } from './window.ts';
import { idOf, placeOf } from './words.ts';

/** How much of the tool results the model sees. */
export interface BudgetToolResultsOptions {
  /** Most bytes of one result. Default: a quarter of the model's context tokens, 32,000 for 128,000. At least 512. */
  readonly perResultBytes?: number;
  /** Most bytes of all results together. Default: twice the model's context tokens, about half of the context. */
  readonly totalBytes?: number;
  /**
   * This many of the last messages with results stay as they are, except those larger than a quarter of `totalBytes`.
   * Default 3; after a context overflow 0.
   */
  readonly keepRecent?: number;
}

const budgetOptions = {
  perResultBytes: numberFrom(1),
  totalBytes: numberFrom(1),
  keepRecent: numberFrom(0),
} satisfies Record<keyof BudgetToolResultsOptions, Check>;

/** Size of an old result when all results together are too large. */
const stubBytes = 512;

/**
 * Shows the model the beginning and the end of a result that is too large, and only a stub of the oldest results when
 * all together are too large. The same result is always shortened in the same way, so that cached prefixes stay valid.
 * Images and documents of a shortened result are replaced by a note. Throws `options.invalid`.
 */
export function budgetToolResults(options: BudgetToolResultsOptions = {}): Transformer {
  const { keepRecent = 3 } = options;
  checkOptions('budgetToolResults', options, budgetOptions);
  const memoryOf = memories<Memory>();
  return {
    name: 'budgetToolResults',
    alters: ['shortensResults'],
    beforeIteration({ messages }, context) {
      const tally = tallyOf(messages);
      if (tally === undefined) return undefined;
      const hard = context.overflow ? 4 : 1;
      const perResult = Math.floor((options.perResultBytes ?? contextTokensOf(context) / 4) / hard);
      const total = (options.totalBytes ?? contextTokensOf(context) * 2) / hard;
      const memory = memoryOf(context);
      if (context.overflow) (memory.overflows ??= new Set()).add(measureOf(tally.message).id);
      // An answer given after an overflow saw the results in another form.
      const afterOverflow = placesAfter(messages, memory.overflows);
      const limits = { perResult, total, keepRecent: context.overflow ? 0 : keepRecent };
      const head = idOf(messages[0]);
      if (memory.head !== head) Object.assign(memory, { head, fixed: memory.stub });
      const fixedUntil = placeOf(messages, memory.fixed);
      if (
        afterOverflow.size === 0 &&
        fixedUntil < 0 &&
        tally.largestResult <= Math.max(stubBytes, perResult) &&
        tally.resultBytes <= total
      )
        return undefined;
      const shown = budgeted(messages, limits, afterOverflow, fixedUntil);
      if (!context.overflow && shown.stub >= 0) memory.stub = idOf(messages[shown.stub]);
      return viewOf(messages, shown.messages);
    },
  };
}

interface Memory {
  /** For each overflow, the id of what was the last message then. */
  overflows: Set<string>;
  /** The id of the last message whose results were made stubs. */
  stub: string;
  /** The id of the first visible message. */
  head: string;
  /** Value of `stub` when `head` became first. Results up to it stay stubs even if a compaction made room. */
  fixed: string | undefined;
}

interface Limits {
  readonly perResult: number;
  readonly total: number;
  readonly keepRecent: number;
}

/** A message with results, and how it is shown. */
interface Row {
  readonly index: number;
  readonly shown: Message;
  readonly isStub: boolean;
  /** Answers after the results and before this index saw them in another form. */
  readonly staleBefore: number;
}

// Sizes are in bytes. An example: 8,000 for all results together, each has 3,000, and only the last one is recent. The
// third makes them 1,000 too large: rounded up to half of the total, 4,000 must be gained. A stub of 512 gains 2,488,
// so the first two become stubs. That is still enough with the fourth. The fifth makes it 7,000, so 8,000 must be
// gained: the first four are stubs then.
function rowsOf(
  messages: readonly Message[],
  { perResult, total, keepRecent }: Limits,
  fixedUntil: number,
): readonly Row[] {
  const withResults = [...messages.entries()].filter(([, message]) => measureOf(message).results.length > 0);
  const sizeOf = (message: Message, limit: number) =>
    measureOf(message).results.reduce((sum, bytes) => sum + Math.min(bytes, limit), 0);
  const limitOf = (message: Message) => {
    const fits = sizeOf(message, perResult) <= total;
    return Math.max(stubBytes, fits ? perResult : Math.floor(total / measureOf(message).results.length));
  };
  let excess = -total;
  // What had to be gained when each came, in steps of half the total, so that the end of the stubs seldom moves.
  const aims = withResults.map(([index, message]) => {
    excess += sizeOf(message, index <= fixedUntil ? stubBytes : limitOf(message));
    return Math.max(0, Math.ceil(excess / (total / 2)) * (total / 2));
  });
  let gained = 0; // if all rows before this one are stubs
  let cause = 0; // the first row for which that is not enough
  return withResults.map(([index, message], place) => {
    const limit = limitOf(message);
    while ((aims[cause] ?? Infinity) <= gained) cause++;
    if (index > fixedUntil) gained += sizeOf(message, limit) - sizeOf(message, stubBytes);
    const oldFrom = place + keepRecent; // from this row on, this one is not recent
    const isOld = oldFrom < withResults.length;
    // Recent ones stay whole up to a quarter of the total, at four bytes a token.
    const isWholeAtFirst = measureOf(message).tokens * 16 <= total;
    const isStub = index <= fixedUntil || (isOld && cause < aims.length);
    const changedBy = index <= fixedUntil ? -1 : isStub ? Math.max(cause, oldFrom) : isWholeAtFirst ? oldFrom : -1;
    return {
      index,
      shown: isWholeAtFirst && !isOld ? message : shortened(message, isStub ? stubBytes : limit),
      isStub,
      staleBefore: withResults[changedBy]?.[0] ?? 0,
    };
  });
}

function budgeted(
  messages: readonly Message[],
  limits: Limits,
  afterOverflow: ReadonlySet<number>,
  fixedUntil: number,
): { readonly messages: readonly Message[]; readonly stub: number } {
  const rows = rowsOf(messages, limits, fixedUntil);
  const stub = rows.findLast(({ isStub }) => isStub)?.index ?? fixedUntil;
  const changed = rows.filter(({ index, shown }) => shown !== messages[index]);
  if (changed.length === 0 && afterOverflow.size === 0) return { messages, stub };
  const shown = [...messages];
  for (const row of changed) shown[row.index] = row.shown;
  const stale = staleAnswers(messages, changed, afterOverflow);
  return { messages: withoutStaleThoughts(shown, (index) => stale.has(index)), stub };
}

// The indexes of answers that saw results in another form: after a result and before it changed, or after an overflow.
function staleAnswers(
  messages: readonly Message[],
  changed: readonly Row[],
  afterOverflow: ReadonlySet<number>,
): ReadonlySet<number> {
  const stale = new Set(afterOverflow);
  let end = 0;
  for (const { index, staleBefore } of changed) {
    const until = afterOverflow.has(messages.length) ? messages.length : staleBefore;
    for (end = Math.max(end, index + 1); end < until; end++) stale.add(end);
  }
  return stale;
}

// The indexes right after the messages with these ids.
function placesAfter(messages: readonly Message[], ids: ReadonlySet<string> | undefined): ReadonlySet<number> {
  const places = new Set<number>();
  if (ids === undefined) return places;
  for (const [index, message] of messages.entries()) if (ids.has(measureOf(message).id)) places.add(index + 1);
  return places;
}

const shortForms = /* @__PURE__ */ oncePer((_message: Message) => new Map<number, Message>());

// One object for each limit, so that what is cached for it stays valid.
function shortened(message: Message, limit: number): Message {
  if (!measureOf(message).results.some((bytes) => bytes > limit)) return message;
  const forms = shortForms(message);
  let form = forms.get(limit);
  if (form === undefined)
    forms.set(limit, (form = { ...message, content: message.content.map((block) => shortBlock(block, limit)) }));
  return form;
}

function shortBlock(block: Block, limit: number): Block {
  return block.type === 'toolResult' && resultBytes(block) > limit ? shortResult(block, limit) : block;
}

function shortResult(result: ToolResultBlock, limit: number): ToolResultBlock {
  const media = result.content.filter((block) => textIn(block) === undefined);
  const bytes = media.reduce((sum, block) => sum + contentBytes(block), 0);
  const lost = media.length > 0 ? `[${media.length} images or documents (${bytes} bytes) left out]\n` : '';
  const note = `\n${lost}[Shortened to save space. Call the tool again for what you need of it.]`;
  const whole = result.content.flatMap((block) => textIn(block) ?? []).join('\n');
  return { ...result, content: [{ type: 'text', text: boundedText(whole, limit - note.length) + note }] };
}

function textIn(block: ResultContent): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'document' && block.source.type === 'text' ? block.source.text : undefined;
}
