// The transformer that shortens tool results: large ones, and old ones when they are many.

import type { Transformer } from '../contracts/transformer.ts';
import type { Block, ResultContent, ToolResultBlock } from '../conversation/block.ts';
import { contentBytes, measureOf, resultBytes } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { tallyOf } from '../conversation/tally.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { contextTokensOf } from './context-size.ts';
import { viewOf } from './window.ts';

/** How much of tool results the model sees. */
export interface BudgetToolResultsOptions {
  /** Most bytes of one result. Default: a quarter of the model's context tokens, 32,000 for 128,000. At least 512. */
  readonly perResultBytes?: number;
  /** Most bytes of all results together. Default: twice the model's context tokens, about half of the context. */
  readonly totalBytes?: number;
  /** So many messages with results at the end are left as they are. Default 3; none after a context overflow. */
  readonly keepRecent?: number;
}

/** What is left of an old result when all together are too much. */
const stubBytes = 512;

/**
 * Shows the model the head and the tail of a result that is too large, and of the oldest results only a stub when all
 * together are too much, always in the same way, so that cached prefixes stay good. Images and documents of a shortened
 * result are left out with a note.
 */
export function budgetToolResults(options: BudgetToolResultsOptions = {}): Transformer {
  const { keepRecent = 3 } = options;
  return {
    name: 'budgetToolResults',
    alters: ['shortensResults'],
    beforeIteration({ messages }, context) {
      const tally = tallyOf(messages);
      if (tally === undefined) return undefined;
      const hard = context.overflow ? 4 : 1;
      const perResult = Math.max(
        stubBytes,
        Math.floor((options.perResultBytes ?? contextTokensOf(context) / 4) / hard),
      );
      const total = (options.totalBytes ?? contextTokensOf(context) * 2) / hard;
      if (tally.largestResult <= perResult && tally.resultBytes <= total) return undefined;
      const shown = budgeted(messages, perResult, total, context.overflow ? 0 : keepRecent);
      return viewOf(messages, shown);
    },
  };
}

function budgeted(messages: readonly Message[], perResult: number, total: number, keepRecent: number) {
  const sizes = (message: Message, limit: number) =>
    measureOf(message).results.reduce((sum, bytes) => sum + Math.min(bytes, limit), 0);
  const over = messages.reduce((sum, message) => sum + sizes(message, perResult), -total);
  // In steps of half the total, so that the point up to which results are stubs seldom moves.
  const cut = over > 0 ? Math.ceil(over / (total / 2)) * (total / 2) : 0;
  let end = messages.length;
  for (let left = keepRecent; left > 0 && end > 0;) {
    const message = messages[--end];
    if (message !== undefined && measureOf(message).results.length > 0) left--;
  }
  let gained = 0;
  let isChanged = false;
  const shown = messages.map((message, index) => {
    const short = index < end ? shortened(message, gained < cut ? stubBytes : perResult) : message;
    gained += sizes(message, perResult) - sizes(message, stubBytes);
    if (short !== message) isChanged = true;
    return short;
  });
  return isChanged ? shown : messages;
}

const shortForms = new WeakMap<Message, Map<number, Message>>();

// One object for each limit: what is known of it stays known.
function shortened(message: Message, limit: number): Message {
  if (!measureOf(message).results.some((bytes) => bytes > limit)) return message;
  let forms = shortForms.get(message);
  if (forms === undefined) shortForms.set(message, (forms = new Map()));
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
