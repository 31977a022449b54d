// The transcript of one conversation, and what is asked of it.

import type { Block, ToolCallBlock, ToolResultBlock } from './block.ts';
import type { Message } from './message.ts';

/**
 * The only mutable object. Its identity never changes: appends, reloads and rewrites change its contents in place.
 * Between turns you may also append, remove and replace messages: the next turn repairs what no longer fits. Never change
 * a message object itself, because that goes unnoticed; put a new one in its place.
 */
export interface Conversation {
  system: readonly Block[];
  messages: Message[];
}

/** A new conversation. A string becomes one text block; the array of messages is copied. */
export function createConversation(init?: {
  readonly system?: string | readonly Block[];
  readonly messages?: readonly Message[];
}): Conversation {
  const system = init?.system ?? [];
  return {
    system: typeof system === 'string' ? [{ type: 'text', text: system }] : system,
    messages: init?.messages ? [...init.messages] : [],
  };
}

/**
 * Calls of the last assistant message that have no result yet, in call order. Reads from the end, no further back than
 * that message.
 */
export function openCalls(conversation: Readonly<Conversation>): readonly ToolCallBlock[] {
  const { messages } = conversation;
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === 'assistant') return message.content.filter(isCall).filter((call) => !answered.has(call.id));
    for (const block of message?.content ?? []) if (block.type === 'toolResult') answered.add(block.callId);
  }
  return [];
}

/** True for tool calls. */
export function isCall(block: Block): block is ToolCallBlock {
  return block.type === 'toolCall';
}

/** True for tool results. */
export function isResult(block: Block): block is ToolResultBlock {
  return block.type === 'toolResult';
}
