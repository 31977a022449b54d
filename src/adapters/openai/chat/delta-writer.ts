// Deltas of a Chat Completions answer → blocks, in the order in which they begin. Owned by the chat decoder.

import type { Block, ImageBlock } from '../../../conversation/block.ts';
import type { JsonValue, Meta } from '../../../conversation/json.ts';
import type { Output } from '../answer-decoder.ts';
import { listAt, objectAt, objectsAt, textAt, type JsonObject } from '../json-fields.ts';
import { createAudioWriter, type AudioWriter } from './audio-writer.ts';
import { createCallSlots, type CallSlots } from './call-slots.ts';
import { createTextWriter, type TextWriter } from './text-writer.ts';
import { createThinkingWriter, type ThinkingWriter } from './thinking-writer.ts';

/** Writes the blocks of one answer. A text closes the open thinking and the other way round. */
export class DeltaWriter {
  readonly #output: Output;
  readonly #text: TextWriter;
  readonly #thinking: ThinkingWriter;
  readonly #calls: CallSlots;
  readonly #audio: AudioWriter;

  constructor(output: Output, audioMediaType: string) {
    this.#output = output;
    this.#text = createTextWriter(output);
    this.#thinking = createThinkingWriter(output);
    this.#calls = createCallSlots(output);
    this.#audio = createAudioWriter(audioMediaType);
  }

  /** Writes everything in a delta. */
  read(delta: JsonObject): void {
    if (carriesReasoning(delta)) {
      // Text before reasoning is another block than text after it.
      this.#text.close();
      this.#thinking.read(delta);
    }
    const content = delta['content'];
    if (typeof content === 'string') this.say(content, false);
    else for (const part of objectsAt(delta, 'content')) this.#readPart(part);
    this.say(textAt(delta, 'refusal') ?? '', true);
    for (const part of objectsAt(delta, 'images')) this.#readPart(part);
    const annotations = listAt(delta, 'annotations');
    if (annotations.length > 0) this.#text.cite(annotations);
    const calls = callsOf(delta);
    if (calls.length > 0) {
      this.#closeText();
      this.#calls.read(calls);
    }
    const audio = objectAt(delta, 'audio');
    if (audio !== undefined) this.#audio.read(audio);
  }

  /** Writes text. Unless it is only white space, it ends the thinking before it. */
  say(piece: string, isRefusal: boolean): void {
    if (piece === '') return;
    if (this.#thinking.isOpen() && piece.trim() !== '') this.#thinking.close();
    this.#text.say(piece, isRefusal);
  }

  /** Ends all blocks. `citations` of the whole answer go to the open text block, else into the returned meta. */
  finish(citations: readonly JsonValue[]): Meta {
    this.#thinking.close();
    if (citations.length > 0) this.#text.cite(citations);
    this.#text.close();
    this.#calls.close();
    const spoken = this.#audio.finish();
    if (spoken !== undefined) this.#write(spoken.block);
    const uncited = this.#text.uncited();
    return { ...spoken?.meta, ...(uncited.length > 0 ? { citations: uncited } : {}) };
  }

  #readPart(part: JsonObject): void {
    const url = textAt(objectAt(part, 'image_url'), 'url') ?? textAt(part, 'image_url');
    if (part['type'] === 'text') this.say(textAt(part, 'text') ?? '', false);
    else if (part['type'] === 'refusal') this.say(textAt(part, 'refusal') ?? '', true);
    else if (part['type'] === 'thinking') {
      this.#text.close();
      this.#thinking.readPart(part);
    } else if (url !== undefined) this.#write(imageOf(url));
    else {
      const { provider } = this.#output;
      this.#write({ type: 'provider', provider, kind: textAt(part, 'type') ?? 'content', data: part });
    }
  }

  #write(block: Block): void {
    this.#closeText();
    this.#output.events.push({ type: 'block', index: this.#output.nextIndex++, block });
  }

  #closeText(): void {
    this.#thinking.close();
    this.#text.close();
  }
}

/** Whether a delta contains text, reasoning or a call. */
export function saysSomething(delta: JsonObject | undefined): boolean {
  return delta !== undefined && (carriesReasoning(delta) || callsOf(delta).length > 0 || Boolean(delta['content']));
}

function carriesReasoning(delta: JsonObject): boolean {
  return (
    (typeof delta['reasoning_content'] === 'string' && delta['reasoning_content'] !== '') ||
    (typeof delta['reasoning'] === 'string' && delta['reasoning'] !== '') ||
    (typeof delta['reasoning_text'] === 'string' && delta['reasoning_text'] !== '') ||
    listAt(delta, 'reasoning_details').length > 0
  );
}

function callsOf(delta: JsonObject): readonly JsonObject[] {
  const asked = objectsAt(delta, 'tool_calls');
  if (asked.length > 0) return asked;
  const legacy = objectAt(delta, 'function_call');
  // Some servers fill the old field with empty text.
  return legacy === undefined || (!textAt(legacy, 'name') && !legacy['arguments'])
    ? []
    : [{ index: 0, function: legacy }];
}

function imageOf(url: string): ImageBlock {
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  const [, mediaType, data] = inline ?? [];
  const isInline = mediaType !== undefined && data !== undefined;
  return { type: 'image', source: isInline ? { type: 'base64', mediaType, data } : { type: 'url', url } };
}
