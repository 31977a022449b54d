// The shape of a stored conversation as zod schemas. Called by the conversation codec on values known to be JSON.

import { z } from 'zod';
import type { Block, MediaSource, ResultContent, ToolResultStatus } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { JsonValue, Meta } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';

// Free-form JSON is not checked: it is known to be JSON, may be deeper than a recursive check can go, and may have any
// keys.
const json = z.custom<JsonValue>((value) => value !== undefined, { error: 'expected a JSON value' });
const meta = z.custom<Meta>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'expected object',
});

const text = z.object({
  type: z.literal('text'),
  text: z.string(),
  refusal: z.literal(true).exactOptional(),
  citations: z.array(json).exactOptional(),
  provider: z.string().exactOptional(),
  data: json.exactOptional(),
});

const thinking = z.object({
  type: z.literal('thinking'),
  text: z.string(),
  provider: z.string().exactOptional(),
  signature: z.string().exactOptional(),
  encrypted: z.string().exactOptional(),
  data: json.exactOptional(),
});

const base64 = z.object({ type: z.literal('base64'), mediaType: z.string(), data: z.string() });
const url = z.object({ type: z.literal('url'), url: z.string(), mediaType: z.string().exactOptional() });
const file = z.object({ type: z.literal('file'), provider: z.string(), fileId: z.string() });
const plainText = z.object({ type: z.literal('text'), text: z.string() });
const media = z.discriminatedUnion('type', [base64, url, file]) satisfies z.ZodType<MediaSource>;

const image = z.object({ type: z.literal('image'), source: media });

const document = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [base64, url, file, plainText]),
  title: z.string().exactOptional(),
});

const audio = z.object({ type: z.literal('audio'), source: media, transcript: z.string().exactOptional() });

const toolCall = z.object({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  args: json.exactOptional(),
  rawArgs: z.string().exactOptional(),
  provider: z.string().exactOptional(),
  data: json.exactOptional(),
});

const status = z.enum([
  'completed',
  'failed',
  'invalidArguments',
  'unknownTool',
  'truncated',
  'denied',
  'timedOut',
  'interrupted',
  'notStarted',
]) satisfies z.ZodType<ToolResultStatus>;

const toolResult = z.object({
  type: z.literal('toolResult'),
  callId: z.string(),
  status,
  content: z.array(z.discriminatedUnion('type', [text, image, document]) satisfies z.ZodType<ResultContent>),
});

const boundary = z.object({ type: z.literal('boundary'), summary: z.string(), keepFrom: z.string() });

const provider = z.object({ type: z.literal('provider'), provider: z.string(), kind: z.string(), data: json });

const block = z.discriminatedUnion('type', [
  text,
  thinking,
  image,
  document,
  audio,
  toolCall,
  toolResult,
  boundary,
  provider,
]) satisfies z.ZodType<Block>;

const message = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.array(block),
  meta: meta.exactOptional(),
}) satisfies z.ZodType<Message>;

/** System and messages. Unknown fields pass: the codec decides about them. */
export const conversationSchema = z.object({
  system: z.array(block),
  messages: z.array(message),
}) satisfies z.ZodType<Conversation>;
