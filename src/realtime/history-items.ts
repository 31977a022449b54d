// Converts a stored conversation into the items a new session starts with. Called by the session before it is ready.

import type { Block, ImageBlock, TextBlock } from '../conversation/block.ts';
import type { Message } from '../conversation/message.ts';
import { resultText } from './result-text.ts';
import type { WireItem } from './wire.ts';

/**
 * Text, images, calls and their results, in order. Speech becomes its transcript; thinking and provider-specific blocks
 * are left out, because no voice session accepts them. A compaction becomes its summary, without what it replaced.
 */
export function historyItems(messages: readonly Message[]): readonly WireItem[] {
  return afterBoundary(messages).flatMap(itemsOf);
}

function afterBoundary(messages: readonly Message[]): readonly Message[] {
  const boundary = messages.flatMap(({ content }) => content.filter((block) => block.type === 'boundary')).at(-1);
  if (boundary === undefined) return messages;
  const from = messages.findIndex(({ id }) => id === boundary.keepFrom);
  const kept = (from < 0 ? [] : messages.slice(from)).filter(
    ({ content }) => !content.some(({ type }) => type === 'boundary'),
  );
  return [{ id: `${boundary.keepFrom}.summary`, role: 'user', content: [textBlock(boundary.summary)] }, ...kept];
}

function itemsOf({ role, content }: Message): readonly WireItem[] {
  const items: WireItem[] = [];
  let parts: (TextBlock | ImageBlock)[] = [];
  const flush = () => {
    if (parts.length > 0)
      items.push({ kind: 'message', role: role === 'assistant' ? 'assistant' : 'user', content: parts });
    parts = [];
  };
  for (const block of content) {
    const part = partOf(block, role);
    if (part !== undefined) parts.push(part);
    const item = itemOf(block);
    if (item === undefined) continue;
    flush();
    items.push(item);
  }
  flush();
  return items;
}

function partOf(block: Block, role: Message['role']): TextBlock | ImageBlock | undefined {
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : textBlock(block.text);
    case 'audio':
      return block.transcript === undefined || block.transcript === '' ? undefined : textBlock(block.transcript);
    case 'document':
      return block.source.type === 'text' ? textBlock(block.source.text) : undefined;
    case 'image':
      return role === 'assistant' ? undefined : block; // no provider takes an image as its own words
    case 'thinking':
    case 'toolCall':
    case 'toolResult':
    case 'boundary':
    case 'provider':
      return undefined;
  }
}

function itemOf(block: Block): WireItem | undefined {
  if (block.type === 'toolCall') {
    const rawArgs = block.args === undefined ? (block.rawArgs ?? '') : JSON.stringify(block.args);
    return { kind: 'call', callId: block.id, name: block.name, rawArgs };
  }
  if (block.type === 'toolResult') return { kind: 'result', callId: block.callId, output: resultText(block) };
  return undefined;
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}
