// The law that blocks of kept messages do not change.

import type { Block } from '../../../conversation/block.ts';
import type { Message } from '../../../conversation/message.ts';
import { isSameJson } from '../../../conversation/same-json.ts';
import { tokensOf } from '../../../conversation/tally.ts';
import type { Trial } from '../trial.ts';
import { firstBreach, named, withoutThoughts, type Law } from './law.ts';

/**
 * A kept message is unchanged to the byte, thinking above all; in arguments and provider data even the order of keys
 * counts. Allowed: smaller results with `shortensResults`; other text in text blocks and results with `rewritesText`; in
 * a view, answers without their thinking if something before them changed and a user message follows them.
 */
export const blocksUnaltered: Law = {
  name: 'blocksUnaltered',
  says: 'a kept message is unchanged, except as the transformer declares in "alters"',
  check: (trial) =>
    firstBreach(trial, ({ stage, before, after }) => {
      const places = new Map(before.messages.map(({ id }, index) => [id, index]));
      const over = stage === 'beforeIteration' ? after.messages.findLastIndex(({ role }) => role === 'user') : 0;
      let next = 0;
      let isEdited = false;
      for (const [index, message] of after.messages.entries()) {
        const place = places.get(message.id);
        const original = before.messages[place ?? -1];
        isEdited ||= place !== next;
        next = (place ?? next - 1) + 1;
        if (original === undefined || isSameMessage(original, message)) continue;
        const mayForget = isEdited && index < over;
        isEdited = true;
        if (mayForget && isSameMessage(withoutThoughts(original), message)) continue;
        const fault = alteration(original, message, trial.alters);
        if (fault !== undefined) return `${named(message)}: ${fault}`;
      }
      return undefined;
    }),
};

function alteration(original: Message, message: Message, alters: Trial['alters']): string | undefined {
  const { content, ...rest } = message;
  const { content: originalContent, ...originalRest } = original;
  if (!isSameJson(rest, originalRest)) return 'its role or meta changed';
  if (content.length !== originalContent.length)
    return `it has ${content.length} blocks, not ${originalContent.length}`;
  for (const [index, block] of content.entries()) {
    const before = originalContent[index];
    if (before === undefined || isSameBlock(block, before)) continue;
    if (alters.has('rewritesText') && isSameBlock(withoutWords(block), withoutWords(before))) continue;
    if (alters.has('shortensResults') && isShorter(block, before)) continue;
    return `block ${index} (${before.type}) changed`;
  }
  return undefined;
}

function isShorter(block: Block, before: Block): boolean {
  if (block.type !== 'toolResult' || before.type !== 'toolResult') return false;
  if (block.callId !== before.callId || block.status !== before.status) return false;
  const size = (result: Block) => tokensOf({ id: '', role: 'tool', content: [result] });
  return size(block) <= size(before) || JSON.stringify(block).length <= JSON.stringify(before).length;
}

function withoutWords<Any extends Block>(block: Any): Any {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'toolResult') return { ...block, content: block.content.map(withoutWords) };
  return block;
}

function isSameMessage(one: Message, other: Message): boolean {
  const others = other.content;
  return isSameJson(one, other) && one.content.every((block, index) => isInOrderOf(block, others[index] ?? block));
}

function isSameBlock(one: Block, other: Block): boolean {
  return isSameJson(one, other) && isInOrderOf(one, other);
}

// Encoders choose the order of a block's fields, but send these values as they are: another order of keys is other bytes,
// which miss the provider's cache and break the signature of the thinking before them.
function isInOrderOf(one: Block, other: Block): boolean {
  const pairs: [unknown, unknown][] = [[sentAsIs(one), sentAsIs(other)]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [left, right] = pair;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) continue;
    const names = Object.keys(right);
    for (const [index, name] of Object.keys(left).entries()) {
      if (names[index] !== name) return false;
      pairs.push([Reflect.get(left, name), Reflect.get(right, name)]);
    }
  }
  return true;
}

function sentAsIs(block: Block): readonly unknown[] {
  if (block.type === 'toolResult') return block.content.map(sentAsIs);
  return ['args', 'data', 'citations'].map((name) => Reflect.get(block, name));
}
