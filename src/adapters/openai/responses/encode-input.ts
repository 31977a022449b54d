// A conversation → the input items of a Responses request. Called by encode.ts.

import type { ToolCallBlock } from '../../../conversation/block.ts';
import type { Message } from '../../../conversation/message.ts';
import type { Block } from '../../../conversation/block.ts';
import { objectOf, textAt, type JsonObject } from '../json-fields.ts';
import type { Target } from '../target.ts';
import { inputParts } from './content.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeResult } from './encode-result.ts';

/** The items, in order. Compaction boundaries and messages that become empty are left out. */
export function encodeInput(messages: readonly Message[], target: Target): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let asked: readonly ToolCallBlock[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'assistant':
        asked = message.content.filter((block) => block.type === 'toolCall');
        items.push(...encodeAnswer(message, target));
        break;
      case 'tool':
        for (const block of message.content) {
          if (block.type !== 'toolResult') continue;
          items.push(
            encodeResult(
              block,
              asked.find((call) => call.id === block.callId),
              target,
            ),
          );
        }
        items.push(...encodeUser(message.content, target));
        break;
      case 'user':
        items.push(...encodeUser(message.content, target));
        break;
    }
  }
  return items;
}

/** A user message. This server's own items among its blocks (such as an approval of an MCP call) become separate items. */
function encodeUser(blocks: readonly Block[], target: Target): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let run: Block[] = [];
  const flush = (): void => {
    const parts = inputParts(run, target);
    run = [];
    if (parts.length === 0) return;
    const text = parts.length === 1 ? textAt(parts[0], 'text') : undefined;
    items.push({ role: 'user', content: text ?? parts });
  };
  for (const block of blocks) {
    const own = block.type === 'provider' && block.provider === target.provider ? objectOf(block.data) : undefined;
    if (own === undefined) run.push(block);
    else {
      flush();
      items.push(own);
    }
  }
  flush();
  return items;
}
