// The two OpenAI rows of the adapter costs.

import { OpenAI } from 'openai';
import { openai } from '../../src/adapters/openai/index.ts';
import { minimalEvents, type AdapterRow } from './row.ts';

const piece = ' token';
const question = 'go';

const clientWith = (fetch: typeof globalThis.fetch): OpenAI =>
  new OpenAI({ apiKey: 'none', fetch, maxRetries: 0, logLevel: 'off' });

async function readOurs(api: 'responses' | 'chat', fetch: typeof globalThis.fetch): Promise<number> {
  const events = openai({ model: 'bench', api, client: clientWith(fetch) }).stream(
    { system: [], messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: question }] }], tools: [] },
    { signal: new AbortController().signal },
  );
  let characters = 0;
  for await (const event of events) if (event.type === 'text.delta') characters += event.text.length;
  return characters;
}

const id = 'msg_67ccd3acc8d48190a77525dc6de64b4104becb25c45c1d42';
const response = { id: 'resp_1', object: 'response', model: 'bench', status: 'in_progress', output: [] };
const message = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const aroundResponse = 5; // created, item and part begun, item done, completed

function framed(payload: { readonly type: string; readonly [key: string]: unknown }, sequence_number: number): string {
  return `event: ${payload.type}\ndata: ${JSON.stringify({ ...payload, sequence_number })}\n\n`;
}

function responseEvents(count: number): readonly string[] {
  const text = piece.repeat(count);
  const done = {
    ...message,
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  };
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  const place = { item_id: id, output_index: 0, content_index: 0 };
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item: message },
    { type: 'response.content_part.added', ...place, part },
    ...Array.from({ length: count }, () => ({
      type: 'response.output_text.delta',
      ...place,
      delta: piece,
      logprobs: [],
    })),
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [done] } },
  ].map(framed);
}

/** Small text deltas of the Responses API. */
export const responsesRow: AdapterRow = {
  name: 'OpenAI Responses',
  events: responseEvents,
  characters: (events) => (events - aroundResponse) * piece.length,
  ways: {
    async floor(fetch) {
      const { body } = await clientWith(fetch)
        .responses.create({ model: 'bench', input: question, stream: true })
        .asResponse();
      let characters = 0;
      if (body === null) return 0;
      for await (const event of minimalEvents(body)) {
        const { type, delta } = event as { type: string; delta?: string };
        if (type === 'response.output_text.delta') characters += delta?.length ?? 0;
      }
      return characters;
    },
    ours: (fetch) => readOurs('responses', fetch),
    async 'SDK stream'(fetch) {
      const events = await clientWith(fetch).responses.create({ model: 'bench', input: question, stream: true });
      let characters = 0;
      for await (const event of events)
        if (event.type === 'response.output_text.delta') characters += event.delta.length;
      return characters;
    },
    async 'SDK helper'(fetch) {
      let characters = 0;
      for await (const event of clientWith(fetch).responses.stream({ model: 'bench', input: question })) {
        if (event.type === 'response.output_text.delta') characters += event.delta.length;
      }
      return characters;
    },
  },
};

const aroundChat = 3; // the role, the finish reason, the usage
const messages = [{ role: 'user' as const, content: question }];

function chatEvents(count: number): readonly string[] {
  const base = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'bench',
    system_fingerprint: 'fp_1',
  };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const usage = { prompt_tokens: 1, completion_tokens: count, total_tokens: count + 1 };
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...Array.from({ length: count }, () => chunk({ content: piece })),
    chunk({}, 'stop'),
    { ...base, choices: [], usage },
  ];
  const frames = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`);
  return [...frames.slice(0, -1), `${frames.at(-1)}data: [DONE]\n`];
}

/** Small text deltas of Chat Completions. */
export const chatRow: AdapterRow = {
  name: 'OpenAI Chat Completions',
  events: chatEvents,
  characters: (events) => (events - aroundChat) * piece.length,
  ways: {
    async floor(fetch) {
      const { body } = await clientWith(fetch)
        .chat.completions.create({ model: 'bench', messages, stream: true })
        .asResponse();
      let characters = 0;
      if (body === null) return 0;
      for await (const event of minimalEvents(body)) {
        const { choices } = event as { choices: readonly { delta: { content?: string } }[] };
        characters += choices[0]?.delta.content?.length ?? 0;
      }
      return characters;
    },
    ours: (fetch) => readOurs('chat', fetch),
    async 'SDK stream'(fetch) {
      const chunks = await clientWith(fetch).chat.completions.create({ model: 'bench', messages, stream: true });
      let characters = 0;
      for await (const chunk of chunks) characters += chunk.choices[0]?.delta.content?.length ?? 0;
      return characters;
    },
    async 'SDK helper'(fetch) {
      let characters = 0;
      for await (const chunk of clientWith(fetch).chat.completions.stream({ model: 'bench', messages })) {
        characters += chunk.choices[0]?.delta.content?.length ?? 0;
      }
      return characters;
    },
  },
};
