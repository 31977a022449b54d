// Builds Anthropic event streams for tests: one text an event, framed.

/** One framed event. */
export function sse(payload: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`;
}

/** The beginning of an answer. */
export const messageStart = sse({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
});

/** One content block, whole: its start, its deltas, its stop. */
export function block(
  index: number,
  start: { readonly type: string; readonly [key: string]: unknown },
  ...deltas: readonly object[]
): readonly string[] {
  return [
    sse({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => sse({ type: 'content_block_delta', index, delta })),
    sse({ type: 'content_block_stop', index }),
  ];
}

/** A text block in pieces. */
export function text(index: number, ...pieces: readonly string[]): readonly string[] {
  return block(index, { type: 'text', text: '' }, ...pieces.map((piece) => ({ type: 'text_delta', text: piece })));
}

/** A tool call, its arguments in pieces. */
export function toolUse(index: number, id: string, name: string, ...pieces: readonly string[]): readonly string[] {
  return block(
    index,
    { type: 'tool_use', id, name, input: {} },
    ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  );
}

/** The end of an answer. */
export function messageEnd(stopReason: string, more: { readonly [key: string]: unknown } = {}): readonly string[] {
  return [
    sse({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null, ...more },
      usage: { output_tokens: 7 },
    }),
    sse({ type: 'message_stop' }),
  ];
}
