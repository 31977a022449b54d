// Reasoning items → thinking blocks. Called by open-item.ts.

import type { ThinkingBlock } from '../../../conversation/block.ts';
import { GrowingText } from '../../growing-text.ts';
import type { Output } from '../answer-decoder.ts';
import { objectsAt, optional, textAt, without, type JsonObject } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

const betweenParts = '\n\n';

/** The block's `data` is the whole item, except its ciphertext, which is `encrypted`. */
export function writeReasoning(first: JsonObject, output: Output): ItemWriter {
  const index = output.nextIndex++;
  output.events.push({ type: 'thinking.start', index });
  const text = new GrowingText();
  let part: string | undefined;
  let partIsEmpty = true;

  const append = (piece: string): void => {
    if (piece === '') return;
    text.add(piece);
    output.events.push({ type: 'thinking.delta', index, text: piece });
  };
  const enter = (event: JsonObject, kind: string): void => {
    const place = `${kind}:${String(event[`${kind}_index`] ?? 0)}`;
    if (part === place) return;
    part = place;
    partIsEmpty = true;
  };
  const say = (piece: string): void => {
    if (piece === '') return;
    append(partIsEmpty && !text.isEmpty ? betweenParts + piece : piece);
    partIsEmpty = false;
  };

  return {
    read(event, type) {
      const kind = type.startsWith('response.reasoning_summary') ? 'summary' : 'content';
      switch (type) {
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          enter(event, kind);
          say(textAt(event, 'delta') ?? '');
          return true;
        case 'response.reasoning_summary_text.done':
        case 'response.reasoning_text.done':
          enter(event, kind);
          if (partIsEmpty) say(textAt(event, 'text') ?? '');
          return true;
        case 'response.reasoning_summary_part.added':
        case 'response.reasoning_summary_part.done':
        case 'response.reasoning_part.added':
        case 'response.reasoning_part.done':
        case 'response.content_part.added':
        case 'response.content_part.done':
          return true;
        default:
          return false;
      }
    },
    finish(final) {
      const item = final ?? first;
      const told = [...objectsAt(item, 'summary'), ...objectsAt(item, 'content')]
        .flatMap((piece) => textAt(piece, 'text') ?? [])
        .filter((piece) => piece !== '')
        .join(betweenParts);
      if (text.isEmpty) append(told);
      const encrypted = textAt(item, 'encrypted_content');
      const isComplete = final !== undefined;
      const block: ThinkingBlock = {
        type: 'thinking',
        text: told === '' ? text.whole : told,
        provider: output.provider,
        ...optional('encrypted', isComplete ? encrypted : undefined),
        data: encrypted === undefined ? without(item, 'type') : without(item, 'type', 'encrypted_content'),
      };
      output.events.push({ type: 'thinking.end', index, block });
    },
  };
}
