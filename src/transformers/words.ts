// What messages say in words, and what in them the user asked for. Called where messages go and words about them stay.

import type { Block, DocumentBlock, ImageBlock } from '../conversation/block.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';

/** A block as text. Media have a name and a type only; `attach` may say how they are shown besides. */
export function wordsOf(block: Block, attach?: (media: ImageBlock | DocumentBlock) => string): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'toolCall':
      return `[calls ${block.name} ${block.rawArgs ?? JSON.stringify(block.args)}]`;
    case 'toolResult':
      return `[${block.status}] ${block.content.map((content) => wordsOf(content, attach)).join('\n')}`;
    case 'image':
    case 'document': {
      const { source } = block;
      const title = block.type === 'document' && block.title !== undefined ? ` "${block.title}"` : '';
      if (source.type === 'text') return `[document${title}]\n${source.text}`;
      const from = source.type === 'file' ? '' : ` ${source.type === 'url' ? source.url : source.mediaType}`;
      return `[${block.type}${title}${from}${attach?.(block) ?? ''}]`;
    }
    case 'audio':
      return `[audio] ${block.transcript ?? ''}`;
    default:
      return `[${block.type}]`;
  }
}

/** All that a message says, in words: first what was written, then what came with it. */
export function wordsIn({ content }: Message): string {
  const written = content.filter(({ type }) => type === 'text');
  return [...written, ...content.filter(({ type }) => type !== 'text')].map((block) => wordsOf(block)).join('\n');
}

/** Somebody said it, other than a boundary. */
export function isSaidByUser(message: Message): boolean {
  const { role, boundary } = measureOf(message);
  return role === 'user' && boundary === undefined;
}

/** The user message at `index` came into a turn under way: what was asked before it is worked on still. */
export function isSteer(messages: readonly Message[], index: number): boolean {
  const [before, message] = [messages[index - 1], messages[index]];
  return (
    (message !== undefined && measureOf(message).isFramed) ||
    (before !== undefined && measureOf(before).role === 'tool')
  );
}

/** The message's id; empty where there is no message. */
export function idOf(message: Message | undefined): string {
  return message === undefined ? '' : measureOf(message).id;
}

/** Where the message with this id stands; -1 when it is not there. */
export function placeOf(messages: readonly Message[], id: string | undefined): number {
  return id === undefined ? -1 : messages.findLastIndex((message) => measureOf(message).id === id);
}
