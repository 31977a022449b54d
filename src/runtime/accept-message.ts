// Turns what a caller submits into a message for the transcript, or refuses it.

import { TurnchartError } from '../contracts/errors.ts';
import type { Host } from '../contracts/host.ts';
import type { Block } from '../conversation/block.ts';
import { copyJson } from '../conversation/json-copy.ts';
import type { Message } from '../conversation/message.ts';
import { blockFault, levelsAroundData, metaFault } from '../conversation/store-fault.ts';
import { describeValue } from '../tools/describe-value.ts';
import { freshId } from './fresh-ids.ts';

/**
 * A user message with this text, or a copy of this message, unaffected by later changes to the original. A text never
 * gets an id that is taken: it would be mistaken for that message and lost. Throws `message.invalid`.
 */
export function acceptMessage(input: string | Message, host: Host, isTaken: (id: string) => boolean): Message {
  const message = submittable(typeof input === 'string' ? messageOf(input, freshId(host, isTaken)) : input);
  if (typeof message !== 'string') return message;
  throw new TurnchartError(
    'message.invalid',
    `The message cannot be submitted: ${message}. Expected a non-empty string, or a message of role "user" with an id and at least one text, image, document or audio block.`,
  );
}

function messageOf(text: string, id: string): Message {
  return { id, role: 'user', content: [{ type: 'text', text }] };
}

/** A copy that shares nothing with the message, or why it cannot be submitted, to follow "because". Never throws. */
export function submittable(given: unknown): Message | string {
  if (typeof given !== 'object' || given === null) return `it is ${describeValue(given)}`;
  try {
    const message = copyOf(given as Message); // every field is checked next
    return submitFault(message) ?? message;
  } catch (thrown) {
    // A message that JSON would change cannot be stored, and would take the whole conversation with it.
    return thrown instanceof Error ? thrown.message : 'it cannot be read';
  }
}

function copyOf(message: Message): Message {
  if (isPlain(message)) return { ...message, content: message.content.map((block) => ({ ...block })) };
  return copyJson(message, levelsAroundData) as unknown as Message;
}

// True for nearly every message: only texts, with nothing else that would need a check.
function isPlain(message: Message): boolean {
  return (
    Object.keys(message).length === 3 &&
    Array.isArray(message.content) &&
    message.content.every((block) => block?.type === 'text' && Object.keys(block).length === 2)
  );
}

function submitFault({ id, role, content, meta }: Message): string | undefined {
  if (typeof id !== 'string' || id === '') return 'its id is not a non-empty string';
  if (role !== 'user') return `its role is "${String(role)}"`;
  if (!Array.isArray(content) || content.length === 0) return 'its content is not a non-empty array';
  let isBlank = true;
  for (const block of content) {
    if (typeof block?.type !== 'string') return 'a block has no type';
    if (!fromUsers.has(block.type)) return `it holds a block of type "${block.type}"`;
    const fault = blockFault(block);
    if (fault !== undefined) return fault;
    isBlank &&= block.type === 'text' && block.text.trim() === '';
  }
  return isBlank ? 'it is empty' : metaFault(meta);
}

// Only models, tools and compactions write blocks of other types.
const fromUsers: ReadonlySet<string> = new Set<Block['type']>(['text', 'image', 'document', 'audio']);
