// The one place that changes a transcript. Each change is announced: append by append, or as a replacement.

import type { EngineEvent } from '../contracts/events.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import type { Block } from '../conversation/block.ts';

/** Who is told of a change. */
export interface TranscriptAudience {
  push(event: EngineEvent): void;
}

/** Puts a message at the end and announces it as `message.appended`. */
export function appendMessage(conversation: Conversation, message: Message, audience: TranscriptAudience): void {
  const index = conversation.messages.push(message) - 1;
  audience.push({ type: 'message.appended', message, index });
}

/** Replaces the contents in place, so that everybody who holds the conversation sees them; announces `transcript.replaced`. */
export function replaceContents(
  conversation: Conversation,
  contents: { readonly system: readonly Block[]; readonly messages: readonly Message[] },
  by: string,
  audience: TranscriptAudience,
): void {
  putContents(conversation, contents);
  audience.push({ type: 'transcript.replaced', by, messages: conversation.messages.length });
}

/** Replaces the contents in place without announcing it, for repairs before anybody listens. */
export function putContents(
  conversation: Conversation,
  contents: { readonly system: readonly Block[]; readonly messages: readonly Message[] },
): void {
  const next = contents.messages === conversation.messages ? undefined : contents.messages;
  conversation.system = contents.system;
  if (next === undefined) return;
  conversation.messages.length = 0;
  for (const message of next) conversation.messages.push(message);
}
