// The words of messages, and which messages the user asked something in. Called where words replace messages.

import type { Block, DocumentBlock, ImageBlock } from '../conversation/block.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';

/** A block as text. Media are only named, with their type; `attach` may add how they are attached. */
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

/** The whole message as text: first its text blocks, then the others. */
export function wordsIn({ content }: Message): string {
  const written = content.filter(({ type }) => type === 'text');
  return [...written, ...content.filter(({ type }) => type !== 'text')].map((block) => wordsOf(block)).join('\n');
}

/** True for user messages other than boundaries. */
export function isSaidByUser(message: Message): boolean {
  const { role, boundary } = measureOf(message);
  return role === 'user' && boundary === undefined;
}

/** True if the user message at `index` was steered into a running turn, which still works on an earlier request. */
export function isSteer(messages: readonly Message[], index: number): boolean {
  const [before, message] = [messages[index - 1], messages[index]];
  return (
    (message !== undefined && measureOf(message).isFramed) ||
    (before !== undefined && measureOf(before).role === 'tool')
  );
}

/** The message's id; empty if there is no message. */
export function idOf(message: Message | undefined): string {
  return message === undefined ? '' : measureOf(message).id;
}

/** The index of the message with this id; -1 if it is missing. */
export function placeOf(messages: readonly Message[], id: string | undefined): number {
  return id === undefined ? -1 : messages.findLastIndex((message) => measureOf(message).id === id);
}
