// Builds one assistant message from stream events and reports where a model breaks the protocol. Used by every model
// call.

import type { Block, TextBlock, ThinkingBlock, ToolCallBlock } from '../conversation/block.ts';
import type { JsonValue, Meta } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import { copyFields, deepestJson, isTooDeep } from '../conversation/json-copy.ts';
import { metaFault } from '../conversation/store-fault.ts';
import { uniqueIds } from '../conversation/unique-ids.ts';
import { messageOf } from '../contracts/errors.ts';
import type { StopReason, StreamEvent } from '../contracts/model.ts';
import { answerBlock } from './answer-block.ts';

/**
 * What an event was: `shown` = part of the message, `finished` = the same with a finished block, `quiet` = a fact
 * besides the message, `unknown` = of a type the protocol does not know, `ended` = the end of the message.
 */
export type Taken = 'shown' | 'finished' | 'quiet' | 'unknown' | 'ended' | { readonly fault: string };

// A block that still grows: its text, or the JSON text of a call's arguments.
interface OpenBlock {
  readonly open: 'text' | 'thinking' | 'toolInput';
  text: string;
  readonly id: string;
  readonly name: string;
}

type BlockEvent = Extract<StreamEvent, { readonly index: number }>;

// No provider comes near it; it keeps a wild index from making a huge array.
const maxBlocks = 10_000;

const stopReasons: ReadonlySet<string> = new Set([
  'endTurn',
  'toolUse',
  'maxTokens',
  'stopSequence',
  'refusal',
  'pause',
  'contextOverflow',
  'other',
] satisfies StopReason[]);

/** A message under construction. It keeps copies of a model's blocks: later changes to the originals have no effect. */
export class Fold {
  readonly id: string;
  stopReason: StopReason = 'other';
  rawStopReason: string | undefined;
  usage: Usage | undefined;
  #meta: Meta | undefined;
  #started = false;
  readonly #blocks: (OpenBlock | Block | undefined)[] = [];
  readonly #createCallId: () => string;

  /** `createCallId` makes ids for calls that came without one. */
  constructor(id: string, createCallId: () => string) {
    this.id = id;
    this.#createCallId = createCallId;
  }

  /** Takes one event in order. A fault says what the model did wrong; the fold must then not be used any more. */
  take(event: StreamEvent): Taken {
    if (typeof event !== 'object' || event === null) return fault(`an event must be an object, got ${describe(event)}`);
    switch (event.type) {
      case 'text.delta':
        return this.#grow(event, 'text', event.text);
      case 'thinking.delta':
        return this.#grow(event, 'thinking', event.text);
      case 'toolInput.delta':
        return this.#grow(event, 'toolInput', event.json);
      case 'text.start':
        return this.#open(event, 'text', '', '');
      case 'thinking.start':
        return this.#open(event, 'thinking', '', '');
      case 'toolInput.start':
        return this.#open(event, 'toolInput', event.id, event.name);
      case 'text.end':
        return this.#close(event, 'text', event.block);
      case 'thinking.end':
        return this.#close(event, 'thinking', event.block);
      case 'toolInput.end':
        return this.#close(event, 'toolInput', event.call);
      case 'block':
        return this.#place(event, answerBlock(event.block), 'finished');
      case 'message.start':
        return this.#start(event);
      case 'message.end':
        return this.#end(event);
      case 'usage':
        return this.#count(event.usage);
      case 'raw':
        return 'quiet';
      default:
        return 'unknown';
    }
  }

  /** An event that carried a finished block, with the block replaced by the one in the message. */
  withOwnBlock(event: StreamEvent): StreamEvent {
    if (!('index' in event)) return event;
    const block = this.#blocks[event.index];
    // What was just put there fits the event.
    return { ...event, [event.type === 'toolInput.end' ? 'call' : 'block']: block } as StreamEvent;
  }

