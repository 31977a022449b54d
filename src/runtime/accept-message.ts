// Turns what a caller submits into a message the transcript can take, or refuses it.

import { TurnchartError } from '../contracts/errors.ts';
import type { Host } from '../contracts/host.ts';
import type { Block } from '../conversation/block.ts';
import type { Message } from '../conversation/message.ts';
import { answerBlockFault } from '../services/answer-block.ts';
import { describeValue } from '../tools/describe-value.ts';
import { isOrdinaryObject } from '../tools/plain-copy.ts';
import { freshId } from './fresh-ids.ts';

/**
 * A user message of this text, or a copy of this message: what its owner does to it later changes nothing. A text never
 * gets an id that `isTaken`: it would pass for that message, and be lost. Throws `message.invalid`.
 */
export function acceptMessage(input: string | Message, host: Host, isTaken: (id: string) => boolean): Message {
  const message = typeof input === 'string' ? messageOf(input, freshId(host, isTaken)) : copyOf(input);
  const fault = submitFault(message);
  if (fault === undefined) return message;
  throw new TurnchartError(
    'message.invalid',
    `The message cannot be submitted: ${fault}. Expected a non-empty string, or a message of role "user" with an id and at least one text, image, document or audio block.`,
  );
}

function messageOf(text: string, id: string): Message {
  return { id, role: 'user', content: [{ type: 'text', text }] };
}

// Message and blocks; what is no message stays as it is, to be refused.
function copyOf(message: Message): Message {
  if (typeof message !== 'object' || message === null) return message;
  const { meta, ...copy } = message;
  const content = Array.isArray(copy.content) ? copy.content.map((block: Block) => ({ ...block })) : copy.content;
  return { ...copy, content, ...(meta === undefined ? {} : { meta }) };
}

/** Why a message cannot be submitted, to follow "because"; undefined when it can. */
export function submitFault(message: Message): string | undefined {
  if (typeof message !== 'object' || message === null) return `it is ${describeValue(message)}`;
  if (typeof message.id !== 'string' || message.id === '') return 'its id is not a non-empty string';
  if (message.role !== 'user') return `its role is "${String(message.role)}"`;
  if (!Array.isArray(message.content) || message.content.length === 0) return 'its content is not a non-empty array';
  let isBlank = true;
  // As nearly every message is: texts, and nothing beside them that would have to be looked into.
  let isPlain = message.meta === undefined && Object.keys(message).length === 3;
  for (const block of message.content) {
    if (typeof block !== 'object' || block === null || typeof block.type !== 'string') return 'a block has no type';
    if (!fromUsers.has(block.type)) return `it holds a block of type "${block.type}"`;
    const fault = answerBlockFault(block);
    if (fault !== undefined) return fault;
    isBlank &&= block.type === 'text' && block.text.trim() === '';
    isPlain &&= block.type === 'text' && Object.keys(block).length === 2;
  }
  if (isBlank) return 'it is empty';
  return isPlain ? undefined : jsonFault(message);
}

// All others only models, tools and compactions write.
const fromUsers: ReadonlySet<string> = new Set<Block['type']>(['text', 'image', 'document', 'audio']);

// What JSON would lose or change could never be stored: the whole conversation would be lost with it.
function jsonFault(message: Message): string | undefined {
  if (message.meta !== undefined && (typeof message.meta !== 'object' || message.meta === null)) {
    return 'its meta is no object';
  }
  try {
    return isJson(message) ? undefined : 'it holds something that is no JSON, as undefined or an instance of a class';
  } catch {
    return 'it holds a cycle, or data that is nested too deeply';
  }
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) {
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  }
  if (Array.isArray(value)) return value.findIndex((item) => !isJson(item)) < 0; // unlike `every`, it sees holes
  return isOrdinaryObject(value) && Object.values(value).every(isJson);
}
