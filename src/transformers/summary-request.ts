// The request for a summary of the older part of a conversation. Called by autoCompact.

import type { Model, ModelRequest } from '../contracts/model.ts';
import type { Block } from '../conversation/block.ts';
import { measureOf } from '../conversation/measure.ts';
import { textOf, type Message } from '../conversation/message.ts';
import { countTokens, utf8Length } from '../conversation/tokens.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { contextTokensOf } from './context-size.ts';
import { isSaidByUser, isSteer, wordsIn, wordsOf } from './words.ts';

const prompt = `Summarise this conversation for the assistant that continues it and sees only your summary of this part. Keep what the user wants and every instruction given, what was found, decided and done, names, paths, values and errors that matter, and what is left to do. Write the summary only.`;

/** Precedes, in a summary, what the user asked for. */
export const quoteMark = '\n\nThe last request, word for word:\n';

/** The summarising model reads at most this many bytes of each block, and fewer if the whole would not fit. */
const mostBlockBytes = 4096;

/** The same for an earlier summary, which should not be shortened further. */
const summaryBytes = 16_384;

/** What a summary is made of. */
export interface SummaryPart {
  /** The messages it replaces. */
  readonly older: readonly Message[];
  /** What comes after them and stays. */
  readonly tail: readonly Message[];
  /** Whether the message is in the transcript; otherwise it is a summary or a marker. */
  readonly isStored: (message: Message) => boolean;
}

/**
 * The conversation as one text, which any model accepts: no calls to pair, no thinking to replay. It fills less than
 * half of the summarising model's context. Images and documents are attached if that model accepts them, up to an
 * eighth of its context; the others are named.
 */
export function summaryRequest({ older, isStored }: SummaryPart, model: Model, instructions = ''): ModelRequest {
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
      const most = isStored(message) ? blockBytes : summaryBytes;
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
 * The user's current request and what was steered in since, word for word, for the end of a summary; also if only an
 * earlier summary quotes it. Empty when the tail has its own request.
 */
export function lastRequest({ older, tail, isStored }: SummaryPart, mostBytes: number): string {
  const messages = [...older, ...tail];
  const words: string[] = [];
  let isFraming = false; // if steers are marked by a frame, a message without one is a request
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || !isSaidByUser(message)) continue;
    const quoted = isStored(message) ? undefined : textOf(message).split(quoteMark).slice(1).at(-1);
    if (!isStored(message) && quoted === undefined) continue;
    const { isFramed } = measureOf(message);
    const isAsked = quoted !== undefined || !isSteer(messages, index) || (isFraming && !isFramed);
    isFraming ||= isFramed;
    if (index < older.length) words.unshift(quoted ?? wordsIn(message));
    if (isAsked) break;
  }
  // Of many steers only the last two: together with the request they say what is wanted now.
  const quoted = words.length > 3 ? [...words.slice(0, 1), ...words.slice(-2)] : words;
  const quotes = quoted.map((each) => boundedText(each, Math.max(200, mostBytes / quoted.length)));
  return quotes.length === 0 ? '' : quoteMark + quotes.join('\n\n');
}
