// Recorded conversations of several calls: rebuilt from our decoded answers and encoded again, each next request must
// be the recorded one in everything the provider looks at.

import { describe, expect, test } from 'vitest';
import { encodeResponsesRequest } from '../../../../src/adapters/openai/responses/encode.ts';
import { openai } from '../../../../src/adapters/openai/index.ts';
import { targetOf } from '../../../../src/adapters/openai/target.ts';
import type { Block } from '../../../../src/conversation/block.ts';
import type { JsonValue } from '../../../../src/conversation/json.ts';
import type { Message } from '../../../../src/conversation/message.ts';
import { collect } from '../../collect.ts';
import { flattened, readRecordings, replaying, type Recording } from '../../recordings.ts';
import type { Wire } from './wire.ts';

const recordings = readRecordings('openai-responses').filter((recording) => inputOf(recording).length > 0);
const followUps = recordings.flatMap((recording) => {
  const before = recordings.find((one) => one.group === recording.group && one.step === recording.step - 1);
  return before === undefined ? [] : [{ id: recording.id, before, recording }];
});

function inputOf(recording: Recording): readonly Wire[] {
  const input = (recording.request?.body as Wire | undefined)?.['input'];
  return Array.isArray(input) ? (input as Wire[]) : [];
}

const isOfClient = (item: Wire): boolean =>
  item['role'] === 'user' || item['type'] === 'function_call_output' || item['type'] === 'additional_tools';

/** What a caller of ours would have in the transcript for recorded input: neutral blocks, items of the API as provider blocks. */
function fromWire(items: readonly Wire[], prefix: string): readonly Message[] {
  const messages: Message[] = [];
  const put = (role: Message['role'], block: Block): void => {
    const last = messages.at(-1);
    if (last?.role === role) messages.splice(-1, 1, { ...last, content: [...last.content, block] });
    else messages.push({ id: `${prefix}${messages.length}`, role, content: [block] });
  };
  for (const item of items) {
    if (item['role'] === 'system' || (item['role'] === 'developer' && item['type'] !== 'additional_tools')) continue;
    if (item['type'] === 'function_call') {
      const { type: _, call_id, name, arguments: text, ...data } = item;
      const call = {
        type: 'toolCall',
        id: call_id as string,
        name: name as string,
        args: JSON.parse(text as string) as JsonValue,
      } as const;
      put('assistant', { ...call, provider: 'openai', data: data as JsonValue });
    } else if (item['type'] === 'function_call_output') {
      const text = item['output'] as string | readonly Wire[];
      const content = typeof text === 'string' ? [{ type: 'text', text } as const] : text.map(contentFromWire);
      put('tool', { type: 'toolResult', callId: item['call_id'] as string, status: 'completed', content });
    } else if (item['role'] === 'user' || item['role'] === 'assistant') {
      const parts = typeof item['content'] === 'string' ? [{ text: item['content'] }] : (item['content'] as Wire[]);
      for (const part of parts) put(item['role'], { type: 'text', text: part['text'] as string });
    } else {
      const role = item['type'] === 'additional_tools' || item['type'] === 'tool_search_output' ? 'user' : 'assistant';
      put(role, { type: 'provider', provider: 'openai', kind: item['type'] as string, data: item as JsonValue });
    }
  }
  return messages;
}

function contentFromWire(part: Wire): {
  readonly type: 'document';
  readonly source: { readonly type: 'url'; readonly url: string };
} {
  return { type: 'document', source: { type: 'url', url: part['file_url'] as string } };
}

async function conversationBefore(recording: Recording): Promise<readonly Message[]> {
  const before = recordings.find((one) => one.group === recording.group && one.step === recording.step - 1);
  if (before === undefined) return fromWire(inputOf(recording), recording.id);
  const model = openai({ model: 'recorded', apiKey: 'sk-none', fetch: replaying(before, 1).fetch });
  const { content, meta } = await collect(
    model.stream({ system: [], messages: [], tools: [] }, { signal: new AbortController().signal }),
  );
  const input = inputOf(recording);
  const trailing = input.slice(input.findLastIndex((item) => !isOfClient(item)) + 1);
  return [
    ...(await conversationBefore(before)),
    { id: `${before.id}-answer`, role: 'assistant', content, ...(meta === undefined ? {} : { meta }) },
    ...fromWire(trailing, recording.id),
  ];
}

/**
 * The accepted differences between a recorded request and ours:
 * - system text: some recorders send it as a message, we as `instructions`;
 * - `status` of items: recorders add or drop it, the API ignores it;
 * - a message as a bare text or as a list of one text part, with or without `type`, `annotations`, `logprobs`;
 * - `phase`: some recorders lose it, which makes newer models stop early; we send it back;
 * - `id`: where the recorder left it out, ours is not looked at;
 * - empty `content` of a reasoning item: says nothing;
 * - `tool_search_output` of the server's own search, and `call_id` and `arguments` of that search: one recorder loses
 *   the first and rewrites the others, we send all back as they came;
 * - `encrypted_content: null`: says nothing;
 * - typographic quotes and dashes: one recorder's cleaning flattened them in requests but not in answers;
 * - `image_generation_call`: one recorder sends only its id, we the whole item.
 */
function accepted(items: readonly Wire[]): readonly Wire[] {
  return items
    .filter(
      (item) => item['role'] !== 'system' && !(item['role'] === 'developer' && item['type'] !== 'additional_tools'),
    )
    .filter((item) => !(item['type'] === 'tool_search_output' && item['execution'] === 'server'))
    .map((item) => {
      const { status: _, phase: __, ...rest } = item as Record<string, unknown>;
      if (rest['type'] === 'image_generation_call') return { type: rest['type'], id: rest['id'] };
      if (rest['type'] === 'tool_search_call' && rest['execution'] === 'server') {
        delete rest['call_id'];
        delete rest['arguments'];
      }
      if (rest['encrypted_content'] === null) delete rest['encrypted_content'];
      if (rest['type'] === 'reasoning' && (rest['content'] as unknown[] | undefined)?.length === 0)
        delete rest['content'];
      if (rest['role'] === undefined || rest['type'] === 'additional_tools') return rest;
      const parts = typeof rest['content'] === 'string' ? [{ text: rest['content'] }] : (rest['content'] as Wire[]);
      delete rest['type'];
      return { ...rest, content: parts.map((part) => flattened((part['text'] ?? '') as string)) };
    });
}

/** Drops ids the recorder did not send, item by item. */
function withRecordedIds(ours: readonly Wire[], recorded: readonly Wire[]): readonly Wire[] {
  return ours.map((item, position) => {
    if (recorded[position]?.['id'] !== undefined) return item;
    const { id: _, ...rest } = item;
    return rest;
  });
}

test('there are 16 recorded follow-ups', () => {
  expect(followUps).toHaveLength(16);
});

describe.each(followUps)('$id', ({ recording }) => {
  test('is the request we would send', async () => {
    const body = recording.request?.body as Wire;
    const target = targetOf({ model: 'recorded', api: 'responses', store: body['store'] !== false }, undefined);
    const request = { system: [], messages: await conversationBefore(recording), tools: [] };
    const ours = accepted(encodeResponsesRequest(request, target, {})['input'] as readonly Wire[]);
    const recorded = accepted(inputOf(recording));
    expect(withRecordedIds(ours, recorded)).toEqual(recorded);
  });
});
