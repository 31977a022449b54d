// Turns request bodies that the API would refuse into ones it accepts, where the caller did not ask for the difference.
// Called by the request encoder with the finished body.

import { listOf, recordOf, textAt, type JsonRecord } from '../json-reading.ts';
import type { ContentParam } from './encode-content.ts';
import type { MessageParam } from './encode-messages.ts';

/** A body with its messages, whatever else is in it. */
export interface Body {
  readonly messages: readonly MessageParam[];
  readonly [key: string]: unknown;
}

/**
 * Defines the tools that the history called; turns manual thinking off where the API forbids it; and with `dropsUnbound`
 * (which needs `bindingBeta`) lets the API drop, not refuse, thinking that no longer fits the messages before it.
 */
export function accepted(body: Body, dropsUnbound: boolean): Body {
  const complete = withTools(body);
  const thinking = recordOf(complete['thinking']);
  if (thinking?.['type'] === 'enabled' && !mayThink(complete)) return withoutThinking(complete);
  return dropsUnbound ? withBinding(complete, thinking) : complete;
}

/** The beta that allows `block_binding`. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** The API wants tools defined once one was called. If there are none to offer, they are named but may not be called. */
function withTools(body: Body): Body {
  if ((listOf(body['tools'])?.length ?? 0) > 0) return body;
  const calls = body.messages.flatMap(({ content }) => content.filter((block) => block['type'] === 'tool_use'));
  const names = new Set(calls.map((call) => textAt(call, 'name')).filter((name) => name !== undefined));
  if (names.size === 0) return body;
  const tools = [...names].map((name) => ({
    name,
    description: 'Called earlier in this conversation. Not available now.',
    input_schema: { type: 'object' },
  }));
  return { ...body, tools, tool_choice: { type: 'none' } };
}

/** Manual thinking allows no forced call, and every tool loop must begin with it, which one that another model began does not. */
function mayThink(body: Body): boolean {
  const choice = textAt(recordOf(body['tool_choice']), 'type');
  if (choice === 'any' || choice === 'tool') return false;
  const first = body.messages[loopStart(body.messages)];
  return first === undefined || isThinking(first.content.find((block) => block['type'] !== 'compaction'));
}

/** Where the unfinished answer begins: after the user's last message. The number of messages if there is none. */
function loopStart(messages: readonly MessageParam[]): number {
  const isOpen = ({ role, content }: MessageParam): boolean =>
    role === 'assistant' || content.some((block) => block['type'] === 'tool_result');
  return messages.findLastIndex((message) => !isOpen(message)) + 1;
}

/** If thinking is off, the unfinished answer must not contain any. */
function withoutThinking(body: Body): Body {
  const start = loopStart(body.messages);
  const messages = body.messages
    .map((message, position) =>
      position < start || message.role !== 'assistant'
        ? message
        : { ...message, content: message.content.filter((block) => !isThinking(block)) },
    )
    .filter(({ content }) => content.length > 0);
  return { ...body, thinking: { type: 'disabled' }, messages };
}

function withBinding(body: Body, thinking: JsonRecord | undefined): Body {
  // Fable also thinks if `thinking` is not set.
  const type = thinking === undefined && /fable/.test(String(body['model'])) ? 'adaptive' : thinking?.['type'];
  if ((type !== 'adaptive' && type !== 'enabled') || thinking?.['block_binding'] !== undefined) return body;
  return { ...body, thinking: { ...thinking, type, block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
}

function isThinking(block: ContentParam | undefined): boolean {
  return block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking';
}
