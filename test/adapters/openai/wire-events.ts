// Events as servers of the two APIs send them, for tests that write their own streams.

import { createChatDecoder } from '../../../src/adapters/openai/chat/decode.ts';
import { createResponsesDecoder } from '../../../src/adapters/openai/responses/decode.ts';
import type { AnswerDecoder, Progress } from '../../../src/adapters/openai/answer-decoder.ts';
import type { StreamEvent } from '../../../src/contracts/model.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';
import { collect } from '../collect.ts';

export type Json = { readonly [key: string]: JsonValue };

/** An event on the wire. */
export const sse = (event: Json): string => `data: ${JSON.stringify(event)}\n\n`;
export const doneMarker = 'data: [DONE]\n\n';

/** A chunk of a chat stream whose first choice holds `delta`. */
export function chunk(delta: Json, more: Json = {}): Json {
  const { finish_reason = null, ...rest } = more;
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
    ...rest,
  };
}

/** The last word of a chat answer. */
export const finish = (finish_reason: string): Json => chunk({}, { finish_reason });

/** One call, or a piece of one. */
export const callDelta = (...calls: readonly Json[]): Json => chunk({ tool_calls: calls });

export const created: Json = {
  type: 'response.created',
  response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] },
};

export function completed(output: readonly Json[] = [], more: Json = {}): Json {
  return { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed', output, ...more } };
}

export const itemAdded = (output_index: number, item: Json): Json => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
export const itemDone = (output_index: number, item: Json): Json => ({
  type: 'response.output_item.done',
  output_index,
  item,
});

export const textDelta = (output_index: number, delta: string, content_index = 0): Json => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  item_id: 'msg_1',
  delta,
});

export const messageItem = (id: string, text: string, more: Json = {}): Json => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

export const callItem = (id: string, call_id: string, name: string, args: string): Json => ({
  type: 'function_call',
  id,
  call_id,
  name,
  arguments: args,
  status: 'completed',
});

/** A whole text answer of each API, as the pieces a server would send. */
export const wholeChat = [
  sse(chunk({ role: 'assistant', content: '' })),
  sse(chunk({ content: 'Hel' })),
  sse(chunk({ content: 'lo' })),
  sse(finish('stop')),
  doneMarker,
];
export const wholeResponse = [
  sse(created),
  sse(itemAdded(0, { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] })),
  sse(textDelta(0, 'Hel')),
  sse(textDelta(0, 'lo')),
  sse(itemDone(0, messageItem('msg_1', 'Hello'))),
  sse(completed([messageItem('msg_1', 'Hello')])),
];

/** Runs a decoder over events; `marker` = they end with `[DONE]`. */
function run(decoder: AnswerDecoder, events: readonly Json[], end: 'marker' | 'endOfBody') {
  const out: StreamEvent[] = [];
  let progress: Progress = { status: 'reading' };
  for (const event of events) {
    progress = decoder.read(event, out);
    if (progress.status !== 'reading') break;
  }
  if (progress.status === 'reading') progress = decoder.end(out, end);
  return { events: out, progress };
}

export const decodeChat = (events: readonly Json[], end: 'marker' | 'endOfBody' = 'marker') =>
  run(createChatDecoder({ provider: 'p' }), events, end);

export const decodeResponse = (events: readonly Json[], customTools: readonly string[] = []) =>
  run(createResponsesDecoder({ provider: 'p', customTools: new Set(customTools) }), events, 'endOfBody');

/** The message a whole chat stream comes to. */
export const chatAnswer = (events: readonly Json[], end: 'marker' | 'endOfBody' = 'marker') =>
  collect(decodeChat(events, end).events);

/** The message a whole Responses stream comes to. */
export const responseAnswer = (events: readonly Json[], customTools: readonly string[] = []) =>
  collect(decodeResponse(events, customTools).events);
