// The Anthropic row of the adapter costs.

import { Anthropic } from '@anthropic-ai/sdk';
import { anthropic } from '../../src/adapters/anthropic/index.ts';
import { minimalEvents, type AdapterRow } from './row.ts';

const piece = ' token';
const around = 6; // message_start, the block's start and stop, message_delta, message_stop, one ping
const question = {
  model: 'claude-bench',
  max_tokens: 1000,
  messages: [{ role: 'user' as const, content: 'go' }],
};

const clientWith = (fetch: typeof globalThis.fetch): Anthropic =>
  new Anthropic({ apiKey: 'none', fetch, maxRetries: 0, logLevel: 'off', openTelemetry: false });

const frame = (payload: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;

/** Small text deltas of Anthropic Messages. */
export const anthropicRow: AdapterRow = {
  name: 'Anthropic Messages',
  events: (count) => [
    frame({
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], usage: { input_tokens: 1 } },
    }),
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    frame({ type: 'ping' }),
    ...Array.from({ length: count }, () =>
      frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    frame({ type: 'content_block_stop', index: 0 }),
    frame({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: count } }),
    frame({ type: 'message_stop' }),
  ],
  characters: (events) => (events - around) * piece.length,
  ways: {
    async floor(fetch) {
      const response = await clientWith(fetch)
        .messages.create({ ...question, stream: true })
        .asResponse();
      let characters = 0;
      if (response.body === null) return 0;
      for await (const event of minimalEvents(response.body)) {
        const { type, delta } = event as { type: string; delta?: { text?: string } };
        if (type === 'content_block_delta') characters += delta?.text?.length ?? 0;
      }
      return characters;
    },
    async ours(fetch) {
      const model = anthropic({ model: question.model, client: clientWith(fetch) });
      const events = model.stream(
        { system: [], messages: [{ id: 'u', role: 'user', content: [{ type: 'text', text: 'go' }] }], tools: [] },
        { signal: new AbortController().signal },
      );
      let characters = 0;
      for await (const event of events) if (event.type === 'text.delta') characters += event.text.length;
      return characters;
    },
    async 'SDK stream'(fetch) {
      const events = await clientWith(fetch).messages.create({ ...question, stream: true });
      let characters = 0;
      for await (const event of events) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          characters += event.delta.text.length;
        }
      }
      return characters;
    },
    async 'SDK helper'(fetch) {
      let characters = 0;
      for await (const event of clientWith(fetch).messages.stream(question)) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          characters += event.delta.text.length;
        }
      }
      return characters;
    },
  },
};
