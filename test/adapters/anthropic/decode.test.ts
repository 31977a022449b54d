import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from '../../../src/adapters/anthropic/decode.ts';
import type { StreamEvent } from '../../../src/contracts/model.ts';
import { collect, type Answer } from '../collect.ts';
import { readServerSentEvents } from '../read-server-sent-events.ts';
import { streamOfChunks } from '../recordings.ts';
import { decodeMessage } from './decode-message.ts';
import { block, messageEnd, messageStart, sse, text, toolUse } from './events.ts';

const facts = { provider: 'Anthropic', model: 'claude-test' };

async function decode(...events: readonly string[]): Promise<readonly StreamEvent[]> {
  const decoder = createDecoder(facts);
  const out: StreamEvent[] = [];
  const { signal } = new AbortController();
  const body = streamOfChunks([new TextEncoder().encode(events.join(''))]);
  for await (const event of readServerSentEvents(body, { signal })) decoder.decode(event, out);
  decoder.end(out);
  return out;
}

const answer = async (...events: readonly string[]): Promise<Answer> => collect(await decode(...events));

describe('tool calls', () => {
  test('case 11: three parallel calls are three calls', async () => {
    const { content } = await answer(
      messageStart,
      ...toolUse(0, 'a', 'run', '{"n"', ':1}'),
      ...toolUse(1, 'b', 'run', '{"n":2}'),
      ...toolUse(2, 'c', 'run', '{"n":3}'),
      ...messageEnd('tool_use'),
    );
    expect(content).toEqual([
      { type: 'toolCall', id: 'a', name: 'run', args: { n: 1 } },
      { type: 'toolCall', id: 'b', name: 'run', args: { n: 2 } },
      { type: 'toolCall', id: 'c', name: 'run', args: { n: 3 } },
    ]);
  });

  test.each([
    ['one empty delta', ['']],
    ['no delta', []],
    ['white space', [' ', '\n']],
  ])('case 15: a call without parameters that streams %s has arguments {}', async (_, pieces) => {
    const { content } = await answer(messageStart, ...toolUse(0, 'a', 'now', ...pieces), ...messageEnd('tool_use'));
    expect(content).toEqual([{ type: 'toolCall', id: 'a', name: 'now', args: {} }]);
  });

  test('arguments cut off by the token limit are kept as text', async () => {
    const { content, stopReason } = await answer(
      messageStart,
      ...toolUse(0, 'a', 'write', '{"path":"a","content":"xx'),
      ...messageEnd('max_tokens'),
    );
    expect(content).toEqual([{ type: 'toolCall', id: 'a', name: 'write', rawArgs: '{"path":"a","content":"xx' }]);
    expect(stopReason).toBe('maxTokens');
  });

  test('input that is complete in the start needs no delta', async () => {
    const { content, events } = await answer(
      messageStart,
      ...block(0, {
        type: 'tool_use',
        id: 'a',
        name: 'roll',
        input: { player: 1 },
        caller: { type: 'code_execution_20250825', tool_id: 'srv' },
      }),
      ...messageEnd('tool_use'),
    );
    expect(content).toEqual([
      {
        type: 'toolCall',
        id: 'a',
        name: 'roll',
        args: { player: 1 },
        provider: 'anthropic',
        data: { caller: { type: 'code_execution_20250825', tool_id: 'srv' } },
      },
    ]);
    expect(events).toContainEqual({ type: 'toolInput.delta', index: 0, json: '{"player":1}' });
  });

  test('whole blocks and the stop reason inside message_start, without a message_delta', async () => {
    const { content, stopReason, rawStopReason } = await answer(
      sse({
        type: 'message_start',
        message: {
          id: 'm',
          model: 'c',
          role: 'assistant',
          content: [
            { type: 'text', text: 'so' },
            { type: 'tool_use', id: 'a', name: 'roll', input: {} },
          ],
          stop_reason: 'tool_use',
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      sse({ type: 'message_stop' }),
    );
    expect(content).toEqual([
      { type: 'text', text: 'so' },
      { type: 'toolCall', id: 'a', name: 'roll', args: {} },
    ]);
    expect({ stopReason, rawStopReason }).toEqual({ stopReason: 'toolUse', rawStopReason: 'tool_use' });
  });

  test('any cut of the arguments gives the same call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.array(fc.nat(40), { maxLength: 8 }), async (value, cuts) => {
        const json = JSON.stringify({ value });
        const at = [0, ...cuts.map((cut) => cut % json.length).toSorted((a, b) => a - b), json.length];
        const pieces = at.slice(1).map((end, n) => json.slice(at[n], end));
        const { content } = await answer(messageStart, ...toolUse(0, 'a', 'run', ...pieces), ...messageEnd('tool_use'));
        expect(content[0]).toMatchObject({ args: JSON.parse(json) as object });
      }),
      { numRuns: 50 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});

describe('thinking', () => {
  test('keeps text and signature together', async () => {
    const { content } = await answer(
      messageStart,
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 'S==' },
      ),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([{ type: 'thinking', text: 'hm', provider: 'anthropic', signature: 'S==' }]);
  });

  test('survives without text, when only its signature is shown', async () => {
    const { content } = await answer(
      messageStart,
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, { type: 'signature_delta', signature: 'S==' }),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([{ type: 'thinking', text: '', provider: 'anthropic', signature: 'S==' }]);
  });

  test('redacted thinking is one block', async () => {
    const { content } = await answer(
      messageStart,
      ...block(0, { type: 'redacted_thinking', data: 'X==' }),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([{ type: 'thinking', text: '', provider: 'anthropic', encrypted: 'X==' }]);
  });
});

describe('text', () => {
  test('an empty text takes no place in the message', async () => {
    const { content } = await answer(messageStart, ...text(0), ...text(1, '', 'hi', ''), ...messageEnd('end_turn'));
    expect(content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test('citations that come before and after the text belong to it', async () => {
    const cite = (n: number) => ({ type: 'citations_delta', citation: { type: 'char_location', n } });
    const { content } = await answer(
      messageStart,
      ...block(0, { type: 'text', text: '', citations: [] }, cite(1), { type: 'text_delta', text: 'hi' }, cite(2)),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([
      {
        type: 'text',
        text: 'hi',
        provider: 'anthropic',
        citations: [
          { type: 'char_location', n: 1 },
          { type: 'char_location', n: 2 },
        ],
      },
    ]);
  });

  test('citations without any text are kept', async () => {
    const cite = { type: 'citations_delta', citation: { type: 'char_location', n: 1 } };
    const { content } = await answer(
      messageStart,
      ...block(0, { type: 'text', text: '' }, cite),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([{ type: 'text', text: '', provider: 'anthropic', citations: [cite.citation] }]);
  });

  test('the last text of a refusal is marked, earlier ones are not', async () => {
    const { content, stopReason, meta } = await answer(
      messageStart,
      ...text(0, 'sure'),
      ...text(1, 'I cannot'),
      ...messageEnd('refusal', { stop_details: { type: 'refusal', category: 'cyber', explanation: 'no' } }),
    );
    expect(content).toEqual([
      { type: 'text', text: 'sure' },
      { type: 'text', text: 'I cannot', refusal: true },
    ]);
    expect(stopReason).toBe('refusal');
    expect(meta).toEqual({ anthropic: { stop_details: { type: 'refusal', category: 'cyber', explanation: 'no' } } });
  });
});

describe('what has no neutral form', () => {
  test('a server tool and its result are provider blocks in their place', async () => {
    const { content } = await answer(
      messageStart,
      ...text(0, 'let me look'),
      ...block(
        1,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":"x"}' },
      ),
      ...block(2, {
        type: 'web_search_tool_result',
        tool_use_id: 's',
        content: [{ type: 'web_search_result', url: 'u' }],
      }),
      ...text(3, 'found'),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([
      { type: 'text', text: 'let me look' },
      {
        type: 'provider',
        provider: 'anthropic',
        kind: 'server_tool_use',
        data: { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      },
      {
        type: 'provider',
        provider: 'anthropic',
        kind: 'web_search_tool_result',
        data: { type: 'web_search_tool_result', tool_use_id: 's', content: [{ type: 'web_search_result', url: 'u' }] },
      },
      { type: 'text', text: 'found' },
    ]);
  });

  test('a compaction takes the values of its delta', async () => {
    const { content } = await answer(
      messageStart,
      ...block(
        0,
        { type: 'compaction', content: null },
        { type: 'compaction_delta', content: 'the story so far', encrypted_content: 'E==' },
      ),
      ...messageEnd('compaction'),
    );
    expect(content).toEqual([
      {
        type: 'provider',
        provider: 'anthropic',
        kind: 'compaction',
        data: { type: 'compaction', content: 'the story so far', encrypted_content: 'E==' },
      },
    ]);
  });

  test('a kind of block nobody knows yet arrives whole', async () => {
    const { content } = await answer(
      messageStart,
      ...block(0, { type: 'hologram', beams: [1, 2] }),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([
      { type: 'provider', provider: 'anthropic', kind: 'hologram', data: { type: 'hologram', beams: [1, 2] } },
    ]);
  });

  test('unknown events and unknown deltas become raw', async () => {
    const { raw } = await answer(
      messageStart,
      sse({ type: 'weather', sky: 'blue' }),
      ...block(0, { type: 'text', text: 'a' }, { type: 'odd_delta', x: 1 }),
      ...messageEnd('end_turn'),
    );
    expect(raw).toEqual([
      { type: 'weather', sky: 'blue' },
      { type: 'content_block_delta', index: 0, delta: { type: 'odd_delta', x: 1 } },
    ]);
  });

  test('a container and applied edits go to the meta of the message', async () => {
    const { meta } = await answer(
      messageStart,
      sse({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', container: { id: 'c', expires_at: '2026-01-01T00:00:00Z' } },
        usage: { output_tokens: 1 },
        context_management: { applied_edits: [] },
      }),
      sse({ type: 'message_stop' }),
    );
    expect(meta).toEqual({
      anthropic: {
        container: { id: 'c', expires_at: '2026-01-01T00:00:00Z' },
        context_management: { applied_edits: [] },
      },
    });
  });
});

test('thinking the API dropped from the request is reported in the meta of the message, wherever it comes', async () => {
  const dropped = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' }];
  const start = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'c',
    content: [],
    input_transformations: dropped,
  };
  const early = await answer(sse({ type: 'message_start', message: start }), ...messageEnd('end_turn'));
  expect(early.meta).toEqual({ anthropic: { input_transformations: dropped } });
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, input_transformations: dropped };
  const late = await answer(messageStart, sse(end), sse({ type: 'message_stop' }));
  expect(late.meta).toEqual({ anthropic: { input_transformations: dropped } });
});

describe('the end of the answer', () => {
  test('an error without a type, as imitators send it, ends the answer', async () => {
    const events = [messageStart, 'data: {"error":{"type":"overloaded_error","message":"busy"}}\n\n'];
    await expect(decode(...events)).rejects.toMatchObject({ code: 'model.overloaded', retryable: true });
  });

  test.each([
    ['end_turn', 'endTurn'],
    ['tool_use', 'toolUse'],
    ['max_tokens', 'maxTokens'],
    ['stop_sequence', 'stopSequence'],
    ['refusal', 'refusal'],
    ['pause_turn', 'pause'],
    ['compaction', 'pause'],
    ['model_context_window_exceeded', 'contextOverflow'],
    ['full_moon', 'other'],
  ])('%s is %s and stays readable', async (raw, stopReason) => {
    expect(await answer(messageStart, ...text(0, 'a'), ...messageEnd(raw))).toMatchObject({
      stopReason,
      rawStopReason: raw,
    });
  });

  test('without a stop reason the content decides', async () => {
    const end = sse({ type: 'message_stop' });
    expect((await answer(messageStart, ...text(0, 'a'), end)).stopReason).toBe('endTurn');
    expect((await answer(messageStart, ...toolUse(0, 'a', 'run'), end)).stopReason).toBe('toolUse');
  });

  test('end_turn with calls is toolUse', async () => {
    expect(await answer(messageStart, ...toolUse(0, 'a', 'run'), ...messageEnd('end_turn'))).toMatchObject({
      stopReason: 'toolUse',
      rawStopReason: 'end_turn',
    });
  });

  test('blocks that were never stopped are closed', async () => {
    const { content } = await answer(
      messageStart,
      ...toolUse(0, 'a', 'run', '{"n":1}').slice(0, -1),
      ...messageEnd('tool_use'),
    );
    expect(content).toEqual([{ type: 'toolCall', id: 'a', name: 'run', args: { n: 1 } }]);
  });

  test('a body that ends without message_stop is stream.incomplete', async () => {
    await expect(decode(messageStart, ...text(0, 'a'), messageEnd('end_turn')[0] ?? '')).rejects.toMatchObject({
      code: 'stream.incomplete',
      retryable: true,
    });
    await expect(decode()).rejects.toMatchObject({ code: 'stream.incomplete' });
  });

  test('a second answer in the same body is not mixed in', async () => {
    const { content } = await answer(
      messageStart,
      ...text(0, 'one'),
      ...messageEnd('end_turn'),
      messageStart,
      ...text(0, 'two'),
      ...messageEnd('end_turn'),
    );
    expect(content).toEqual([{ type: 'text', text: 'one' }]);
  });

  test('a second message_start inside an answer is stream.protocol', async () => {
    await expect(decode(messageStart, messageStart)).rejects.toMatchObject({
      code: 'stream.protocol',
      retryable: false,
    });
  });

  test('a delta for a block that is not open is stream.protocol', async () => {
    const delta = sse({ type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text: 'a' } });
    await expect(decode(messageStart, delta)).rejects.toMatchObject({ code: 'stream.protocol' });
  });

  test('events that carry their type only in the event field are understood', async () => {
    const { content } = await answer(
      messageStart,
      ...text(0, 'a'),
      messageEnd('end_turn')[0] ?? '',
      'event: message_stop\ndata: {}\n\n',
    );
    expect(content).toEqual([{ type: 'text', text: 'a' }]);
  });
});

describe('usage', () => {
  const usageAfter = async (start: object, delta: object) =>
    (
      await answer(
        sse({ type: 'message_start', message: { id: 'm', content: [], usage: start } }),
        sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: delta }),
        sse({ type: 'message_stop' }),
      )
    ).usage;

  test('later counts replace earlier ones, null ones do not', async () => {
    expect(
      await usageAfter({ input_tokens: 10, output_tokens: 1 }, { input_tokens: null, output_tokens: 25 }),
    ).toMatchObject({ inputTokens: 10, outputTokens: 25 });
    expect(
      await usageAfter({ input_tokens: 10, output_tokens: 1 }, { input_tokens: 90, output_tokens: 25 }),
    ).toMatchObject({ inputTokens: 90, outputTokens: 25 });
  });

  test('cache reads and writes count as input', async () => {
    const start = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 };
    expect(await usageAfter(start, { output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } })).toEqual({
      inputTokens: 240,
      outputTokens: 5,
      cacheReadTokens: 200,
      cacheWriteTokens: 30,
      reasoningTokens: 3,
      details: { ...start, output_tokens: 5, output_tokens_details: { thinking_tokens: 3 } },
    });
  });

  test('the passes of a compaction are summed', async () => {
    const iterations = [
      { type: 'compaction', input_tokens: 60_385, output_tokens: 522 },
      { type: 'message', input_tokens: 612, output_tokens: 2819 },
    ];
    expect(
      await usageAfter({ input_tokens: 612, output_tokens: 1 }, { output_tokens: 2819, iterations }),
    ).toMatchObject({ inputTokens: 60_997, outputTokens: 3341 });
  });
});

describe('a JSON body', () => {
  test('an error body is a ModelError', () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' };
    expect(() => decodeMessage(body, facts)).toThrow(
      expect.objectContaining({ code: 'model.overloaded', requestId: 'req_1' }),
    );
  });

  test.each([[{}], [null], [[]], ['text'], [{ content: 'x' }]])('%j is stream.protocol', (body) => {
    expect(() => decodeMessage(body, facts)).toThrow(expect.objectContaining({ code: 'stream.protocol' }));
  });
});

test('no stream of known events makes the decoder break the contract', async () => {
  const start = fc.constantFrom<{ type: string; [key: string]: unknown }>(
    { type: 'text', text: '' },
    { type: 'text', text: 'x' },
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'redacted_thinking', data: 'd' },
    { type: 'tool_use', id: 'a', name: 'n', input: {} },
    { type: 'server_tool_use', id: 's', name: 'n', input: {} },
  );
  const delta = fc.constantFrom<object>(
    { type: 'text_delta', text: 't' },
    { type: 'thinking_delta', thinking: 't' },
    { type: 'input_json_delta', partial_json: '1' },
    { type: 'signature_delta', signature: 's' },
  );
  const blocks = fc.array(fc.tuple(start, fc.array(delta, { maxLength: 5 }), fc.boolean()), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(blocks, fc.constantFrom('end_turn', 'refusal', 'tool_use'), async (list, reason) => {
      const events = list.flatMap(([kind, deltas, isStopped], index) => {
        const all = block(index, kind, ...deltas);
        return isStopped ? all : all.slice(0, -1);
      });
      await expect(answer(messageStart, ...events, ...messageEnd(reason))).resolves.toBeDefined();
    }),
    { numRuns: 100 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
  );
});
