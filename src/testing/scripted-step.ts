// One step of a scripted model and its stream events. Pure; called by scriptedModel.

import type { Block, ThinkingBlock, ToolCallBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Usage } from '../conversation/usage.ts';
import type { ModelRequest, StopReason, StreamEvent } from '../contracts/model.ts';
import type { MaybePromise } from '../contracts/transformer.ts';

/** A tool call the model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** Default `{}`. */
  readonly args?: JsonValue;
  /** The argument text as the model writes it, instead of `args`: for truncated or invalid JSON. */
  readonly rawArgs?: string;
  /** Default `call_1`, `call_2`, …, counted per model. */
  readonly id?: string;
}

/**
 * One model call. Its events come in this order: `message.start`, thinking, text, calls, `usage`, `message.end`; each
 * block as start, deltas and end. Counts of events (`stallAfter`, `cutAfter`, `throwAfter`) include `message.start`; a
 * count larger than the number of events means after the last one.
 */
export interface ScriptedStep {
  readonly text?: string;
  /** A block (`{ text, signature, … }`) is sent with `thinking.end`, like providers' signatures. */
  readonly thinking?: string | Omit<ThinkingBlock, 'type'>;
  readonly calls?: readonly ScriptedCall[];
  /** Any blocks in any order, instead of `thinking`, `text` and `calls`. */
  readonly blocks?: readonly Block[];
  /** Default `toolUse` when there are calls, else `endTurn`. */
  readonly stopReason?: StopReason;
  readonly rawStopReason?: string;
  /** Default: no usage is reported. */
  readonly usage?: Usage;
  /**
   * How the text of each block (also thinking and arguments) is cut into deltas. A number: this many characters each
   * (UTF-16 units: surrogate pairs may be cut). A list of numbers: the sizes of the first deltas, 0 allowed, then one
   * with the rest. A list of strings: the deltas of `text`, which may then be omitted. Default: one delta per block,
   * none for an empty one.
   */
  readonly chunks?: number | readonly number[] | readonly string[];
  /** Milliseconds on `options.host`'s clock before the first event, or before a `throw`. */
  readonly delayMs?: number;
  /** Milliseconds on `options.host`'s clock before each event after the first. */
  readonly paceMs?: number;
  /** While waiting or stalling, calls the request's `activity` at this interval, in milliseconds on `options.host`'s clock. */
  readonly pingEveryMs?: number;
  /** After this many events nothing comes until the signal aborts; then its reason is thrown. */
  readonly stallAfter?: number;
  /** After this many events the stream just ends, as if the connection was lost without an error. */
  readonly cutAfter?: number;
  /** Thrown before the first event, or after `throwAfter` events. Any value, also undefined. */
  readonly throw?: unknown;
  readonly throwAfter?: number;
  /**
   * Ignores its signal. Unless `cutAfter` or `throw` ends it, it never settles: it stalls forever after `stallAfter`
   * events, by default just before `message.end`.
   */
  readonly deaf?: boolean;
  /** Yielded as they are, instead of everything above: for models that break the protocol. */
  readonly events?: readonly unknown[];
}

/** What a step function gets besides the request. */
export interface ScriptedCallContext {
  /** 0 for the model's first call. */
  readonly index: number;
  readonly signal: AbortSignal;
}

/** A step, or a function of the request that returns one. What it throws fails the call and `verify()`. */
export type ScriptedStepSource =
  | ScriptedStep
  | ((request: ModelRequest, call: ScriptedCallContext) => MaybePromise<ScriptedStep>);

/** The events of a step, in order. `createCallId` is called for calls without an id. Throws a RangeError for bad `chunks`. */
export function eventsOf(step: ScriptedStep, createCallId: () => string): readonly unknown[] {
  if (step.events !== undefined) return step.events;
  const blocks: readonly (Block | ScriptedArguments)[] = step.blocks ?? blocksOf(step, createCallId);
  const hasCalls = blocks.some((block) => block.type === 'toolCall' || block.type === 'arguments');
  const events: StreamEvent[] = [{ type: 'message.start' }];
  for (const [index, block] of blocks.entries()) {
    for (const event of blockEvents(block, index, step.chunks)) events.push(event);
  }
  if (step.usage !== undefined) events.push({ type: 'usage', usage: step.usage });
  events.push({
    type: 'message.end',
    stopReason: step.stopReason ?? (hasCalls ? 'toolUse' : 'endTurn'),
    ...(step.rawStopReason === undefined ? {} : { rawStopReason: step.rawStopReason }),
  });
  return events;
}

