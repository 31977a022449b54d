// Checks and copies the blocks that a model finished: adapters are foreign code, and transcripts must stay valid.

import { messageOf } from '../contracts/errors.ts';
import type { Block } from '../conversation/block.ts';
import { copyFields } from '../conversation/json-copy.ts';
import { blockFault } from '../conversation/store-fault.ts';

/**
 * The block as it goes into the answer, or why it cannot: a copy that shares nothing with the model's own, without
 * undefined fields at any depth. Arguments nested too deeply become `rawArgs`, with `argsText` as its text unless that is empty.
 * Never throws.
 */
export function answerBlock(given: unknown, argsText = ''): Block | string {
  try {
    if (typeof given !== 'object' || given === null) return blockFault(given) ?? '';
    const block: unknown = copyFields(given);
    const fault = blockFault(block) ?? answerFault(block as Block); // without a fault it is a block
    return fault ?? (block as Block);
  } catch (thrown) {
    // Endless nesting by a model is not a fault of its adapter.
    const call = thrown instanceof RangeError ? withArgsText(given, argsText) : undefined;
    return call === undefined ? messageOf(thrown) : answerBlock(call);
  }
}

function withArgsText(given: unknown, argsText: string): object | undefined {
  try {
    const { args, ...call } = given as { readonly args?: unknown }; // copied before, so it is an object
    if (args === undefined) return undefined;
    return { ...call, rawArgs: argsText === '' ? JSON.stringify(args) : argsText };
  } catch {
    return undefined; // a cycle, or too deep even for that
  }
}

function answerFault(block: Block): string | undefined {
  switch (block.type) {
    case 'toolCall':
      return (block.args === undefined) === (block.rawArgs === undefined)
        ? 'a call needs "args", or "rawArgs" if its arguments are not JSON, and not both'
        : undefined;
    case 'toolResult':
    case 'boundary':
      return `a block of type "${block.type}" cannot be part of an answer`;
    default:
      return undefined;
  }
}
