// Recorded conversations of several calls: rebuilt from our decoded answers and encoded again, each next request must
// be the recorded one in everything the provider looks at.

import { describe, expect, test } from 'vitest';
import { anthropic } from '../../../src/adapters/anthropic/index.ts';
import { encodeRequest } from '../../../src/adapters/anthropic/encode.ts';
import { openai } from '../../../src/adapters/openai/index.ts';
import type { Block, MediaSource, ResultContent } from '../../../src/conversation/block.ts';
import type { Model } from '../../../src/contracts/model.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';
import type { Message } from '../../../src/conversation/message.ts';
import { collect } from '../collect.ts';
import { flattened, readRecordings, replaying, type Recording } from '../recordings.ts';
import { answerIn, comparable, type Wire } from './wire.ts';

interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Wire[];
}

const answered = readRecordings('anthropic').filter(
  (recording) => recording.request !== null && (recording.response.status ?? 200) < 400,
);
// Some groups were recorded across providers: steps of theirs are answers of OpenAI.
const answeredByOpenAI = readRecordings('openai-responses');
const messagesOf = (recording: Recording): readonly WireMessage[] =>
  ((recording.request?.body ?? { messages: [] }) as { messages: WireMessage[] }).messages;
const followUps = answered.filter((recording) => messagesOf(recording).some((message) => message.role === 'assistant'));

/** What a caller of ours would have put into the transcript for a recorded request message. */
function fromWire(message: WireMessage, id: string): Message {
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const content = blocks.map(blockFromWire);
  const isResults = content.some((block) => block.type === 'toolResult');
  return { id, role: message.role === 'assistant' ? 'assistant' : isResults ? 'tool' : 'user', content };
}

function blockFromWire(block: Wire): Block {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: block['text'] as string };
    case 'thinking':
      return {
        type: 'thinking',
        text: block['thinking'] as string,
        signature: block['signature'] as string,
        provider: 'anthropic',
      };
    case 'image':
      return { type: 'image', source: sourceFromWire(block['source'] as Wire) };
    case 'tool_use':
      return {
        type: 'toolCall',
        id: block['id'] as string,
        name: block['name'] as string,
        args: block['input'] as JsonValue,
      };
    case 'tool_result':
      return {
        type: 'toolResult',
        callId: block['tool_use_id'] as string,
        status: block['is_error'] === true ? 'failed' : 'completed',
        content: resultFromWire(block['content'] as string | readonly Wire[]),
      };
    default:
      return { type: 'provider', provider: 'anthropic', kind: block['type'] as string, data: block as JsonValue };
  }
}

function resultFromWire(content: string | readonly Wire[]): readonly ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  // `tool_reference` has no neutral form: such a result cannot be given by a tool of ours
  return content
    .filter((piece) => piece['type'] !== 'tool_reference')
    .map((piece) => blockFromWire(piece) as ResultContent);
}

function sourceFromWire(source: Wire): MediaSource {
  return { type: 'base64', mediaType: source['media_type'] as string, data: source['data'] as string };
}

interface EarlierAnswer {
  readonly content: readonly Block[];
  /** What Anthropic is to see of it, in comparable form. */
  readonly said: readonly Wire[];
}

/** Decoded answers of the earlier steps of a group. */
async function earlierAnswers(recording: Recording): Promise<readonly EarlierAnswer[]> {
  const isEarlier = (one: Recording): boolean => one.group === recording.group && one.step < recording.step;
  const own = answered.filter(isEarlier).map(async (one) => ({
    content: await decoded(anthropic({ model: 'claude-recorded', apiKey: 'none', fetch: replaying(one, 1).fetch })),
    said: comparable(answerIn(one).content),
  }));
  const others = answeredByOpenAI.filter(isEarlier).map(async (one) => {
    const content = await decoded(
      openai({ model: 'recorded', api: 'responses', apiKey: 'none', fetch: replaying(one, 1).fetch }),
    );
    return { content, said: content.flatMap(seenOfOther) };
  });
  return Promise.all([...own, ...others]);
}

async function decoded(model: Model): Promise<readonly Block[]> {
  const request = { system: [], messages: [], tools: [] };
  return (await collect(model.stream(request, { signal: new AbortController().signal }))).content;
}

function seenOfOther(block: Block): readonly Wire[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return block.type === 'toolCall' ? [{ type: 'tool_use', id: block.id }] : [];
}