/** A call whose arguments are still text. */
interface ScriptedArguments {
  readonly type: 'arguments';
  readonly id: string;
  readonly name: string;
  readonly json: string;
}

function blocksOf(step: ScriptedStep, createCallId: () => string): (Block | ScriptedArguments)[] {
  const blocks: (Block | ScriptedArguments)[] = [];
  const { thinking } = step;
  if (typeof thinking === 'string') blocks.push({ type: 'thinking', text: thinking });
  else if (thinking !== undefined) blocks.push({ type: 'thinking', ...thinking });
  const text = step.text ?? textFromChunks(step.chunks);
  if (text !== undefined) blocks.push({ type: 'text', text });
  for (const call of step.calls ?? []) {
    const json = call.rawArgs ?? JSON.stringify(call.args ?? {});
    blocks.push({ type: 'arguments', id: call.id ?? createCallId(), name: call.name, json });
  }
  return blocks;
}

function* blockEvents(
  block: Block | ScriptedArguments,
  index: number,
  chunks: ScriptedStep['chunks'],
): Generator<StreamEvent> {
  switch (block.type) {
    case 'text':
      yield { type: 'text.start', index };
      for (const text of cut(block.text, chunks, true)) yield { type: 'text.delta', index, text };
      yield isPlain(block) ? { type: 'text.end', index } : { type: 'text.end', index, block };
      return;
    case 'thinking':
      yield { type: 'thinking.start', index };
      for (const text of cut(block.text, chunks)) yield { type: 'thinking.delta', index, text };
      yield isPlain(block) ? { type: 'thinking.end', index } : { type: 'thinking.end', index, block };
      return;
    case 'toolCall':
    case 'arguments': {
      const json = block.type === 'toolCall' ? argsTextOf(block) : block.json;
      yield { type: 'toolInput.start', index, id: block.id, name: block.name };
      for (const piece of cut(json, chunks)) yield { type: 'toolInput.delta', index, json: piece };
      yield block.type === 'toolCall'
        ? { type: 'toolInput.end', index, call: block }
        : { type: 'toolInput.end', index };
      return;
    }
    default:
      yield { type: 'block', index, block };
  }
}

function argsTextOf(call: ToolCallBlock): string {
  return call.rawArgs ?? JSON.stringify(call.args ?? {});
}

/** Whether the deltas contain everything: such a block is not repeated in its end event. */
function isPlain(block: Block): boolean {
  return Object.keys(block).length === 2;
}

function textFromChunks(chunks: ScriptedStep['chunks']): string | undefined {
  return isStringList(chunks) ? chunks.join('') : undefined;
}

function cut(text: string, chunks: ScriptedStep['chunks'], isText = false): readonly string[] {
  if (isStringList(chunks)) {
    if (!isText) return whole(text);
    if (chunks.join('') === text) return chunks;
    throw new RangeError(
      `scriptedModel: chunks joined give ${JSON.stringify(chunks.join(''))}, but the text is ${JSON.stringify(text)}.`,
    );
  }
  if (chunks === undefined) return whole(text);
  if (typeof chunks === 'number') {
    checkSize(chunks, 1);
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += chunks) pieces.push(text.slice(at, at + chunks));
    return pieces;
  }
  const pieces: string[] = [];
  let at = 0;
  for (const size of chunks) {
    checkSize(size, 0);
    if (at >= text.length && size > 0) break;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return [...pieces, ...whole(text.slice(at))];
}

function whole(text: string): readonly string[] {
  return text === '' ? [] : [text];
}

function checkSize(size: number, least: number): void {
  if (Number.isInteger(size) && size >= least) return;
  throw new RangeError(`scriptedModel: a size in chunks must be a whole number, ${least} or more, got ${size}.`);
}

function isStringList(chunks: ScriptedStep['chunks']): chunks is readonly string[] {
  return Array.isArray(chunks) && typeof chunks[0] === 'string';
}
