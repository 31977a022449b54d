// Arbitrary valid conversations and tool calls. Called by property tests of transformers, adapters and codecs.

import type { Arbitrary } from 'fast-check';
import type {
  AudioBlock,
  Block,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  ProviderBlock,
  ResultContent,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultStatus,
} from '../../conversation/block.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Message, Role } from '../../conversation/message.ts';
import { jsonObjects, jsonValues, texts } from './json-values.ts';
import { fc } from './fast-check.ts';

/** Options of `conversations`. */
export interface ConversationConstraints {
  /** Most messages per conversation; a real session has about 1,000. Lengths are evenly distributed. Default: 30. */
  readonly maxMessages?: number;
  /** Whether there may be compactions, alone in user messages. Default: true. */
  readonly boundaries?: boolean;
  /** Whether the calls of a last assistant message may have no results yet. Default: false. */
  readonly openTail?: boolean;
  /** One text in five is repeated up to this many times, so that sizes matter. Default: 1. */
  readonly maxRepeats?: number;
}

/**
 * Valid conversations: `verifyTranscript` finds no fault in them. They have all kinds of blocks, parallel calls with
 * results in any order and of any status, answers in several messages, empty messages, call ids that repeat in other
 * messages, boundaries that keep from an earlier or a missing message, and texts with Unicode traps. Except for
 * boundaries nothing refers to other messages, so they shrink by dropping pieces and simplifying blocks.
 */
export function conversations(constraints: ConversationConstraints = {}): Arbitrary<Conversation> {
  const { maxMessages = 30, boundaries = true, openTail = false, maxRepeats = 1 } = constraints;
  const piece = fc.oneof(
    { weight: 3, arbitrary: said(maxRepeats) },
    { weight: 6, arbitrary: answered(maxRepeats) },
    ...(boundaries ? [{ weight: 1, arbitrary: compacted() }] : []),
  );
  return record({
    system: fc.array(textBlocks(), { maxLength: 2 }),
    pieces: fc.array(piece, { maxLength: maxMessages, size: 'max' }),
    naming: record({ prefix: fc.constantFrom('m', 'msg_\ud83e\udd8a'), repeatsCallIds: fc.boolean() }),
    isOpen: openTail ? fc.boolean() : fc.constant(false),
  }).map(({ system, pieces, naming, isOpen }) => {
    const messages = assemble(pieces, naming, maxMessages);
    if (isOpen && messages.at(-1)?.role === 'tool') messages.pop();
    return { system, messages };
  });
}

/** Tool calls with JSON arguments of any kind, mostly objects, or with any text as `rawArgs`. */
export function toolCalls(): Arbitrary<ToolCallBlock> {
  return record({ id: fc.string({ minLength: 1, maxLength: 12, unit: idCharacters }), call: callBodies() }).map(
    ({ id, call }) => ({ type: 'toolCall', id, ...call }),
  );
}

type CallBody = Omit<ToolCallBlock, 'type' | 'id'>;

/** One part of a conversation, without ids. */
type Piece =
  | { readonly kind: 'said'; readonly content: readonly Block[]; readonly meta: Pick<Message, 'meta'> }
  /** `keepFrom` selects one of the pieces before it; undefined = a message that does not exist. */
  | { readonly kind: 'compacted'; readonly summary: string; readonly keepFrom: number | undefined }
  | {
      readonly kind: 'answered';
      readonly contents: readonly (readonly Block[])[];
      readonly meta: Pick<Message, 'meta'>;
      readonly calls: readonly {
        readonly call: CallBody;
        readonly status: ToolResultStatus;
        readonly content: readonly ResultContent[];
      }[];
      readonly isReversed: boolean;
    };

const idCharacters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-'.split(''));

const statuses: readonly ToolResultStatus[] = [
  'completed',
  'failed',
  'invalidArguments',
  'unknownTool',
  'truncated',
  'denied',
  'timedOut',
  'interrupted',
  'notStarted',
];

function assemble(
  pieces: readonly Piece[],
  naming: { readonly prefix: string; readonly repeatsCallIds: boolean },
  maxMessages: number,
): Message[] {
  const messages: Message[] = [];
  const starts: string[] = [];
  const add = (role: Role, content: readonly Block[], meta: Pick<Message, 'meta'> = {}) => {
    messages.push({ id: `${naming.prefix}${messages.length + 1}`, role, content, ...meta });
  };
  for (const piece of pieces) {
    const needed = piece.kind === 'answered' ? piece.contents.length + (piece.calls.length > 0 ? 1 : 0) : 1;
    if (messages.length + needed > maxMessages) continue;
    const first = messages.length;
    if (piece.kind === 'said') add('user', piece.content, piece.meta);
    else if (piece.kind === 'compacted') {
      const keepFrom =
        piece.keepFrom === undefined ? `${naming.prefix}0` : starts[piece.keepFrom % Math.max(1, starts.length)];
      if (keepFrom !== undefined) add('user', [{ type: 'boundary', summary: piece.summary, keepFrom }]);
      continue;
    } else {
      for (const content of piece.contents.slice(0, -1)) add('assistant', content, piece.meta);
      const scope = naming.repeatsCallIds ? 'call' : `call${messages.length + 1}`;
      const calls = piece.calls.map(({ call }, index): Block => ({
        type: 'toolCall',
        id: `${scope}_${index + 1}`,
        ...call,
      }));
      add('assistant', [...(piece.contents.at(-1) ?? []), ...calls], piece.meta);
      const results = piece.calls.map(({ status, content }, index): Block => ({
        type: 'toolResult',
        callId: `${scope}_${index + 1}`,
        status,
        content,
      }));
      if (results.length > 0) add('tool', piece.isReversed ? results.toReversed() : results);
    }
    starts.push(`${naming.prefix}${first + 1}`);
  }
  return messages;
}

