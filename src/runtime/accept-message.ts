// Turns what a caller submits into a message the transcript can take, or refuses it.

import { TurnchartError } from '../contracts/errors.ts';
import type { Host } from '../contracts/host.ts';
import type { Block } from '../conversation/block.ts';
import { copyJson } from '../conversation/json-copy.ts';
import type { Message } from '../conversation/message.ts';
import { blockFault, levelsAroundData, metaFault } from '../conversation/store-fault.ts';
import { describeValue } from '../tools/describe-value.ts';
import { freshId } from './fresh-ids.ts';

/**
 * A user message of this text, or a copy of this message: what its owner does to it later changes nothing. A text never
 * gets an id that `isTaken`: it would pass for that message, and be lost. Throws `message.invalid`.
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
    const message = copyOf(given as Message); // every field is looked at next
    return submitFault(message) ?? message;
  } catch (thrown) {
    // What JSON would lose or change could never be stored: the whole conversation would be lost with it.
    return thrown instanceof Error ? thrown.message : 'it cannot be read';
  }
}

// A meta that is undefined is none.
function copyOf(message: Message): Message {
  const { meta, ...rest } = message;
  if (meta === undefined && isPlain(rest)) return { ...rest, content: rest.content.map((block) => ({ ...block })) };
  return copyJson(meta === undefined ? rest : message, levelsAroundData) as unknown as Message;
}

// As nearly every message is: texts, and nothing beside them that would have to be looked into.
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

// All others only models, tools and compactions write.
const fromUsers: ReadonlySet<string> = new Set<Block['type']>(['text', 'image', 'document', 'audio']);
