// One attempt at a model call: the order of its stream events, and the message they fold to. Called by the turn's grammar.

import type { Block, ThinkingBlock, ToolCallBlock } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { isTooDeep } from '../../conversation/json-copy.ts';
import type { Message } from '../../conversation/message.ts';
import { isSameJson } from '../../conversation/same-json.ts';
import type { StopReason, StreamEvent } from '../../contracts/model.ts';
import { expect, show } from './breach.ts';

type StreamedKind = 'text' | 'thinking' | 'toolInput';

interface StreamedBlock {
  readonly kind: StreamedKind | 'block';
  readonly call?: { readonly id: string; readonly name: string };
  pieces: string;
  isOpen: boolean;
  /** What an end event or a `block` event carried: it replaces the deltas. */
  block?: Block;
}

/** The state of one attempt. */
export interface Attempt {
  state: 'empty' | 'open' | 'ended';
  /** Whether readers have seen something that a reset would discard: any event except `usage` and `raw`. */
  isShown: boolean;
  stopReason?: StopReason;
  readonly blocks: Map<number, StreamedBlock>;
}

/** An attempt without events. */
export function beginAttempt(): Attempt {
  return { state: 'empty', isShown: false, blocks: new Map() };
}

/** Checks that the event may come now, and remembers it. */
export function readStreamEvent(attempt: Attempt, event: StreamEvent): void {
  if (event.type === 'raw') return;
  expect(attempt.state !== 'ended', 'assistant.settled after message.end, not more of the stream');
  if (event.type === 'usage') return;
  attempt.isShown = true;
  if (event.type === 'message.start') {
    expect(attempt.state === 'empty', 'one message.start per attempt, and stream.reset before the next attempt');
    attempt.state = 'open';
    return;
  }
  expect(attempt.state === 'open', 'message.start before anything else of a message');
  if (event.type === 'message.end') {
    for (const [index, block] of attempt.blocks) {
      expect(!block.isOpen, `the open ${block.kind} block ${index} to end before message.end`);
    }
    attempt.state = 'ended';
    attempt.stopReason = event.stopReason;
    return;
  }
  readBlockEvent(attempt.blocks, event);
}

type BlockEvent = Exclude<StreamEvent, { type: 'message.start' | 'message.end' | 'usage' | 'raw' }>;

function readBlockEvent(blocks: Attempt['blocks'], event: BlockEvent): void {
  const { index } = event;
  expect(Number.isInteger(index) && index >= 0, 'an index that is a whole number, 0 or more');
  switch (event.type) {
    case 'text.start':
    case 'thinking.start':
      expectUnused(blocks, index);
      blocks.set(index, { kind: event.type === 'text.start' ? 'text' : 'thinking', pieces: '', isOpen: true });
      return;
    case 'toolInput.start':
      expectUnused(blocks, index);
      blocks.set(index, { kind: 'toolInput', call: { id: event.id, name: event.name }, pieces: '', isOpen: true });
      return;
    case 'text.delta':
      openBlock(blocks, index, 'text').pieces += event.text;
      return;
    case 'thinking.delta':
      openBlock(blocks, index, 'thinking').pieces += event.text;
      return;
    case 'toolInput.delta':
      openBlock(blocks, index, 'toolInput').pieces += event.json;
      return;
    case 'text.end':
      end(openBlock(blocks, index, 'text'), event.block);
      return;
    case 'thinking.end':
      end(openBlock(blocks, index, 'thinking'), event.block);
      return;
    case 'toolInput.end':
      end(openBlock(blocks, index, 'toolInput'), event.call);
      return;
    case 'block':
      expectUnused(blocks, index);
      blocks.set(index, { kind: 'block', pieces: '', isOpen: false, block: event.block });
  }
}

function expectUnused(blocks: Attempt['blocks'], index: number): void {
  const other = blocks.get(index);
  if (other === undefined) return;
  expect(false, `an unused index: a ${other.kind} block ${other.isOpen ? 'is open' : 'has ended'} at ${index}`);
}

function openBlock(blocks: Attempt['blocks'], index: number, kind: StreamedKind): StreamedBlock {
  const block = blocks.get(index);
  expect(block !== undefined, `${kind}.start with index ${index} before it`);
  expect(block.kind === kind, () => `an event of the ${block.kind} block at ${index}`);
  expect(block.isOpen, `nothing more of block ${index}, which has ended`);
  return block;
}

function end(block: StreamedBlock, finished: Block | undefined): void {
  block.isOpen = false;
  if (finished !== undefined) block.block = finished;
}

/**
 * Checks that the settled message is what the attempt streamed. Empty text may be left out, and empty or repeated call
 * ids may be renamed. Of an answer that overflowed the context only text and signed thinking are kept.
 */
export function expectFold(attempt: Attempt, message: Message): void {
  const streamed = [...attempt.blocks].sort(([a], [b]) => a - b).map(([, block]) => foldedBlock(block));
  const isCut = attempt.stopReason === 'contextOverflow';
  const said = streamed.filter((block) => !isEmpty(block) && (!isCut || isKeptWhenCut(block)));
  const settled = message.content.filter((block) => !isEmpty(block));
  expect(said.length === settled.length, () => `${said.length} blocks, as streamed, and not ${settled.length}`);
  const hasOwnIds = haveOwnIds(said);
  for (const [position, block] of said.entries()) {
    const got = settled[position];
    expect(
      isSameJson(hasOwnIds ? block : withoutId(block), hasOwnIds ? got : withoutId(got)),
      () => `block ${position} to be ${show(block)}, as streamed, and not ${show(got)}`,
    );
  }
}

function haveOwnIds(blocks: readonly Block[]): boolean {
  const ids = blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
  return new Set(ids).size === ids.length && !ids.includes('');
}

function withoutId(block: Block | undefined): Block | undefined {
  return block?.type === 'toolCall' ? { ...block, id: '' } : block;
}

function foldedBlock(block: StreamedBlock): Block {
  if (block.block !== undefined) return block.block;
  if (block.kind === 'thinking') return { type: 'thinking', text: block.pieces };
  if (block.call === undefined) return { type: 'text', text: block.pieces };
  return { type: 'toolCall', ...block.call, ...parsed(block.pieces) };
}

function parsed(json: string): Pick<ToolCallBlock, 'args' | 'rawArgs'> {
  if (json.trim() === '') return { args: {} };
  try {
    const args: JsonValue = JSON.parse(json);
    return isTooDeep(args) ? { rawArgs: json } : { args };
  } catch {
    return { rawArgs: json };
  }
}

function isEmpty(block: Block): boolean {
  if (block.type === 'text') return block.text === '' && block.data === undefined && block.citations === undefined;
  return block.type === 'thinking' && block.text === '' && block.data === undefined && !isSigned(block);
}

function isKeptWhenCut(block: Block): boolean {
  return block.type === 'text' || (block.type === 'thinking' && isSigned(block));
}

function isSigned(block: ThinkingBlock): boolean {
  return block.signature !== undefined || block.encrypted !== undefined;
}
