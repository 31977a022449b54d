// An assistant message → one message of a Chat Completions request. Called by encode-messages.ts.

import type { Block, ThinkingBlock, ToolCallBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import type { Message } from '../../../conversation/message.ts';
import { argumentText, freeText, ownData } from '../call-arguments.ts';
import { sentCallId } from '../call-ids.ts';
import { objectAt, objectOf, objectsAt, textAt, type JsonObject } from '../json-fields.ts';
import { documentText, inWords } from '../media.ts';
import { acceptedToolName } from '../../tool-name.ts';
import type { Target } from '../target.ts';
import { addDetail } from './reasoning-details.ts';

/** Undefined for a message without anything for this server. Reasoning goes back only to the server it came from, in the same field. */
export function encodeAnswer(message: Message, target: Target): JsonObject | undefined {
  const calls = message.content.filter((block) => block.type === 'toolCall').map((call) => callOf(call, target));
  const audio = audioOf(message, target);
  const content = contentOf(message.content, target, audio !== undefined);
  const refusal = refusalOf(message.content, target);
  if (calls.length === 0 && content === undefined && refusal === '' && audio === undefined) return undefined;
  return {
    role: 'assistant',
    // Without calls the field is required; with calls some templates fail on null.
    ...(content === undefined ? (calls.length > 0 ? {} : { content: null }) : { content }),
    ...(refusal === '' ? {} : { refusal }),
    ...reasoningOf(message.content, target),
    ...(audio === undefined ? {} : { audio }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Only OpenAI has this field: elsewhere a refusal is ordinary text. */
function refusalOf(blocks: readonly Block[], target: Target): string {
  if (!target.isOpenAI) return '';
  return blocks.flatMap((block) => (block.type === 'text' && block.refusal ? [block.text] : [])).join('');
}

/** The text, or a list of parts if thinking or other parts of this server require one. */
function contentOf(blocks: readonly Block[], target: Target, isSpoken: boolean): JsonValue | undefined {
  const parts: JsonObject[] = [];
  let isList = false;
  for (const block of blocks) {
    const isText = block.type === 'text' && block.text !== '' && !(block.refusal && target.isOpenAI);
    if (isText) parts.push({ type: 'text', text: block.text });
    if (block.type === 'document') parts.push({ type: 'text', text: documentText(block) ?? inWords(block) });
    if (block.type === 'audio' && block.transcript !== undefined && !isSpoken)
      parts.push({ type: 'text', text: block.transcript });
    const part = block.type === 'thinking' ? thinkingPart(block, target) : ownPart(block, target);
    if (part === undefined) continue;
    parts.push(part);
    isList = true;
  }
  if (isList) return parts;
  return parts.length === 0 ? undefined : parts.map((part) => textAt(part, 'text') ?? '').join('');
}

function thinkingPart(block: ThinkingBlock, target: Target): JsonObject | undefined {
  const data = ownData(block, target.provider);
  if (textAt(data, 'field') !== 'content') return undefined;
  return { type: 'thinking', thinking: [{ type: 'text', text: block.text }], ...objectAt(data, 'part') };
}

function ownPart(block: Block, target: Target): JsonObject | undefined {
  return block.type === 'provider' && block.provider === target.provider ? objectOf(block.data) : undefined;
}

function reasoningOf(blocks: readonly Block[], target: Target): JsonObject {
  const texts: { [field: string]: string } = {};
  const details: JsonObject[] = [];
  for (const block of blocks) {
    const data = block.type === 'thinking' ? ownData(block, target.provider) : undefined;
    if (block.type !== 'thinking' || data === undefined) continue;
    const field = textAt(data, 'field');
    if (field !== undefined && field !== 'content') texts[field] = (texts[field] ?? '') + block.text;
    for (const detail of objectsAt(data, 'details')) addDetail(details, detail);
  }
  return { ...texts, ...(details.length > 0 ? { reasoning_details: details } : {}) };
}

function callOf(call: ToolCallBlock, target: Target): JsonObject {
  const data = ownData(call, target.provider);
  const id = sentCallId(call.id, target.callIds);
  const name = acceptedToolName(call.name, 64);
  if (data?.['type'] === 'custom') {
    return { id, type: 'custom', custom: { name, input: freeText(call) }, ...objectAt(data, 'call') };
  }
  // Templates of many local models parse the text: cut arguments would fail every later request.
  const text = argumentText(call, data) ?? '{}';
  return {
    id,
    type: 'function',
    function: { name, arguments: text, ...objectAt(data, 'inner') },
    ...objectAt(data, 'call'),
  };
}

/** A spoken answer by its id. Only OpenAI remembers it. */
function audioOf(message: Message, target: Target): JsonObject | undefined {
  const id = textAt(objectOf(message.meta?.['providerAudio']), 'id');
  return id === undefined || !target.isOpenAI ? undefined : { id };
}
