// The transcript of one conversation and the questions asked of it.

import type { Block, ToolCallBlock } from './block.ts';
import type { Message } from './message.ts';

/** The one mutable holder; its identity never changes: appends, reloads and rewrites change its contents in place. */
export interface Conversation {
  system: readonly Block[];
  messages: Message[];
}

/** A new conversation. A string becomes one text block; the messages are copied into an array of its own. */
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

/** Calls of the last assistant message that have no result yet, in call order. */
export function openCalls(conversation: Readonly<Conversation>): readonly ToolCallBlock[] {
  const { messages } = conversation;
  const last = messages.at(-1);
  const answers = last?.role === 'tool' ? last : undefined;
  const asked = answers ? messages.at(-2) : last;
  if (asked?.role !== 'assistant') return [];
  const answered = new Set<string>();
  for (const block of answers?.content ?? []) if (block.type === 'toolResult') answered.add(block.callId);
  return asked.content.filter((block): block is ToolCallBlock => block.type === 'toolCall' && !answered.has(block.id));
}
