// Turns what a caller submits into a message the transcript can take, or refuses it.

import { TurnchartError } from '../contracts/errors.ts';
import type { Host } from '../contracts/host.ts';
import type { Message } from '../conversation/message.ts';

/** A user message of this text or this very message. Throws `message.invalid`. */
export function acceptMessage(input: string | Message, host: Host): Message {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid('it is empty');
    return { id: host.createId('message'), role: 'user', content: [{ type: 'text', text: input }] };
  }
  const fault = submitFault(input);
  if (fault !== undefined) throw invalid(fault);
  return input;
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
  }
  const isBlank = message.content.every((block) => block.type === 'text' && String(block.text).trim() === '');
  return isBlank ? 'it is empty' : undefined;
}

function invalid(fault: string): TurnchartError {
  return new TurnchartError(
    'message.invalid',
    `The message cannot be submitted: ${fault}. Expected a non-empty string, or a message of role "user" with an id and at least one text, image, document or audio block.`,
  );
}