/**
 * The accepted differences between a recorded request and ours:
 * - `cache_control`: every client marks its own places;
 * - `is_error: false`: says nothing;
 * - `caller: { type: 'direct' }`: may be dropped (some recorders do, some do not);
 * - citations of texts: some recorders drop them, we send back what came;
 * - null fields: recorders that dump their own classes add or lose them;
 * - a tool result as a string or as one text block;
 * - adjacent messages of one role: the API merges them, we send them merged;
 * - thinking of another provider: one recorder sends it as texts in `<thinking>`, we leave it out;
 * - typographic quotes and dashes: one recorder's cleaning flattened them in requests but not in answers;
 * - `tool_reference` in a result: made by a client-side tool search of the recorder, no tool of ours can give it.
 */
function accepted(messages: readonly WireMessage[]): readonly WireMessage[] {
  const merged: { role: string; content: Wire[] }[] = [];
  for (const message of messages) {
    const blocks = (typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content)
      .filter((block) => !isForeignThinking(block))
      .map(acceptedBlock);
    const last = merged.at(-1);
    if (last?.role === message.role) last.content.push(...blocks);
    else merged.push({ role: message.role, content: [...blocks] });
  }
  return merged as readonly WireMessage[];
}

function acceptedBlock(block: Wire): Wire {
  const copy = withoutNull(block) as Record<string, unknown>;
  delete copy['cache_control'];
  delete copy['citations'];
  if (copy['type'] === 'text') copy['text'] = flattened(copy['text'] as string);
  if (copy['is_error'] === false) delete copy['is_error'];
  if ((copy['caller'] as Wire | undefined)?.['type'] === 'direct') delete copy['caller'];
  if (copy['type'] === 'tool_result') {
    const content =
      typeof copy['content'] === 'string'
        ? [{ type: 'text', text: copy['content'] }]
        : ((copy['content'] ?? []) as Wire[]);
    copy['content'] = content.filter((piece) => piece['type'] !== 'tool_reference').map(acceptedBlock);
  }
  return copy;
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([key, field]) => [key, withoutNull(field)]),
  );
}

describe.each(followUps.map((recording) => [`${recording.group} step ${recording.step}`, recording] as const))(
  '%s',
  (_, recording) => {
    test('the next request is the recorded one', async () => {
      const earlier = await earlierAnswers(recording);
      const messages = messagesOf(recording).map((message, position): Message => {
        const plain = fromWire(message, `m${position}`);
        if (message.role !== 'assistant') return plain;
        const same = earlier.find(({ said }) => isSameAnswer(said, message.content as readonly Wire[]));
        return same === undefined ? plain : { ...plain, content: same.content };
      });
      const body = encodeRequest(
        { system: [], messages, tools: [] },
        { model: 'claude-recorded', maxOutputTokens: 1000, cache: 'request', serverTools: [], now: 0 },
      );
      expect(accepted(body['messages'] as WireMessage[])).toEqual(accepted(messagesOf(recording)));
    });
  },
);

test('answers decoded from the step before are used wherever it was recorded', async () => {
  const used = await Promise.all(
    followUps.map(async (recording) => {
      const earlier = await earlierAnswers(recording);
      return messagesOf(recording).filter(
        (message) =>
          message.role === 'assistant' &&
          earlier.some(({ said }) => isSameAnswer(said, message.content as readonly Wire[])),
      ).length;
    }),
  );
  expect(used.reduce((sum, count) => sum + count, 0)).toBe(39);
  const assistants = followUps.flatMap(messagesOf).filter((message) => message.role === 'assistant');
  expect(assistants).toHaveLength(43);
  // No model said the other four: one recorder puts a call of its own before the tools it offers.
  const own = assistants.filter(({ content }) => JSON.stringify(content).includes('"auto_load_'));
  expect(own).toHaveLength(4);
});

/** True if a recorded request message is the answer: the same kinds of blocks with the same ids or texts, in order. */
function isSameAnswer(said: readonly Wire[], content: readonly Wire[]): boolean {
  const key = (block: Wire): string =>
    flattened(String(block['id'] ?? block['tool_use_id'] ?? block['text'] ?? block['thinking'] ?? block['data']));
  const seen = content.filter((block) => !isForeignThinking(block));
  return said.length === seen.length && said.every((block, at) => key(block) === key(seen[at] ?? {}));
}

function isForeignThinking(block: Wire): boolean {
  return block['type'] === 'text' && (block['text'] as string).startsWith('<thinking>');
}
