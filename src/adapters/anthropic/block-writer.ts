// Turns growing content blocks into our block events: positions, starts, deltas and ends. Owned by a decoder.

import type { StreamEvent } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { GrowingText } from '../growing-text.ts';
import { textAt, type JsonRecord } from '../json-reading.ts';
import { providerBlockOf, redactedThinkingOf, textBlockOf, thinkingBlockOf, toolCallOf } from './blocks.ts';

// A content block that has begun.
interface OpenBlock {
  // The provider's type: `text`, `tool_use`, …
  readonly type: string;
  start: JsonRecord;
  // Position in our message; -1 until an event of it was emitted.
  index: number;
  readonly text: GrowingText;
  readonly json: GrowingText;
  signature: string;
  readonly citations: JsonValue[];
}

/**
 * The blocks of one answer. A block gets its position with its first event, so positions are consecutive from 0 and
 * blocks without events (empty texts) have none.
 */
export class BlockWriter {
  /** True once the model has called a tool that the client runs. */
  hasCalls = false;
  readonly #open = new Map<number, OpenBlock>();
  #nextIndex = 0;
  // A text that has ended. Its `text.end` waits for the next event, which shows whether the text was a refusal.
  #ended: OpenBlock | undefined;

  /** Begins the block with the provider's number `at`; one that is still open under this number is ended first. */
  start(at: number, start: JsonRecord, out: StreamEvent[]): void {
    this.stop(at, out);
    this.flush(false, out);
    const type = textAt(start, 'type') ?? '';
    const signature = textAt(start, 'signature') ?? '';
    const block: OpenBlock = {
      type,
      start,
      index: -1,
      text: new GrowingText(),
      json: new GrowingText(),
      signature,
      citations: [],
    };
    this.#open.set(at, block);
    if (type === 'text') this.#addText(block, textAt(start, 'text') ?? '', out);
    else if (type === 'thinking') this.#addThinking(block, textAt(start, 'thinking') ?? '', out);
    else if (type === 'tool_use') this.#startCall(block, out);
  }

  /** Adds a delta; false if no block `at` is open. `onUnknown` makes the event for a delta that does not fit its block. */
  add(at: number, event: JsonRecord, out: StreamEvent[], onUnknown: (event: JsonRecord) => StreamEvent): boolean {
    // The hot path of every stream. Fields are read by constant names: dynamic ones cost as much as everything else.
    const block = this.#open.get(at);
    if (block === undefined) return false;
    const delta = (event['delta'] ?? {}) as JsonRecord; // parsed JSON; of anything but an object the fields are undefined
    const type = delta['type'];
    if (type === 'text_delta' && block.type === 'text') this.#addText(block, textOf(delta['text']), out);
    else if (type === 'thinking_delta' && block.type === 'thinking') {
      this.#addThinking(block, textOf(delta['thinking']), out);
    } else if (type === 'input_json_delta') this.#addInput(block, textOf(delta['partial_json']), out);
    else if (type === 'signature_delta') block.signature = textOf(delta['signature']);
    else if (type === 'citations_delta') block.citations.push(delta['citation'] ?? null);
    else if (type === 'compaction_delta') {
      const { type: _, ...fields } = delta; // carries final values: they replace
      block.start = { ...block.start, ...fields };
    } else out.push(onUnknown(event));
    return true;
  }

  /** Ends the block with the provider's number `at`, if it is open. */
  stop(at: number, out: StreamEvent[]): void {
    const block = this.#open.get(at);
    if (block === undefined) return;
    this.#open.delete(at);
    this.flush(false, out);
    this.#end(block, out);
  }

  /** Ends all open blocks. A last text is held back until `flush`. */
  stopAll(out: StreamEvent[]): void {
    for (const at of this.#open.keys()) this.stop(at, out);
  }

  /** Writes the end of the text that ended last; called with the next block or with the stop reason. */
  flush(refused: boolean, out: StreamEvent[]): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    this.#ended = undefined;
    const block = textBlockOf(ended.start, ended.text.whole, ended.citations, refused);
    const isPlain = block.refusal === undefined && block.citations === undefined && block.data === undefined;
    if (ended.index < 0) {
      if (block.citations === undefined && block.data === undefined) return; // an empty text is left out
      ended.index = this.#nextIndex++;
      out.push({ type: 'text.start', index: ended.index });
    }
    out.push(isPlain ? { type: 'text.end', index: ended.index } : { type: 'text.end', index: ended.index, block });
  }

  #startCall(block: OpenBlock, out: StreamEvent[]): void {
    this.hasCalls = true;
    block.index = this.#nextIndex++;
    const id = textAt(block.start, 'id') ?? '';
    out.push({ type: 'toolInput.start', index: block.index, id, name: textAt(block.start, 'name') ?? '' });
  }

  #addText(block: OpenBlock, text: string, out: StreamEvent[]): void {
    if (text === '') return;
    if (block.index < 0) {
      block.index = this.#nextIndex++;
      out.push({ type: 'text.start', index: block.index });
    }
    block.text.add(text);
    out.push({ type: 'text.delta', index: block.index, text });
  }

  #addThinking(block: OpenBlock, text: string, out: StreamEvent[]): void {
    if (block.index < 0) {
      block.index = this.#nextIndex++;
      out.push({ type: 'thinking.start', index: block.index });
    }
    if (text === '') return;
    block.text.add(text);
    out.push({ type: 'thinking.delta', index: block.index, text });
  }

  #addInput(block: OpenBlock, json: string, out: StreamEvent[]): void {
    if (json === '') return;
    block.json.add(json);
    if (block.type === 'tool_use') out.push({ type: 'toolInput.delta', index: block.index, json });
  }

  #end(block: OpenBlock, out: StreamEvent[]): void {
    const { index, start } = block;
    switch (block.type) {
      case 'text':
        this.#ended = block;
        return;
      case 'thinking':
        out.push({ type: 'thinking.end', index, block: thinkingBlockOf(start, block.text.whole, block.signature) });
        return;
      case 'redacted_thinking':
        out.push({ type: 'block', index: this.#nextIndex++, block: redactedThinkingOf(start) });
        return;
      case 'tool_use': {
        const call = toolCallOf(start, block.json.whole);
        // Input that was complete in the start is shown as one delta.
        const whole = block.json.isEmpty && call.args !== undefined ? JSON.stringify(call.args) : '{}';
        if (whole !== '{}') out.push({ type: 'toolInput.delta', index, json: whole });
        out.push({ type: 'toolInput.end', index, call });
        return;
      }
      default:
        out.push({ type: 'block', index: this.#nextIndex++, block: providerBlockOf(start, block.json.whole) });
    }
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
