// What a model is asked in order to summarise the older part of a conversation. Called by autoCompact.

import type { Model, ModelRequest } from '../contracts/model.ts';
import type { Block } from '../conversation/block.ts';
import { measureOf } from '../conversation/measure.ts';
import { textOf, type Message } from '../conversation/message.ts';
import { countTokens, utf8Length } from '../conversation/tokens.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { contextTokensOf } from './context-size.ts';
import { isSaidByUser, isSteer, wordsIn, wordsOf } from './words.ts';

const prompt = `Summarise this conversation for the assistant that goes on with it and sees nothing but your summary of this part. Keep what the user wants and every instruction given, what was found, decided and done, names, paths, values and errors that matter, and what is left to do. Write the summary only.`;

/** Stands in a summary before what the user asked for. */
export const quoteMark = '\n\nThe last request, word for word:\n';

/** Of each block the summarising model reads at most so many bytes, and fewer where all of it would not fit. */
const mostBlockBytes = 4096;

/** An earlier summary has nothing to spare. */
const summaryBytes = 16_384;

/** What a summary is made of. */
export interface SummaryPart {
  /** The messages it stands for. */
  readonly older: readonly Message[];
  /** What comes behind them and stays. */
  readonly tail: readonly Message[];
  /** The message stands in the transcript; what does not is a summary or a marker. */
  readonly isTold: (message: Message) => boolean;
}

/**
 * The conversation as one text, which any model takes: no calls to pair, no thinking to replay. It fills less than half
 * of the summarising model's context. Images and documents are attached as far as that model takes them and an eighth
 * of its context goes, else named.
 */
export function summaryRequest({ older, isTold }: SummaryPart, model: Model, instructions = ''): ModelRequest {
  const contextTokens = contextTokensOf({ model });
  const mostBytes = Math.max(200, contextTokens * 1.5);
  const media: Block[] = [];
  const textWith = (blockBytes: number): string => {
    let room = contextTokens / 8;
    media.length = 0;
    const attach = (block: Block): string => {
      const tokens = countTokens({ content: [block] });
      if (tokens > room || !model.info?.input?.some((type) => type === block.type)) return '';
      room -= tokens;
      return `, attachment ${media.push(block)}`;
    };
    const said = older.map((message) => {
      const most = isTold(message) ? blockBytes : summaryBytes;
      const words = message.content.map((block) => boundedText(wordsOf(block, attach), most));
      return `## ${message.role}\n${words.join('\n')}`;
    });
    return said.join('\n\n');
  };
  let text = textWith(mostBlockBytes);
  const bytes = utf8Length(text);
  if (bytes > mostBytes) text = textWith(Math.max(200, (mostBlockBytes * mostBytes) / bytes));
  const content: readonly Block[] = [{ type: 'text', text: boundedText(text, mostBytes) }, ...media];
  return {
    system: [{ type: 'text', text: `${prompt}\n${instructions}`.trim() }],
    messages: [{ id: 'conversation', role: 'user', content }],
    tools: [],
  };
}

/**
 * What the user asked for and is worked on still, with what was steered in, word for word, to stand at the end of a
 * summary; also when an earlier one quotes it. Nothing when the tail has a request of its own.
 */
export function lastRequest({ older, tail, isTold }: SummaryPart, mostBytes: number): string {
  const messages = [...older, ...tail];
  const words: string[] = [];
  let isFraming = false; // steers say what they are: whatever says nothing is a request
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || !isSaidByUser(message)) continue;
    const quoted = isTold(message) ? undefined : textOf(message).split(quoteMark).slice(1).at(-1);
    if (!isTold(message) && quoted === undefined) continue;
    const { isFramed } = measureOf(message);
    const isAsked = quoted !== undefined || !isSteer(messages, index) || (isFraming && !isFramed);
    isFraming ||= isFramed;
    if (index < older.length) words.unshift(quoted ?? wordsIn(message));
    if (isAsked) break;
  }
  // Of many steers the last two: with the request itself they say what is wanted now.
  const quoted = words.length > 3 ? [...words.slice(0, 1), ...words.slice(-2)] : words;
  const quotes = quoted.map((each) => boundedText(each, Math.max(200, mostBytes / quoted.length)));
  return quotes.length === 0 ? '' : quoteMark + quotes.join('\n\n');
}
