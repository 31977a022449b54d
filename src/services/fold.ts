// Builds one assistant message out of stream events and says where a model breaks the protocol. Used by every model call.

import type { Block, TextBlock, ThinkingBlock, ToolCallBlock } from '../conversation/block.ts';
import type { JsonValue, Meta } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import { uniqueIds } from '../conversation/unique-ids.ts';
import type { StopReason, StreamEvent } from '../contracts/model.ts';
import { answerBlockFault } from './answer-block.ts';

/** What an event did: `shown` = part of the message, `quiet` = a fact beside it, `ended` = the message is whole. */
export type Taken = 'shown' | 'quiet' | 'unknown' | 'ended' | { readonly fault: string };

// A block that still grows: its text, or the JSON text of a call's arguments.
interface OpenBlock {
  readonly open: 'text' | 'thinking' | 'toolInput';
  text: string;
  readonly id: string;
  readonly name: string;
}

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

/** One message in the making. It keeps copies of a model's blocks: what the model does to its own later changes nothing. */
export class Fold {
  readonly id: string;
  stopReason: StopReason = 'other';
  rawStopReason: string | undefined;
  usage: Usage | undefined;
  #meta: Meta | undefined;
  #started = false;
  #providerId: string | undefined;
  #model: string | undefined;
  readonly #blocks: (OpenBlock | Block | undefined)[] = [];
  readonly #createCallId: () => string;

  /** `createCallId` names calls that came without an id. */
  constructor(id: string, createCallId: () => string) {
    this.id = id;
    this.#createCallId = createCallId;
  }

  /** Takes one event in order. A fault says what the model did wrong; the fold is then of no further use. */
  take(event: StreamEvent): Taken {
    if (typeof event !== 'object' || event === null) return fault(`an event must be an object, got ${describe(event)}`);
    if (!this.#started && blockTags.has(event.type)) return fault(`"${event.type}" came before "message.start"`);
    switch (event.type) {
      case 'text.delta':
        return this.#grow(event.index, 'text', event.text, event.type);
      case 'thinking.delta':
        return this.#grow(event.index, 'thinking', event.text, event.type);
      case 'toolInput.delta':
        return this.#grow(event.index, 'toolInput', event.json, event.type);
      case 'text.start':
        return this.#open(event.index, 'text', '', '', event.type);
      case 'thinking.start':
        return this.#open(event.index, 'thinking', '', '', event.type);
      case 'toolInput.start':
        return this.#open(event.index, 'toolInput', event.id, event.name, event.type);
      case 'text.end':
        return this.#close(event.index, 'text', event.block, event.type);
      case 'thinking.end':
        return this.#close(event.index, 'thinking', event.block, event.type);
      case 'toolInput.end':
        return this.#close(event.index, 'toolInput', event.call, event.type);
      case 'block':
        return this.#place(event.index, event.block);
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

  /** End events for the blocks still open, for a model that ends its message without closing them. */
  closers(): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const [index, block] of this.#blocks.entries()) {
      if (block !== undefined && 'open' in block) events.push({ type: `${block.open}.end`, index });
    }
    return events;
  }

  /** The whole message. Empty text is left out; ids of calls are made unique within it. */
  message(): Message {
    const content: Block[] = [];
    for (const block of this.#blocks) {
      const done = block !== undefined && 'open' in block ? closed(block) : block;
      if (done !== undefined && !isEmpty(done)) content.push(done);
    }
    return this.#messageWith(uniqueCallIds(content, this.#createCallId), this.#meta);
  }

  /** What a cancelled stream leaves: said text and signed thinking, marked with `meta.cut`; undefined when nothing was said. */
  partial(cut: string): Message | undefined {
    const content: Block[] = [];
    let said = false;
    for (const block of this.#blocks) {
      if (block === undefined) continue;
      const done = 'open' in block ? (block.open === 'text' ? closed(block) : undefined) : block;
      if (done === undefined || isEmpty(done)) continue;
      if (done.type === 'text') said = true;
      if (done.type === 'text' || isSigned(done)) content.push(done);
    }
    return said ? this.#messageWith(content, { ...this.#meta, cut }) : undefined;
  }

  /** Everything so far, open blocks included, for a reader that joins late; undefined before the first block. */
  snapshot(): Message | undefined {
    const content: Block[] = [];
    for (const block of this.#blocks) {
      if (block !== undefined) content.push('open' in block ? (openView(block) satisfies Block) : block);
    }
    return content.length === 0 ? undefined : this.#messageWith(content, undefined);
  }

  #messageWith(content: readonly Block[], more: Meta | undefined): Message {
    if (this.#providerId === undefined && this.#model === undefined && more === undefined) {
      return { id: this.id, role: 'assistant', content };
    }
    const meta: Meta = {
      ...(this.#providerId === undefined ? {} : { providerId: this.#providerId }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...more,
    };
    return { id: this.id, role: 'assistant', content, meta };
  }

  #start(event: Extract<StreamEvent, { type: 'message.start' }>): Taken {
    if (this.#started) return fault('"message.start" came twice');
    this.#started = true;
    if (typeof event.providerId === 'string') this.#providerId = event.providerId;
    if (typeof event.model === 'string') this.#model = event.model;
    return 'shown';
  }

  #end(event: Extract<StreamEvent, { type: 'message.end' }>): Taken {
    if (stopReasons.has(event.stopReason)) this.stopReason = event.stopReason;
    this.rawStopReason =
      event.rawStopReason ?? (this.stopReason === event.stopReason ? undefined : `${event.stopReason}`);
    if (typeof event.meta === 'object' && event.meta !== null) this.#meta = event.meta;
    return 'ended';
  }

