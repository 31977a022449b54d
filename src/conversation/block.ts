// The blocks a message is made of. Used by encoders, decoders, tools and transformers.

import type { JsonValue } from './json.ts';

/**
 * Text. `provider` and `data` are what a provider attached (item id, phase, …); they are replayed only to it.
 * `citations` are the provider's own objects.
 */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly refusal?: true;
  readonly citations?: readonly JsonValue[];
  readonly provider?: string;
  readonly data?: JsonValue;
}

/**
 * What the model thought. `signature`, `encrypted` and `data` are replayed byte for byte, and only to the
 * provider that made them: changing one byte makes the provider refuse the whole request.
 */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly text: string;
  readonly provider?: string;
  readonly signature?: string;
  readonly encrypted?: string;
  readonly data?: JsonValue;
}

/** Where media comes from: base64 text, a URL the provider fetches, or a file uploaded to one provider. */
export type MediaSource =
  | { readonly type: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly type: 'file'; readonly provider: string; readonly fileId: string };

/** An image. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
}

/** A document: a PDF or the like as media, or plain text with a title. */
export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource | { readonly type: 'text'; readonly text: string };
  readonly title?: string;
}

/** Recorded speech, with its transcript if it is known. */
export interface AudioBlock {
  readonly type: 'audio';
  readonly source: MediaSource;
  readonly transcript?: string;
}

/**
 * The model calls a tool. `args` is the parsed value; if the model's text is not JSON, or is nested deeper than 100 levels,
 * `args` is absent and `rawArgs` holds the text unchanged.
 */
export interface ToolCallBlock {
  readonly type: 'toolCall';
  readonly id: string;
  readonly name: string;
  readonly args?: JsonValue;
  readonly rawArgs?: string;
  readonly provider?: string;
  readonly data?: JsonValue;
}

/**
 * How a call ended. `completed` and `failed` ran to an end; `timedOut` and `interrupted` may have had effects;
 * the others never ran.
 */
export type ToolResultStatus =
  | 'completed'
  | 'failed'
  | 'invalidArguments'
  | 'unknownTool'
  | 'truncated'
  | 'denied'
  | 'timedOut'
  | 'interrupted'
  | 'notStarted';

/** What a tool result can carry. */
export type ResultContent = TextBlock | ImageBlock | DocumentBlock;

/** The answer to the call with id `callId`. It is in the `tool` message right after the call's message. */
export interface ToolResultBlock {
  readonly type: 'toolResult';
  readonly callId: string;
  readonly status: ToolResultStatus;
  readonly content: readonly ResultContent[];
}

/**
 * A compaction, alone in a `user` message. The model's view is `summary` as a user message plus everything from
 * message `keepFrom` on, without other boundaries; the last boundary wins. The transcript keeps what was before, so
 * removing the message undoes the compaction. Encoders drop the block.
 */
export interface BoundaryBlock {
  readonly type: 'boundary';
  readonly summary: string;
  readonly keepFrom: string;
}

/** Anything a provider sent that has no neutral form; replayed only to that provider, in its place. */
export interface ProviderBlock {
  readonly type: 'provider';
  readonly provider: string;
  readonly kind: string;
  readonly data: JsonValue;
}

/** Every block, distinguished by `type`. */
export type Block =
  | TextBlock
  | ThinkingBlock
  | ImageBlock
  | DocumentBlock
  | AudioBlock
  | ToolCallBlock
  | ToolResultBlock
  | BoundaryBlock
  | ProviderBlock;