  /** End events for the blocks still open, for a model that ends its message without closing them. */
  closers(): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const [index, block] of this.#blocks.entries()) {
      if (block !== undefined && isStillOpen(block)) events.push({ type: `${block.open}.end`, index });
    }
    return events;
  }

  /** The whole message. Empty text is left out; ids of calls are made unique within it. */
  message(): Message {
    const content = this.#content(closed).filter((block) => !isEmpty(block));
    return this.#messageWith(uniqueCallIds(content, this.#createCallId));
  }

  /**
   * What remains of a cancelled stream: said text and signed thinking, marked with `meta.cut`; undefined when nothing
   * was said.
   */
  partial(cut: string): Message | undefined {
    const isSaid = (block: Block): boolean => block.type === 'text' && !isEmpty(block);
    const content = this.#content((block) => (block.open === 'text' ? closed(block) : undefined));
    if (!content.some(isSaid)) return undefined;
    const kept = content.filter((block) => isSaid(block) || isSigned(block));
    return this.#messageWith(kept, { ...this.#meta, cut });
  }

  /** Everything so far, open blocks included, for a reader that joins late; undefined before the first block. */
  snapshot(): Message | undefined {
    const content = this.#content(openView);
    return content.length === 0 ? undefined : this.#messageWith(content);
  }

  // The blocks in order; open ones as `viewOf` shows them.
  #content(viewOf: (block: OpenBlock) => Block | undefined): Block[] {
    const content: Block[] = [];
    for (const block of this.#blocks) {
      const shown = block !== undefined && isStillOpen(block) ? viewOf(block) : block;
      if (shown !== undefined) content.push(shown);
    }
    return content;
  }

  #messageWith(content: readonly Block[], meta = this.#meta): Message {
    const message: Message = { id: this.id, role: 'assistant', content };
    return meta === undefined ? message : { ...message, meta };
  }

  #start({ providerId, model }: Extract<StreamEvent, { type: 'message.start' }>): Taken {
    if (this.#started) return fault('"message.start" came twice');
    this.#started = true;
    if (typeof providerId === 'string') this.#meta = { providerId };
    if (typeof model === 'string') this.#meta = { ...this.#meta, model };
    return 'shown';
  }

  #end(event: Extract<StreamEvent, { type: 'message.end' }>): Taken {
    if (!this.#started) return tooEarly(event);
    if (stopReasons.has(event.stopReason)) this.stopReason = event.stopReason;
    this.rawStopReason =
      event.rawStopReason ?? (this.stopReason === event.stopReason ? undefined : `${event.stopReason}`);
    return event.meta === undefined || event.meta === null ? 'ended' : this.#note(event.meta);
  }

  #note(meta: Meta): Taken {
    const wrong = metaFault(meta);
    if (wrong !== undefined) return fault(`"message.end" cannot be used: ${wrong}`);
    try {
      this.#meta = { ...this.#meta, ...copyFields(meta) };
      return 'ended';
    } catch (thrown) {
      return fault(`"message.end" carries meta that cannot be used: ${messageOf(thrown)}`);
    }
  }

  #count(usage: Usage): Taken {
    if (!isCount(usage?.inputTokens) || !isCount(usage.outputTokens)) {
      return fault(`"usage" needs inputTokens and outputTokens as numbers of at least 0, got ${describe(usage)}`);
    }
    this.usage = { ...usage };
    return 'quiet';
  }

  #open(event: BlockEvent, kind: OpenBlock['open'], id: string, name: string): Taken {
    const isNamed = typeof id === 'string' && typeof name === 'string';
    return this.#place(event, isNamed ? { open: kind, text: '', id, name } : 'it needs id and name as strings');
  }

  #place(event: BlockEvent, block: OpenBlock | Block | string, taken: Taken = 'shown'): Taken {
    const { index, type } = event;
    if (!this.#started) return tooEarly(event);
    if (!Number.isInteger(index) || index < 0 || index >= maxBlocks) {
      return fault(`"${type}" has index ${describe(index)}; expected an integer from 0 to ${maxBlocks - 1}`);
    }
    if (this.#blocks[index] !== undefined) return fault(`"${type}" starts block ${index}, which was started before`);
    return this.#put(event, block, taken);
  }

  #grow(event: BlockEvent, kind: OpenBlock['open'], text: string): Taken {
    const block = this.#blocks[event.index];
    if (!isOpen(block, kind)) return notOpen(event, kind);
    if (typeof text !== 'string') return fault(`"${event.type}" needs a string, got ${describe(text)}`);
    block.text += text;
    return 'shown';
  }

  #close(event: BlockEvent, kind: OpenBlock['open'], given: Block | undefined): Taken {
    const block = this.#blocks[event.index];
    if (!isOpen(block, kind)) return notOpen(event, kind);
    if (given === undefined || given === null) return this.#put(event, closed(block), 'shown');
    const type = kind === 'toolInput' ? 'toolCall' : kind;
    const wrong = `its type is ${describe(given.type)}, not "${type}"`;
    return this.#put(event, given.type === type ? answerBlock(given, block.text) : wrong, 'finished');
  }

  #put({ index, type }: BlockEvent, block: OpenBlock | Block | string, taken: Taken): Taken {
    if (typeof block === 'string') return fault(`"${type}" carries a block that cannot be used: ${block}`);
    this.#blocks[index] = block;
    return taken;
  }
}

