// Facts about a message that transformers need repeatedly, read once. Called by groups, tallies and transformers.

import type { Block, BoundaryBlock, ResultContent } from './block.ts';
import { isCall, isResult } from './conversation.ts';
import type { Message, Role } from './message.ts';
import { countTokens, utf8Length } from './tokens.ts';

/** Facts about one message. */
export interface Measure {
  readonly id: string;
  readonly role: Role;
  readonly tokens: number;
  /** Bytes of each result, in order. */
  readonly results: readonly number[];
  /** The compaction, if the message holds one and nothing else. */
  readonly boundary: BoundaryBlock | undefined;
  /** Names of the tools it calls. */
  readonly calls: readonly string[];
  /** The message was steered into a running turn (`meta.frame` is set). */
  readonly isFramed: boolean;
  /** It holds thinking that its provider accepts only if everything before it is unchanged. */
  readonly isBound: boolean;
}

const measures = new WeakMap<Message, Measure>();
const none: readonly never[] = [];

/**
 * About how many tokens a message costs, counted once. Never throws: of a malformed message what can be read counts.
 */
export function tokensIn(message: Message): number {
  try {
    return measureOf(message).tokens;
  } catch {
    return countTokens(message);
  }
}

/** Reads each message only once. Messages must not be changed in place. */
export function measureOf(message: Message): Measure {
  const known = measures.get(message);
  if (known !== undefined) return known;
  const { id, role, content, meta } = message;
  const only = content.length === 1 && role === 'user' ? content[0] : undefined;
  const measure: Measure = {
    id,
    role,
    tokens: countTokens({ content }),
    results: role === 'tool' ? content.filter(isResult).map(resultBytes) : none,
    boundary: only?.type === 'boundary' ? only : undefined,
    calls: role === 'assistant' ? content.filter(isCall).map(({ name }) => name) : none,
    isFramed: meta?.['frame'] !== undefined,
    isBound: role === 'assistant' && content.some(isBound),
  };
  measures.set(message, measure);
  return measure;
}

// A signature covers everything before it. So does encrypted thinking, unless it is an item with its own id.
function isBound(block: Block): boolean {
  return (
    block.type === 'thinking' &&
    (block.signature !== undefined || (block.encrypted !== undefined && block.data === undefined))
  );
}

/** Bytes of a result: its texts as UTF-8, media by their size. */
export function resultBytes({ content }: Extract<Block, { type: 'toolResult' }>): number {
  return content.reduce((sum, block) => sum + contentBytes(block), 0);
}

/** Bytes of one block of a result. What only the provider can fetch counts as the length of its address. */
export function contentBytes(block: ResultContent): number {
  if (block.type === 'text') return utf8Length(block.text);
  const { source } = block;
  if (source.type === 'base64') return Math.floor(source.data.length * 0.75);
  return utf8Length(source.type === 'text' ? source.text : source.type === 'url' ? source.url : source.fileId);
}
