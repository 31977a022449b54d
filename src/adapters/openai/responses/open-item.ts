// Chooses how an output item is written as blocks. Called by the item sequence, in item order.

import type { Output } from '../answer-decoder.ts';
import { textAt, type JsonObject } from '../json-fields.ts';
import { writeClientCall, writeCustomCall, writeFunctionCall, isForClient } from './call-writer.ts';
import { writeHosted } from './hosted-writer.ts';
import { writeMessage } from './message-writer.ts';
import { writeReasoning } from './reasoning-writer.ts';
import type { ItemWriter } from './item-writer.ts';

/** The writer for an item, chosen by its first form. `customTools` = names of the custom tools that the client offers. */
export function openItem(item: JsonObject, output: Output, customTools: ReadonlySet<string>): ItemWriter {
  switch (item['type']) {
    case 'message':
      return writeMessage(item, output);
    case 'reasoning':
      return writeReasoning(item, output);
    case 'function_call':
      return writeFunctionCall(item, output);
    case 'custom_tool_call':
      // Some servers (xAI) run their own custom tools: a call of a tool that was not offered is not for the client.
      return customTools.has(textAt(item, 'name') ?? '') ? writeCustomCall(item, output) : writeHosted(output);
    default:
      return isForClient(item) ? writeClientCall(item, output) : writeHosted(output);
  }
}

/** What an event reveals about its item, for servers that do not announce items. */
export function itemImpliedBy(event: JsonObject, type: string): JsonObject {
  const id = event['item_id'] === undefined ? {} : { id: event['item_id'] };
  if (type.startsWith('response.reasoning_')) return { type: 'reasoning', ...id };
  if (type.startsWith('response.function_call_arguments.')) return { type: 'function_call', ...id };
  return { type: 'message', ...id };
}
