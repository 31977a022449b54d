// The one place that changes a transcript. Each change is announced: append by append, or as a replacement.

import type { EngineEvent } from '../contracts/events.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { forgetTally } from '../conversation/tally.ts';
import type { Block } from '../conversation/block.ts';

/** Where a turn's events go. */
export interface EventSink {
  push(event: EngineEvent): void;
  /** Events pushed during `work` belong together: listeners run only after all of them are pushed. */
  together?(work: () => void): void;
}

/** Makes a change and pushes its events as one: a listener that reacts finds the change complete. */
export function tellTogether(events: EventSink, work: () => void): void {
  if (events.together === undefined) work();
  else events.together(work);
}

/** Puts a message at the end and announces it as `message.appended`. */
export function appendMessage(conversation: Conversation, message: Message, events: EventSink): void {
  const index = conversation.messages.push(message) - 1;
  events.push({ type: 'message.appended', message, index });
}

/**
 * Replaces the contents in place, so that everybody who holds the conversation sees them; announces
 * `transcript.replaced`.
 */
export function replaceContents(
  conversation: Conversation,
  contents: { readonly system: readonly Block[]; readonly messages: readonly Message[] },
  by: string,
  events: EventSink,
): void {
  putContents(conversation, contents);
  events.push({ type: 'transcript.replaced', by, messages: conversation.messages.length });
}

/** Replaces the contents in place without announcing it, for repairs before anybody listens. */
export function putContents(
  conversation: Conversation,
  contents: { readonly system: readonly Block[]; readonly messages: readonly Message[] },
): void {
  const next = contents.messages === conversation.messages ? undefined : contents.messages;
  conversation.system = contents.system;
  if (next === undefined) return;
  forgetTally(conversation.messages);
  conversation.messages.length = 0;
  for (const message of next) conversation.messages.push(message);
}
