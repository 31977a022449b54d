// Whether a block a model finished may stand in its answer: adapters are foreign code, transcripts must stay valid.

import type { Block } from '../conversation/block.ts';

/** What is wrong with the block as part of an assistant message, or undefined. Total on any value. */
export function answerBlockFault(block: Block): string | undefined {
  if (typeof block !== 'object' || block === null) return `it is ${block === null ? 'null' : `a ${typeof block}`}`;
  switch (block.type) {
    case 'text':
    case 'thinking':
      return isText(block.text) ? undefined : `a ${block.type} block needs a text`;
    case 'image':
    case 'document':
    case 'audio':
      return typeof block.source === 'object' && block.source !== null ? undefined : `${block.type} needs a source`;
    case 'toolCall':
      if (!isText(block.id) || !isText(block.name)) return 'a call needs id and name as strings';
      return (block.args === undefined) === (block.rawArgs === undefined)
        ? 'a call needs "args", or "rawArgs" where its arguments are no JSON, and not both'
        : undefined;
    case 'provider':
      return isText(block.provider) && isText(block.kind) ? undefined : 'a provider block needs provider and kind';
    case 'toolResult':
    case 'boundary':
      return `a block of type "${block.type}" cannot stand in an answer`;
    default:
      block satisfies never;
      return 'its type is unknown';
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