  #count(usage: Usage): Taken {
    if (!isCount(usage?.inputTokens) || !isCount(usage.outputTokens)) {
      return fault(`"usage" needs inputTokens and outputTokens as numbers of at least 0, got ${describe(usage)}`);
    }
    this.usage = { ...usage };
    return 'quiet';
  }

  #open(index: number, kind: OpenBlock['open'], id: string, name: string, tag: string): Taken {
    if (!Number.isInteger(index) || index < 0 || index >= maxBlocks) {
      return fault(`"${tag}" has index ${describe(index)}; expected an integer from 0 to ${maxBlocks - 1}`);
    }
    if (this.#blocks[index] !== undefined) return fault(`"${tag}" starts block ${index}, which was started before`);
    if (typeof id !== 'string' || typeof name !== 'string') {
      return fault(`"${tag}" needs id and name as strings, got ${describe(id)} and ${describe(name)}`);
    }
    this.#blocks[index] = { open: kind, text: '', id, name };
    return 'shown';
  }

  #grow(index: number, kind: OpenBlock['open'], text: string, tag: string): Taken {
    const block = this.#blocks[index];
    if (block === undefined || !('open' in block) || block.open !== kind) {
      return fault(`"${tag}" for block ${describe(index)}, which is not an open ${kind} block`);
    }
    if (typeof text !== 'string') return fault(`"${tag}" needs a string, got ${describe(text)}`);
    block.text += text;
    return 'shown';
  }

  #close(index: number, kind: OpenBlock['open'], whole: Block | undefined, tag: string): Taken {
    const block = this.#blocks[index];
    if (block === undefined || !('open' in block) || block.open !== kind) {
      return fault(`"${tag}" for block ${describe(index)}, which is not an open ${kind} block`);
    }
    const type = kind === 'toolInput' ? 'toolCall' : kind;
    if (whole !== undefined && whole !== null && whole.type !== type) {
      return fault(`"${tag}" carries a block of type ${describe(whole.type)}, expected "${type}"`);
    }
    const wrong = whole === undefined || whole === null ? undefined : answerBlockFault(whole);
    if (wrong !== undefined) return fault(`"${tag}" carries a block that cannot be used: ${wrong}`);
    this.#blocks[index] = whole === undefined || whole === null ? closed(block) : { ...whole };
    return 'shown';
  }

  #place(index: number, block: Block): Taken {
    if (!Number.isInteger(index) || index < 0 || index >= maxBlocks || this.#blocks[index] !== undefined) {
      return fault(`"block" at index ${describe(index)}, which is taken or no position in the message`);
    }
    const wrong = answerBlockFault(block);
    if (wrong !== undefined) return fault(`"block" carries a block that cannot be used: ${wrong}`);
    this.#blocks[index] = { ...block };
    return 'shown';
  }
}

/** The call's arguments as far as its text is JSON: `{}` for no text at all (providers send that for tools without parameters). */
export function callOf(id: string, name: string, json: string): ToolCallBlock {
  if (json.trim() === '') return { type: 'toolCall', id, name, args: {} };
  try {
    return { type: 'toolCall', id, name, args: JSON.parse(json) as JsonValue };
  } catch {
    return { type: 'toolCall', id, name, rawArgs: json };
  }
}

function closed(block: OpenBlock): TextBlock | ThinkingBlock | ToolCallBlock {
  if (block.open === 'toolInput') return callOf(block.id, block.name, block.text);
  return { type: block.open, text: block.text };
}

// Half-written arguments are no JSON yet: they are shown as text.
function openView(block: OpenBlock): Block {
  if (block.open !== 'toolInput') return { type: block.open, text: block.text };
  return { type: 'toolCall', id: block.id, name: block.name, rawArgs: block.text };
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

// What may come only after `message.start`.
const blockTags: ReadonlySet<string> = new Set([
  'text.start',
  'text.delta',
  'text.end',
  'thinking.start',
  'thinking.delta',
  'thinking.end',
  'toolInput.start',
  'toolInput.delta',
  'toolInput.end',
  'block',
  'message.end',
]);

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function fault(text: string): { readonly fault: string } {
  return { fault: text };
}

function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : String(value);
}
