// Our transcript → Anthropic's `messages`: roles merged, results first, accepted ids. Called by the request encoder.

import type { Block, ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { Message } from '../../conversation/message.ts';
import { recordOf, textAt } from '../json-reading.ts';
import { acceptedToolName } from '../tool-name.ts';
import { providerName } from './blocks.ts';
import { createCallIds, type CallIds } from './call-ids.ts';
import {
  audioParam,
  describedMedia,
  documentParam,
  imageParam,
  providerParam,
  recordAsParam,
  resultParam,
  saidParam,
  textParam,
  thinkingParam,
  type ContentParam,
} from './encode-content.ts';

/** One entry of `messages`. */
export interface MessageParam {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentParam[];
}

/**
 * The messages to send. Adjacent messages of one role become one; in a user message tool results come first, as the
 * API demands, then what the user said. Messages without anything for this provider are left out.
 */
export function encodeMessages(messages: readonly Message[]): readonly MessageParam[] {
  const ids = createCallIds();
  const encoded: MessageParam[] = [];
  let role: 'user' | 'assistant' | undefined;
  let results: ContentParam[] = [];
  let content: ContentParam[] = [];

  const close = (): void => {
    if (role !== undefined && results.length + content.length > 0)
      encoded.push({ role, content: [...results, ...content] });
    results = [];
    content = [];
  };

  for (const message of afterCompaction(messages)) {
    const next = message.role === 'assistant' ? 'assistant' : 'user';
    const pieces = next === 'assistant' ? undefined : encodeUser(message.content, ids);
    const said = next === 'assistant' ? encodeAssistant(message.content, ids, role !== 'assistant') : undefined;
    if ((pieces?.results.length ?? 0) + (pieces?.content.length ?? 0) + (said?.length ?? 0) === 0) continue;
    if (next !== role) {
      close();
      role = next;
    }
    results.push(...(pieces?.results ?? []));
    content.push(...(pieces?.content ?? []), ...(said ?? []));
  }
  close();
  return withoutTrailingSpace(encoded);
}

function encodeUser(blocks: readonly Block[], ids: CallIds): { results: ContentParam[]; content: ContentParam[] } {
  const results: ContentParam[] = [];
  const content: ContentParam[] = [];
  for (const block of blocks) {
    if (block.type === 'toolResult') {
      results.push(resultParam(block, ids.ofResult(block.callId)));
      continue;
    }
    const encoded = userParam(block);
    if (encoded !== undefined) content.push(encoded);
  }
  return { results, content };
}

function userParam(block: Block): ContentParam | undefined {
  switch (block.type) {
    case 'text':
      return textParam(block.text);
    case 'image':
      return imageParam(block);
    case 'document':
      return documentParam(block);
    case 'audio':
      return audioParam(block);
    case 'provider':
      return providerParam(block);
    default:
      return undefined; // boundaries are for the runtime; calls and thinking are the assistant's
  }
}

function encodeAssistant(blocks: readonly Block[], ids: CallIds, isNewAnswer: boolean): readonly ContentParam[] {
  if (isNewAnswer) ids.beginAnswer();
  const content: ContentParam[] = [];
  for (const block of blocks) {
    const encoded = assistantParam(block, ids);
    if (encoded !== undefined) content.push(encoded);
  }
  return content;
}

function assistantParam(block: Block, ids: CallIds): ContentParam | undefined {
  switch (block.type) {
    case 'text':
      return saidParam(block);
    case 'thinking':
      return thinkingParam(block);
    case 'toolCall':
      return callParam(block, ids);
    case 'provider':
      return providerParam(block);
    case 'image':
    case 'document':
      return describedMedia(block); // refused in assistant messages
    case 'audio':
      return audioParam(block);
    default:
      return undefined;
  }
}

function callParam(block: ToolCallBlock, ids: CallIds): ContentParam {
  return {
    type: 'tool_use',
    id: ids.ofCall(block.id),
    name: acceptedToolName(block.name, 128),
    input: inputOf(block),
    ...(block.provider === providerName ? recordAsParam(block.data) : {}),
  };
}

/** Input must be an object. Other values, and text that is not JSON, are wrapped so that the model still sees them. */
function inputOf(block: ToolCallBlock): JsonValue {
  if (block.args === undefined) return { INVALID_JSON: block.rawArgs ?? '' };
  return recordOf(block.args) === undefined ? { input: block.args } : block.args;
}

/**
 * A signed compaction must be the only one and come first: what it replaces is left out. (The server itself cuts at
 * compactions without a signature.)
 */
function afterCompaction(messages: readonly Message[]): readonly Message[] {
  for (let position = messages.length - 1; position >= 0; position--) {
    const message = messages[position];
    const at = message?.content.findLastIndex(isSignedCompaction) ?? -1;
    if (message === undefined || at < 0) continue;
    return [{ ...message, content: message.content.slice(at) }, ...messages.slice(position + 1)];
  }
  return messages;
}

function isSignedCompaction(block: Block): boolean {
  if (block.type !== 'provider' || block.provider !== providerName || block.kind !== 'compaction') return false;
  const data = recordOf(block.data);
  return textAt(data, 'signature') !== undefined && textAt(data, 'content') !== undefined;
}

/** The API refuses a request whose last assistant text ends with white space. */
function withoutTrailingSpace(messages: readonly MessageParam[]): readonly MessageParam[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  const text = block?.['text'];
  if (last?.role !== 'assistant' || block?.['type'] !== 'text' || typeof text !== 'string' || text === text.trimEnd()) {
    return messages;
  }
  return [
    ...messages.slice(0, -1),
    { ...last, content: [...last.content.slice(0, -1), { ...block, text: text.trimEnd() }] },
  ];
}
