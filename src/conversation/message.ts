// One message of a transcript, and how to make and read it.

import type { Block } from './block.ts';
import { createId } from './identity.ts';
import type { Meta } from './json.ts';

/** `tool` messages hold the results of the assistant message before them. */
export type Role = 'user' | 'assistant' | 'tool';

/** Never changes once it is in a transcript. `id` is ours; a provider's own id is in `meta.providerId`. */
export interface Message {
  readonly id: string;
  readonly role: Role;
  readonly content: readonly Block[];
  readonly meta?: Meta;
}

/** What `userMessage` and `assistantMessage` take besides the content. */
export interface MessageOptions {
  /** Default: a fresh random id. */
  readonly id?: string;
  readonly meta?: Meta;
}

/** A message from the user. A string becomes one text block. */
export function userMessage(content: string | readonly Block[], options?: MessageOptions): Message {
  return message('user', content, options);
}

/** A message from the model, for histories built by hand. A string becomes one text block. */
export function assistantMessage(content: string | readonly Block[], options?: MessageOptions): Message {
  return message('assistant', content, options);
}

/** The message's text blocks joined without a separator; other blocks are left out. */
export function textOf(message: Message): string {
  let text = '';
  for (const block of message.content) if (block.type === 'text') text += block.text;
  return text;
}

function message(role: Role, content: string | readonly Block[], options?: MessageOptions): Message {
  return {
    id: options?.id ?? createId('message'),
    role,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    ...(options?.meta === undefined ? {} : { meta: options.meta }),
  };
}
