// The seam to language models: one streaming call. Adapters implement it; the turn consumes it.

import type { Block, TextBlock, ThinkingBlock, ToolCallBlock } from '../conversation/block.ts';
import type { JsonValue, Meta } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';

/** A tool as a model sees it. `parameters` is JSON Schema of type object. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: JsonValue };
  readonly strict?: boolean;
  readonly providerOptions?: JsonValue;
}

/** Whether the model must call a tool, and which. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/** The request to a model. The arrays belong to the runtime: read them, do not keep or change them. */
export interface ModelRequest {
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly maxOutputTokens?: number;
  /** Structured output: the answer must match `schema` (JSON Schema). */
  readonly output?: { readonly name: string; readonly schema: JsonValue };
  /** Passed to the adapter unchanged. */
  readonly providerOptions?: { readonly [key: string]: unknown };
}

/** Why a model stopped. `pause`: call it again with what it has said so far. */
export type StopReason =
  | 'endTurn'
  | 'toolUse'
  | 'maxTokens'
  | 'stopSequence'
  | 'refusal'
  | 'pause'
  | 'contextOverflow'
  | 'other';

/**
 * One piece of a model's answer. `index` is the position of the block in the message. Blocks and `meta` are JSON,
 * fields that are undefined are not given; anything else ends the attempt as `stream.protocol`. Tags without a dot
 * (`block`, `usage`, `raw`) are single facts, the others start, delta and end. An end event may carry the finished
 * block, which then replaces what the deltas built. `usage` is a running total of this message: the last one wins.
 */
export type StreamEvent =
  | { readonly type: 'message.start'; readonly providerId?: string; readonly model?: string }
  | { readonly type: 'text.start'; readonly index: number }
  | { readonly type: 'text.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'text.end'; readonly index: number; readonly block?: TextBlock }
  | { readonly type: 'thinking.start'; readonly index: number }
  | { readonly type: 'thinking.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'thinking.end'; readonly index: number; readonly block?: ThinkingBlock }
  | { readonly type: 'toolInput.start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'toolInput.delta'; readonly index: number; readonly json: string }
  | { readonly type: 'toolInput.end'; readonly index: number; readonly call?: ToolCallBlock }
  | { readonly type: 'block'; readonly index: number; readonly block: Block }
  | { readonly type: 'usage'; readonly usage: Usage }
  | {
      readonly type: 'message.end';
      readonly stopReason: StopReason;
      readonly rawStopReason?: string;
      readonly meta?: Meta;
    }
  | { readonly type: 'raw'; readonly provider: string; readonly event: JsonValue };

/** Options of one model call. */
export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** Call it on any activity that yields no event (bytes, pings): it resets the idle timeout. */
  readonly activity?: () => void;
}

/** A language model. One instance serves any number of engines and conversations at once. */
export interface Model {
  readonly id: string;
  readonly info?: {
    readonly contextTokens?: number;
    readonly maxOutputTokens?: number;
    readonly input?: readonly ('text' | 'image' | 'document' | 'audio')[];
  };
  /**
   * Ends only after `message.end`; a stream that ends before it is `stream.incomplete`. Failures throw `ModelError`;
   * anything else thrown is `model.failed` and not retried.
   */
  readonly stream: (request: ModelRequest, options: ModelCallOptions) => AsyncIterable<StreamEvent>;
}

/** A complete answer: the fold over a stream. */
export interface Completion {
  readonly message: Message;
  readonly stopReason: StopReason;
  readonly rawStopReason?: string;
  readonly usage?: Usage;
}