function said(maxRepeats: number): Arbitrary<Piece> {
  const content = fc.oneof(
    { weight: 4, arbitrary: longTextBlocks(maxRepeats).map((block) => [block]) },
    { weight: 1, arbitrary: fc.array(fc.oneof(textBlocks(), images(), documents(), audios()), { maxLength: 3 }) },
  );
  return record({ content, meta: metas() }).map((piece) => ({ kind: 'said', ...piece }));
}

function compacted(): Arbitrary<Piece> {
  return record({ summary: texts(), keepFrom: fc.option(fc.nat(1000), { nil: undefined, freq: 4 }) }).map((piece) => ({
    kind: 'compacted',
    ...piece,
  }));
}

function answered(maxRepeats: number): Arbitrary<Piece> {
  const content = fc.array(
    fc.oneof({ weight: 4, arbitrary: textBlocks() }, { weight: 2, arbitrary: thoughts() }, foreignBlocks()),
    { maxLength: 3 },
  );
  const call = record({
    call: callBodies(),
    status: fc.constantFrom(...statuses),
    content: fc.array(fc.oneof({ weight: 4, arbitrary: longTextBlocks(maxRepeats) }, images(), documents()), {
      maxLength: 2,
    }),
  });
  return record({
    // Messages before a pause. Shrinks to none.
    before: fc.oneof(
      { weight: 9, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(content, { maxLength: 2 }) },
    ),
    content,
    calls: fc.array(call, { maxLength: 4 }),
    isReversed: fc.boolean(),
    meta: metas(),
  }).map(({ before, content: last, ...piece }) => ({ kind: 'answered', contents: [...before, last], ...piece }));
}

function callBodies(): Arbitrary<CallBody> {
  const name = fc.string({ minLength: 1, maxLength: 20, unit: idCharacters });
  return fc.oneof(
    { weight: 6, arbitrary: record({ name, args: jsonObjects() }) },
    record({ name, args: jsonValues() }),
    record({ name, rawArgs: texts() }),
    record({ name, args: jsonObjects(), provider: providers(), data: jsonValues() }),
  );
}

function textBlocks(): Arbitrary<TextBlock> {
  return fc.oneof(
    { weight: 6, arbitrary: texts().map((text): TextBlock => ({ type: 'text', text })) },
    record({
      type: fc.constant('text' as const),
      text: texts(),
      provider: providers(),
      data: jsonValues(),
      citations: fc.array(jsonValues(), { maxLength: 2 }),
    }),
    texts().map((text): TextBlock => ({ type: 'text', text, refusal: true })),
  );
}

function longTextBlocks(maxRepeats: number): Arbitrary<TextBlock> {
  if (maxRepeats <= 1) return textBlocks();
  const long = record({ text: texts(), times: fc.integer({ min: 1, max: maxRepeats }) });
  return fc.oneof(
    { weight: 4, arbitrary: textBlocks() },
    { weight: 1, arbitrary: long.map(({ text, times }): TextBlock => ({ type: 'text', text: text.repeat(times) })) },
  );
}

function thoughts(): Arbitrary<ThinkingBlock> {
  const type = fc.constant('thinking' as const);
  return fc.oneof(
    record({ type, text: texts() }),
    record({ type, text: texts(), provider: providers(), signature: fc.base64String() }),
    record({ type, text: fc.constant(''), provider: providers(), encrypted: fc.base64String() }),
    record({ type, text: fc.constant(''), provider: providers(), encrypted: fc.base64String(), data: jsonValues() }),
  );
}

function foreignBlocks(): Arbitrary<ProviderBlock> {
  return record({
    type: fc.constant('provider' as const),
    provider: providers(),
    kind: texts(),
    data: jsonValues(),
  });
}

function images(): Arbitrary<ImageBlock> {
  return record({ type: fc.constant('image' as const), source: media('image/png') });
}

function documents(): Arbitrary<DocumentBlock> {
  const text = record({ type: fc.constant('text' as const), text: texts() });
  return fc.record(
    { type: fc.constant('document' as const), source: fc.oneof(text, media('application/pdf')), title: texts() },
    { requiredKeys: ['type', 'source'], noNullPrototype: true },
  );
}

function audios(): Arbitrary<AudioBlock> {
  return fc.record(
    { type: fc.constant('audio' as const), source: media('audio/wav'), transcript: texts() },
    { requiredKeys: ['type', 'source'], noNullPrototype: true },
  );
}

function media(mediaType: string): Arbitrary<MediaSource> {
  return fc.oneof(
    fc.base64String().map((data): MediaSource => ({ type: 'base64', mediaType, data })),
    fc.webUrl().map((url): MediaSource => ({ type: 'url', url })),
    record({ type: fc.constant('file' as const), provider: providers(), fileId: texts() }),
  );
}

function providers(): Arbitrary<string> {
  return fc.constantFrom('anthropic', 'openai', 'other');
}

function metas(): Arbitrary<Pick<Message, 'meta'>> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    jsonObjects().map((meta) => ({ meta })),
  );
}

/** Plain objects. By default fast-check sometimes makes one without a prototype, unlike any JSON. */
function record<Fields>(model: { [Key in keyof Fields]: Arbitrary<Fields[Key]> }): Arbitrary<Fields> {
  return fc.record(model, { noNullPrototype: true });
}
