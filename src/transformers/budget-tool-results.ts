// The transformer that shortens tool results: large ones, and old ones when they are many.

import type { Transformer } from '../contracts/transformer.ts';
import type { Block, ResultContent, ToolResultBlock } from '../conversation/block.ts';
import { contentBytes, measureOf, resultBytes } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';
import { tallyOf } from '../conversation/tally.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { checkOptions, numberFrom, type Check } from '../tools/option-table.ts';
import { contextTokensOf, memories } from './context-size.ts';
import { withoutStaleThoughts } from './thoughts.ts';
import { viewOf } from './window.ts';
import { idOf, placeOf } from './words.ts';

/** How much of tool results the model sees. */
export interface BudgetToolResultsOptions {
  /** Most bytes of one result. Default: a quarter of the model's context tokens, 32,000 for 128,000. At least 512. */
  readonly perResultBytes?: number;
  /** Most bytes of all results together. Default: twice the model's context tokens, about half of the context. */
  readonly totalBytes?: number;
  /**
   * So many messages with results at the end are left as they are, each if it takes no more than a quarter of
   * `totalBytes`. Default 3; none after a context overflow.
   */
  readonly keepRecent?: number;
}

const budgetOptions = {
  perResultBytes: numberFrom(1),
  totalBytes: numberFrom(1),
  keepRecent: numberFrom(0),
} satisfies Record<keyof BudgetToolResultsOptions, Check>;

/** What is left of an old result when all together are too much. */
const stubBytes = 512;

/**
 * Shows the model the head and the tail of a result that is too large, and of the oldest results only a stub when all
 * together are too much, always in the same way, so that cached prefixes stay good. Images and documents of a shortened
 * result are left out with a note. Throws `options.invalid`.
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
      // An answer that came after an overflow saw other results than any other.
      const odd = placesBehind(messages, memory.overflows);
      const limits = { perResult, total, keepRecent: context.overflow ? 0 : keepRecent };
      const head = idOf(messages[0]);
      if (memory.head !== head) Object.assign(memory, { head, base: memory.stub });
      const base = placeOf(messages, memory.base);
      if (
        odd.size === 0 &&
        base < 0 &&
        tally.largestResult <= Math.max(stubBytes, perResult) &&
        tally.resultBytes <= total
      )
        return undefined;
      const shown = budgeted(messages, limits, odd, base);
      if (!context.overflow && shown.stub >= 0) memory.stub = idOf(messages[shown.stub]);
      return viewOf(messages, shown.messages);
    },
  };
}

interface Memory {
  /** Ids of the last messages when the context had overflowed. */
  overflows: Set<string>;
  /** The id of the last message whose results were made stubs. */
  stub: string;
  /** What `stub` was when the view began to begin as it does, with the message `head`: those stay stubs, though a compaction made room. */
  base: string | undefined;
  head: string;
}

interface Limits {
  readonly perResult: number;
  readonly total: number;
  readonly keepRecent: number;
}

function budgeted(
  messages: readonly Message[],
  { perResult, total, keepRecent }: Limits,
  odd: ReadonlySet<number>,
  base: number,
): { readonly messages: readonly Message[]; readonly stub: number } {
  const results = [...messages.entries()].filter(([, message]) => measureOf(message).results.length > 0);
  const sizeOf = (message: Message, limit: number) =>
    measureOf(message).results.reduce((sum, bytes) => sum + Math.min(bytes, limit), 0);
  const limitOf = (message: Message) => {
    const fits = sizeOf(message, perResult) <= total;
    return Math.max(stubBytes, fits ? perResult : Math.floor(total / measureOf(message).results.length));
  };
  let over = -total;
  // What is too much when each result had come, in steps of half the total: the point up to which results are stubs seldom moves.
  const cuts = results.map(([index, message]) => {
    over += sizeOf(message, index <= base ? stubBytes : limitOf(message));
    return Math.max(0, Math.ceil(over / (total / 2)) * (total / 2));
  });
  const shown = [...messages];
  // Answers behind a result and before this place saw another form of it.
  const changes = new Map<number, number>();
  let gained = 0;
  let step = 0;
  let stub = base;
  for (const [count, [index, message]] of results.entries()) {
    const limit = limitOf(message);
    while ((cuts[step] ?? Infinity) <= gained) step++;
    if (index > base) gained += sizeOf(message, limit) - sizeOf(message, stubBytes);
    const old = count + keepRecent;
    const isOld = old < results.length;
    const isWhole = measureOf(message).tokens * 16 <= total; // as long as it is recent: four bytes a token, a quarter of all
    if (isWhole && !isOld) continue;
    const isStub = index <= base || (isOld && step < cuts.length);
    if (isStub) stub = Math.max(stub, index);
    const short = shortened(message, isStub ? stubBytes : limit);
    if (short === message) continue;
    shown[index] = short;
    const changed = index <= base ? -1 : isStub ? Math.max(step, old) : isWhole ? old : -1;
    changes.set(index, odd.has(messages.length) ? messages.length : (results[changed]?.[0] ?? 0));
  }
  if (changes.size === 0 && odd.size === 0) return { messages, stub };
  let stale = 0;
  const isStale = messages.map((_, index) => {
    const was = index < stale || odd.has(index);
    stale = Math.max(stale, changes.get(index) ?? 0);
    return was;
  });
  return { messages: withoutStaleThoughts(shown, (index) => isStale[index] === true), stub };
}

function placesBehind(messages: readonly Message[], ids: ReadonlySet<string> | undefined): ReadonlySet<number> {
  const places = new Set<number>();
  if (ids === undefined) return places;
  for (const [index, message] of messages.entries()) if (ids.has(measureOf(message).id)) places.add(index + 1);
  return places;
}

const shortForms = /* @__PURE__ */ oncePer((_message: Message) => new Map<number, Message>());

// One object for each limit: what is known of it stays known.
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
