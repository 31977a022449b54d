// Checks that a conversation is one that every provider accepts. Tests run it after every turn.

import type { Block } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { pairingFault } from '../conversation/pairing.ts';
import { isResultStatus } from '../conversation/result-status.ts';

/** Options of `verifyTranscript`. */
export interface VerifyTranscriptOptions {
  /** Whether the calls of the last message may have no results yet, as while tools run. Default false. */
  readonly openTail?: boolean;
}

/**
 * Throws an Error that names the first fault: a malformed message or block, a duplicate id, a call without exactly one
 * result in the next message, a result without its call, a boundary that is not alone in a user message.
 */
export function verifyTranscript(conversation: Readonly<Conversation>, options: VerifyTranscriptOptions = {}): void {
  const fault =
    pairingFault(conversation.messages, options) ??
    blocksFault(conversation.system, 'system') ??
    messagesFault(conversation);
  if (fault !== undefined) throw new Error(`verifyTranscript: ${fault}.`);
}

function messagesFault({ messages }: Readonly<Conversation>): string | undefined {
  for (const [index, { content, role }] of messages.entries()) {
    const place = `messages[${index}]`;
    const fault = blocksFault(content, `${place}.content`);
    if (fault !== undefined) return fault;
    const hasBoundary = content.some((block) => block.type === 'boundary');
    if (hasBoundary && (role !== 'user' || content.length > 1)) {
      return `${place}: a boundary must be alone in a user message, but this ${role} message has ${content.length} blocks`;
    }
    const stranger = role === 'tool' ? content.find((block) => block.type !== 'toolResult') : undefined;
    if (stranger !== undefined)
      return `${place}: a tool message must hold only results, but this one has a ${stranger.type} block`;
  }
  return undefined;
}

function blocksFault(blocks: unknown, place: string): string | undefined {
  if (!Array.isArray(blocks)) return `${place}: expected an array of blocks, got ${typeof blocks}`;
  for (const [index, block] of blocks.entries()) {
    const fault = blockFault(block as Block);
    if (fault !== undefined) return `${place}[${index}]: ${fault}`;
  }
  return undefined;
}

// Checked although the types say it, because transcripts also come from stores and from models of others.
function blockFault(block: Block): string | undefined {
  switch (block?.type) {
    case 'text':
    case 'thinking':
      return expectString(block, 'text');
    case 'image':
    case 'audio':
    case 'document':
      return typeof block.source === 'object' && block.source !== null ? undefined : `${block.type} without a source`;
    case 'toolCall':
      return expectString(block, 'id') ?? expectString(block, 'name') ?? argumentsFault(block);
    case 'toolResult':
      if (!isResultStatus(block.status)) return `toolResult with an unknown status, ${JSON.stringify(block.status)}`;
      return expectString(block, 'callId') ?? resultFault(block.content);
    case 'boundary':
      return expectString(block, 'summary') ?? expectString(block, 'keepFrom');
    case 'provider':
      return expectString(block, 'provider') ?? expectString(block, 'kind');
    default:
      return `expected a block, got ${JSON.stringify(block)}`;
  }
}

function argumentsFault(block: Extract<Block, { type: 'toolCall' }>): string | undefined {
  if ((block.args === undefined) !== (block.rawArgs === undefined)) return undefined;
  const both = block.args === undefined ? 'neither args nor rawArgs' : 'both args and rawArgs';
  return `toolCall ${JSON.stringify(block.id)} with ${both}; it must have args if they are JSON, else rawArgs`;
}

function resultFault(content: unknown): string | undefined {
  const fault = blocksFault(content, 'content');
  if (fault !== undefined || !Array.isArray(content)) return fault;
  const stranger = (content as readonly Block[]).find(({ type }) => !['text', 'image', 'document'].includes(type));
  return stranger === undefined ? undefined : `toolResult with a ${stranger.type} block, which results cannot contain`;
}

function expectString(block: Block, key: string): string | undefined {
  const value: unknown = Reflect.get(block, key);
  return typeof value === 'string' ? undefined : `${block.type}.${key} must be a string, got ${typeof value}`;
}
