// Message items → text blocks, one for each content part. Called by open-item.ts.

import type { TextBlock } from '../../../conversation/block.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { GrowingText } from '../../growing-text.ts';
import type { Output } from '../answer-decoder.ts';
import { listAt, numberAt, objectAt, objectsAt, optional, textAt, without, type JsonObject } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

interface OpenPart {
  readonly index: number;
  readonly contentIndex: number;
  readonly text: GrowingText;
  isRefusal: boolean;
  readonly annotations: JsonValue[];
  readonly logprobs: JsonValue[];
  /** The finished part, as the server repeats it. */
  whole?: JsonObject;
}

/** The finished text of a part overrides its pieces. An empty part is a block too, because it carries the item's data. */
export function writeMessage(first: JsonObject, output: Output): ItemWriter {
  let item = first;
  let part: OpenPart | undefined;
  let written = 0;

  const open = (event: JsonObject): OpenPart => openAt(numberAt(event, 'content_index') ?? part?.contentIndex ?? 0);

  const openAt = (contentIndex: number): OpenPart => {
    if (part?.contentIndex === contentIndex) return part;
    close();
    part = {
      index: output.nextIndex++,
      contentIndex,
      text: new GrowingText(),
      isRefusal: false,
      annotations: [],
      logprobs: [],
    };
    output.events.push({ type: 'text.start', index: part.index });
    return part;
  };

  const append = (to: OpenPart, text: string): void => {
    if (text === '') return;
    to.text.add(text);
    output.events.push({ type: 'text.delta', index: to.index, text });
  };

  const close = (whole?: JsonObject): void => {
    if (part === undefined) return;
    const { index, annotations, logprobs } = part;
    const final = whole ?? part.whole ?? {};
    const told = textAt(final, 'text') ?? textAt(final, 'refusal') ?? '';
    const said = part.text.whole;
    const text = told === '' ? said : told;
    if (text.startsWith(said)) append(part, text.slice(said.length));
    const isRefusal = part.isRefusal || final['type'] === 'refusal';
    if (isRefusal) output.refused = true;
    const citations = listAt(final, 'annotations').length > 0 ? listAt(final, 'annotations') : annotations;
    const known = without(final, 'type', 'text', 'refusal', 'annotations', 'logprobs');
    const chances = listAt(final, 'logprobs').length > 0 ? listAt(final, 'logprobs') : logprobs;
    const extra: JsonObject = { ...known, ...(chances.length > 0 ? { logprobs: chances } : {}) };
    const block: TextBlock = {
      type: 'text',
      text,
      ...(isRefusal ? { refusal: true as const } : {}),
      ...(citations.length > 0 ? { citations } : {}),
      provider: output.provider,
      data: { ...without(item, 'type', 'role', 'content'), ...(Object.keys(extra).length > 0 ? { part: extra } : {}) },
    };
    output.events.push({ type: 'text.end', index, block });
    written++;
    part = undefined;
  };

  return {
    read(event, type) {
      switch (type) {
        case 'response.output_text.delta': {
          const to = open(event);
          append(to, textAt(event, 'delta') ?? '');
          const chances = event['logprobs'];
          if (Array.isArray(chances) && chances.length > 0) to.logprobs.push(...listAt(event, 'logprobs'));
          return true;
        }
        case 'response.refusal.delta': {
          const to = open(event);
          to.isRefusal = true;
          append(to, textAt(event, 'delta') ?? '');
          return true;
        }
        case 'response.content_part.added': {
          const to = open(event);
          const sent = objectAt(event, 'part');
          if (sent?.['type'] === 'refusal') to.isRefusal = true;
          append(to, textAt(sent, 'text') ?? textAt(sent, 'refusal') ?? '');
          return true;
        }
        case 'response.content_part.done':
        case 'response.output_text.done':
        case 'response.refusal.done': {
          const to = open(event);
          if (type === 'response.refusal.done') to.isRefusal = true;
          to.whole = { ...to.whole, ...(objectAt(event, 'part') ?? wholePartOf(event)) };
          return true;
        }
        case 'response.output_text.annotation.added': {
          const to = open(event);
          to.annotations.push(event['annotation'] ?? null);
          return true;
        }
        default:
          return false;
      }
    },
    finish(final) {
      if (final !== undefined) item = final;
      const parts = objectsAt(item, 'content');
      // Parts that were streamed before the open one are closed already: only the rest of the list counts.
      if (part !== undefined) close(parts[written]);
      for (let position = written; position < parts.length; position = written) {
        openAt(-1 - position); // an index that no server uses
        close(parts[position]);
      }
    },
  };
}

function wholePartOf(event: JsonObject): JsonObject {
  return {
    ...optional('text', textAt(event, 'text')),
    ...optional('refusal', textAt(event, 'refusal')),
    ...(listAt(event, 'logprobs').length > 0 ? { logprobs: listAt(event, 'logprobs') } : {}),
  };
}
