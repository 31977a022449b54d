// Turns what a caller submits into a message the transcript can take, or refuses it.

import { TurnchartError } from '../contracts/errors.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { Block } from '../conversation/block.ts';
import type { Message } from '../conversation/message.ts';
import { answerBlockFault } from '../services/answer-block.ts';

/**
 * A user message of this text, or a copy of this message: what its owner does to it later changes nothing. A text never
 * gets an id that `isTaken`. Throws `message.invalid`.
 */
export function acceptMessage(input: string | Message, host: Host, isTaken: (id: string) => boolean): Message {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid('it is empty');
    const id = host.createId('message');
    // A text under the id of another message would pass for that one, and be lost.
    const own = isTaken(id) ? defaultHost.createId('message') : id;
    return { id: own, role: 'user', content: [{ type: 'text', text: input }] };
  }
  const message = copyOf(input);
  const fault = submitFault(message);
  if (fault !== undefined) throw invalid(fault);
  return message;
}

// Message and blocks; what is no message stays as it is, to be refused.
function copyOf(message: Message): Message {
  if (typeof message !== 'object' || message === null) return message;
  const { content } = message;
  if (!Array.isArray(content)) return { ...message };
  const isBlock = (block: unknown) => typeof block === 'object' && block !== null;
  return { ...message, content: content.map((block: Block) => (isBlock(block) ? { ...block } : block)) };
}

/** Why a message cannot be submitted, to follow "because"; undefined when it can. */
export function submitFault(message: Message): string | undefined {
  if (typeof message !== 'object' || message === null)
    return `it is ${message === null ? 'null' : `a ${typeof message}`}`;
  if (typeof message.id !== 'string' || message.id === '') return 'its id is not a non-empty string';
  if (message.role !== 'user') return `its role is "${String(message.role)}"`;
  if (!Array.isArray(message.content) || message.content.length === 0) return 'its content is not a non-empty array';
  for (const block of message.content) {
    if (typeof block !== 'object' || block === null || typeof block.type !== 'string') return 'a block has no type';
    if (block.type === 'toolCall' || block.type === 'toolResult') return `it holds a block of type "${block.type}"`;
    const fault = blockFault(block);
    if (fault !== undefined) return fault;
  }
  const isBlank = message.content.every((block) => block.type === 'text' && String(block.text).trim() === '');
  return isBlank ? 'it is empty' : undefined;
}

// What is malformed could never be stored: the whole conversation would be lost with it.
function blockFault(block: Block): string | undefined {
  if (block.type !== 'boundary') return answerBlockFault(block);
  const { summary, keepFrom } = block;
  if (typeof summary === 'string' && typeof keepFrom === 'string') return undefined;
  return 'a boundary block needs summary and keepFrom as strings';
}

function invalid(fault: string): TurnchartError {
  return new TurnchartError(
    'message.invalid',
    `The message cannot be submitted: ${fault}. Expected a non-empty string, or a message of role "user" with an id and at least one text, image, document or audio block.`,
  );
}