/**
 * A call with the text parsed as its arguments, or as `rawArgs` if it is not JSON or is nested too deeply. Empty text
 * means `{}`: providers send it for tools without parameters.
 */
export function callOf(id: string, name: string, json: string): ToolCallBlock {
  if (json.trim() === '') return { type: 'toolCall', id, name, args: {} };
  try {
    const args = JSON.parse(json) as JsonValue; // JSON.parse gives nothing else
    if (json.length <= 2 * deepestJson || !isTooDeep(args)) return { type: 'toolCall', id, name, args };
  } catch {
    // Not JSON: the text is all there is.
  }
  return { type: 'toolCall', id, name, rawArgs: json };
}

function closed(block: OpenBlock): TextBlock | ThinkingBlock | ToolCallBlock {
  if (block.open === 'toolInput') return callOf(block.id, block.name, block.text);
  return { type: block.open, text: block.text };
}

// Half-written arguments are not JSON yet: they are shown as text.
function openView(block: OpenBlock): Block {
  if (block.open !== 'toolInput') return { type: block.open, text: block.text };
  return { type: 'toolCall', id: block.id, name: block.name, rawArgs: block.text };
}

function isOpen(block: OpenBlock | Block | undefined, kind: OpenBlock['open']): block is OpenBlock {
  return block !== undefined && isStillOpen(block) && block.open === kind;
}

// Not by `open`: a model's own block may have extra fields of any name.
function isStillOpen(block: OpenBlock | Block): block is OpenBlock {
  return !('type' in block);
}

function isEmpty(block: Block): boolean {
  return block.type === 'text' && block.text === '' && block.data === undefined && block.citations === undefined;
}

function isSigned(block: Block): boolean {
  return block.type === 'thinking' && (block.signature !== undefined || block.encrypted !== undefined);
}

function uniqueCallIds(content: Block[], createCallId: () => string): readonly Block[] {
  const unique = uniqueIds(new Set());
  for (const [index, block] of content.entries()) {
    if (block.type !== 'toolCall') continue;
    const id = unique(block.id === '' ? createCallId() : block.id);
    if (id !== block.id) content[index] = { ...block, id };
  }
  return content;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function fault(text: string): { readonly fault: string } {
  return { fault: text };
}

function tooEarly({ type }: StreamEvent): Taken {
  return fault(`"${type}" came before "message.start"`);
}

function notOpen({ index, type }: BlockEvent, kind: OpenBlock['open']): Taken {
  return fault(`"${type}" for block ${describe(index)}, which is not an open ${kind} block`);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : String(value);
}
