// Assistant messages → input items: what came from this server goes back unchanged, the rest in neutral form. Called by
// encode-input.ts.

import type { Block, ProviderBlock, TextBlock, ThinkingBlock, ToolCallBlock } from '../../../conversation/block.ts';
import type { Message } from '../../../conversation/message.ts';
import { argumentText, freeText, ownData } from '../call-arguments.ts';
import { sentCallId } from '../call-ids.ts';
import { listAt, objectAt, objectOf, optional, textAt, without, type JsonObject } from '../json-fields.ts';
import { documentText, inWords } from '../media.ts';
import { acceptedToolName } from '../../tool-name.ts';
import type { Target } from '../target.ts';
import { keepPairs, withoutId, type Candidate } from './reasoning-pairs.ts';

/** The items of one assistant message. */
export function encodeAnswer(message: Message, target: Target): readonly JsonObject[] {
  const candidates: Candidate[] = [];
  const blocks = message.content;
  for (let position = 0; position < blocks.length;) {
    const group = groupAt(blocks, position, target);
    const candidate = candidateOf(group, blocks[position - 1], target);
    if (candidate !== undefined) candidates.push(candidate);
    position += group.length;
  }
  return keepPairs(candidates, objectOf(message.meta));
}

/** The blocks that make up one item: the parts of a message, adjacent texts from elsewhere, or one block. */
function groupAt(blocks: readonly Block[], position: number, target: Target): readonly Block[] {
  const first = blocks[position];
  if (first?.type !== 'text') return blocks.slice(position, position + 1);
  const key = groupKey(first, target);
  let end = position + 1;
  for (let next = blocks[end]; next?.type === 'text' && groupKey(next, target) === key; next = blocks[end]) end++;
  return blocks.slice(position, end);
}

function groupKey(block: TextBlock, target: Target): string {
  const data = ownData(block, target.provider);
  return data === undefined ? '' : `item ${textAt(data, 'id') ?? ''}`;
}

function candidateOf(group: readonly Block[], before: Block | undefined, target: Target): Candidate | undefined {
  const block = group[0];
  switch (block?.type) {
    case 'text':
      return textCandidate(
        group.filter((member) => member.type === 'text'),
        target,
      );
    case 'thinking':
      return reasoningCandidate(block, target);
    case 'toolCall': {
      const item = callItem(block, target);
      return {
        item,
        isOwn: ownData(block, target.provider) !== undefined,
        canReplay: true,
        withoutId: withoutId(item),
      };
    }
    case 'provider':
      return hostedCandidate(block, before, target);
    case 'document':
      return plain(documentText(block) ?? inWords(block));
    case 'audio':
      return plain(inWords(block));
    case 'image':
      return undefined; // a generated one is sent with the provider block after it
    default:
      return undefined;
  }
}

function textCandidate(blocks: readonly TextBlock[], target: Target): Candidate | undefined {
  const text = blocks.map((block) => block.text).join('');
  const owned = blocks.map((block) => ownData(block, target.provider)).filter((data) => data !== undefined);
  const last = owned.at(-1);
  if (last === undefined) return text === '' ? undefined : plain(text);
  const phase = last['phase'];
  const fields = without(last, 'part');
  const easy = { role: 'assistant', content: text, ...optional('phase', phase) };
  const item = { type: 'message', role: 'assistant', ...fields, content: blocks.map((block) => partOf(block)) };
  // The server does not look up a message that it gave no id.
  if (fields['id'] === undefined) return { item: easy, isOwn: true, canReplay: true, withoutId: easy };
  const own = { item, isOwn: true, canReplay: true };
  return text === '' ? own : { ...own, withoutId: easy };
}

function partOf(block: TextBlock): JsonObject {
  const more = without(objectAt(objectOf(block.data), 'part') ?? {}, 'logprobs');
  if (block.refusal) return { type: 'refusal', refusal: block.text, ...more };
  return { type: 'output_text', text: block.text, annotations: block.citations ?? [], ...more };
}

function plain(text: string): Candidate {
  const item = { role: 'assistant', content: text };
  return { item, isOwn: false, canReplay: true, withoutId: item };
}

/** With `store: false` the server only has what is sent: a ciphertext, or the reasoning in plain text. */
function reasoningCandidate(block: ThinkingBlock, target: Target): Candidate | undefined {
  const data = ownData(block, target.provider);
  if (data === undefined) return undefined;
  const item = {
    type: 'reasoning',
    ...data,
    summary: listAt(data, 'summary'),
    ...optional('encrypted_content', block.encrypted),
  };
  return {
    item,
    isOwn: true,
    canReplay: target.store || block.encrypted !== undefined || listAt(data, 'content').length > 0,
  };
}

function callItem(call: ToolCallBlock, target: Target): JsonObject {
  const data = ownData(call, target.provider);
  const call_id = sentCallId(call.id, target.callIds);
  const type = textAt(data, 'type');
  if (data === undefined || type === undefined) {
    const rest = data === undefined ? {} : without(data, 'arguments');
    const text = argumentText(call, data) ?? call.rawArgs ?? '{}';
    const name = data === undefined ? acceptedToolName(call.name, 64) : call.name;
    return { type: 'function_call', ...rest, call_id, name, arguments: text };
  }
  if (type === 'custom_tool_call') return { ...data, call_id, name: call.name, input: freeText(call) };
  const field = textAt(data, 'field') ?? 'action';
  return { ...without(data, 'field'), call_id, [field]: call.args ?? {} };
}

function hostedCandidate(block: ProviderBlock, before: Block | undefined, target: Target): Candidate | undefined {
  const data = block.provider === target.provider ? objectOf(block.data) : undefined;
  if (data === undefined) return undefined;
  if (block.kind !== 'image_generation_call' || data['result'] !== undefined)
    return { item: data, isOwn: true, canReplay: true };
  const picture = before?.type === 'image' && before.source.type === 'base64' ? before.source.data : undefined;
  if (picture !== undefined) return { item: { ...data, result: picture }, isOwn: true, canReplay: true };
  return target.store ? { item: data, isOwn: true, canReplay: true } : undefined;
}
