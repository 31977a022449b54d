import { describe, expect, test } from 'vitest';
import { createChatDecoder } from '../../../../src/adapters/openai/chat/decode.ts';
import type { StreamEvent } from '../../../../src/contracts/model.ts';
import { collect } from '../../collect.ts';
import { callDelta, chatAnswer, chunk, decodeChat, finish, type Json } from '../wire-events.ts';

const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: string | Json | undefined,
): Json => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

const callsOf = async (events: readonly Json[]) =>
  (await chatAnswer(events)).content.flatMap((block) =>
    block.type === 'toolCall' ? [{ id: block.id, name: block.name, args: block.args }] : [],
  );

describe('calls', () => {
  test('case 11: parallel calls in any interleaving stay three', async () => {
    const events = [
      callDelta(piece(0, 'a', 'run', '{"p"')),
      callDelta(piece(1, 'b', 'run', '{"p"')),
      callDelta(piece(0, undefined, undefined, ':1}'), piece(2, 'c', 'run', '{"p":3}')),
      callDelta(piece(1, undefined, undefined, ':2}')),
      finish('tool_calls'),
    ];
    expect(await callsOf(events)).toEqual([
      { id: 'a', name: 'run', args: { p: 1 } },
      { id: 'b', name: 'run', args: { p: 2 } },
      { id: 'c', name: 'run', args: { p: 3 } },
    ]);
  });

  test('case 11: a server that sends its running snapshot doubles nothing', async () => {
    const a = piece(0, 'a', 'run', '{"p":1}');
    const b = piece(1, 'b', 'run', '{"p":2}');
    const c = piece(2, 'c', 'run', '{"p":3}');
    expect(await callsOf([callDelta(a), callDelta(a, b), callDelta(a, b, c), finish('tool_calls')])).toEqual([
      { id: 'a', name: 'run', args: { p: 1 } },
      { id: 'b', name: 'run', args: { p: 2 } },
      { id: 'c', name: 'run', args: { p: 3 } },
    ]);
  });

  test('case 14: two calls that share one index, told apart by id', async () => {
    const events = [
      callDelta(piece(0, 'a', 'x', '{"p":1}')),
      callDelta(piece(0, 'b', 'x', '{"p":2}')),
      finish('tool_calls'),
    ];
    expect(await callsOf(events)).toEqual([
      { id: 'a', name: 'x', args: { p: 1 } },
      { id: 'b', name: 'x', args: { p: 2 } },
    ]);
  });

  test('case 14: pieces without id go to the latest call of their index', async () => {
    const events = [
      callDelta(piece(0, 'a', 'x', '{"p":1}')),
      callDelta(piece(0, 'b', 'x', '{"p"')),
      callDelta(piece(0, undefined, undefined, ':2}')),
      finish('tool_calls'),
    ];
    expect((await callsOf(events)).map(({ args }) => args)).toEqual([{ p: 1 }, { p: 2 }]);
  });

  test('case 14: no index at all, with ids', async () => {
    const events = [
      callDelta(piece(undefined, 'a', 'x', '{"p":1}'), piece(undefined, 'b', 'y', '{"p":2}')),
      finish('tool_calls'),
    ];
    expect((await callsOf(events)).map(({ id, args }) => [id, args])).toEqual([
      ['a', { p: 1 }],
      ['b', { p: 2 }],
    ]);
  });

  test('neither index nor id: a name begins a call, and each gets an id of its own', async () => {
    const events = [
      callDelta(piece(undefined, undefined, 'x', '{"p":1}')),
      callDelta(piece(undefined, '', 'x', '{"p":2}')),
      finish('stop'),
    ];
    const calls = await callsOf(events);
    expect(calls.map(({ args }) => args)).toEqual([{ p: 1 }, { p: 2 }]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(calls.every(({ id }) => id.length > 4 && id.length <= 40)).toBe(true);
  });

  test('a name repeated with every piece of one call is one call', async () => {
    const events = [
      callDelta(piece(0, undefined, 'x', '{"p"')),
      callDelta(piece(0, undefined, 'x', ':1}')),
      finish('tool_calls'),
    ];
    expect((await callsOf(events)).map(({ args }) => args)).toEqual([{ p: 1 }]);
  });

  test.each([
    ['', {}],
    [undefined, {}],
    ['{}', {}],
  ])('case 15: arguments %j are {}', async (sent, args) => {
    const events = [callDelta(piece(0, 'a', 'ping', sent)), finish('tool_calls')];
    expect(await callsOf(events)).toEqual([{ id: 'a', name: 'ping', args }]);
  });

  test('arguments as an object', async () => {
    expect(await callsOf([callDelta(piece(0, 'a', 'x', { p: 1 })), finish('tool_calls')])).toEqual([
      { id: 'a', name: 'x', args: { p: 1 } },
    ]);
  });

  test('arguments cut by the limit are kept as they are', async () => {
    const { content, stopReason } = await chatAnswer([
      callDelta(piece(0, 'a', 'x', '{"path":"a","content":"xx')),
      finish('length'),
    ]);
    expect(content).toEqual([{ type: 'toolCall', id: 'a', name: 'x', rawArgs: '{"path":"a","content":"xx' }]);
    expect(stopReason).toBe('maxTokens');
  });

  test('a signature on a call is kept for its server', async () => {
    const signed = { ...piece(0, 'a', 'x', '{}'), extra_content: { google: { thought_signature: 'SIG' } } };
    const { content } = await chatAnswer([callDelta(signed), finish('tool_calls')]);
    expect(content).toMatchObject([
      { provider: 'p', data: { call: { extra_content: { google: { thought_signature: 'SIG' } } } } },
    ]);
  });

  test('a custom tool gets its free text, and its deltas join to one JSON string', async () => {
    const events = [
      callDelta({ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'select ' } }),
      callDelta({ index: 0, custom: { input: '"x"\n' } }),
      finish('tool_calls'),
    ];
    const { content, events: out } = await chatAnswer(events);
    expect(content).toEqual([
      { type: 'toolCall', id: 'a', name: 'sql', args: 'select "x"\n', provider: 'p', data: { type: 'custom' } },
    ]);
    const json = out.flatMap((event) => (event.type === 'toolInput.delta' ? [event.json] : [])).join('');
    expect(JSON.parse(json)).toBe('select "x"\n');
  });

  test('white space between calls is not text', async () => {
    const events = [
      callDelta(piece(0, 'a', 'x', '{}')),
      chunk({ content: ' ' }),
      callDelta(piece(1, 'b', 'x', '{}')),
      finish('tool_calls'),
    ];
    expect((await chatAnswer(events)).content.map((block) => block.type)).toEqual(['toolCall', 'toolCall']);
  });
});

describe('the end', () => {
  const text = chunk({ content: 'Hi' });

  test.each([
    ['stop', 'endTurn'],
    ['eos', 'endTurn'],
    ['', 'endTurn'],
    ['tool_calls', 'endTurn'],
    ['length', 'maxTokens'],
    ['content_filter', 'refusal'],
    ['surprise', 'other'],
  ] as const)('finish_reason %j after a text is %s', async (word, expected) => {
    const { stopReason, rawStopReason } = await chatAnswer([text, finish(word)]);
    expect([stopReason, rawStopReason]).toEqual([expected, word === '' ? undefined : word]);
  });

  test('calls are toolUse although the server says stop', async () => {
    expect((await chatAnswer([callDelta(piece(0, 'a', 'x', '{}')), finish('stop')])).stopReason).toBe('toolUse');
  });

  test('[DONE] after content ends an answer without finish_reason', async () => {
    expect((await chatAnswer([text])).stopReason).toBe('endTurn');
  });

  test('finish_reason ends an answer without [DONE]', async () => {
    expect((await chatAnswer([text, finish('stop')], 'endOfBody')).stopReason).toBe('endTurn');
  });

  test('a count after the last word ends an answer without either', async () => {
    const counted: Json = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
    expect((await chatAnswer([text, counted], 'endOfBody')).stopReason).toBe('endTurn');
  });

  test('a body that merely ends is incomplete, also where every chunk is counted', () => {
    const counted = chunk({ content: 'Hi' }, { usage: { prompt_tokens: 1, completion_tokens: 1 } });
    expect(decodeChat([counted, counted], 'endOfBody').progress.status).toBe('incomplete');
    expect(decodeChat([], 'marker').progress.status).toBe('incomplete');
  });

  test('an empty finish_reason ends nothing', () => {
    const filled = chunk({ content: 'Hi' }, { finish_reason: '', error: {} });
    expect(decodeChat([filled, filled], 'endOfBody').progress.status).toBe('incomplete');
    expect(decodeChat([filled, filled], 'marker').progress.status).toBe('complete');
  });

  test('an error before the last word fails, one after it changes nothing', async () => {
    const error: Json = { error: { message: 'oops', code: 502 } };
    expect(decodeChat([text, error]).progress).toMatchObject({ status: 'reported', report: { message: 'oops' } });
    const { content, stopReason } = await chatAnswer([text, finish('stop'), error]);
    expect([content, stopReason]).toEqual([[{ type: 'text', text: 'Hi' }], 'endTurn']);
  });

  test('a second answer glued after the first one is left out', async () => {
    const other: Json = { ...chunk({ content: 'Other' }), id: 'chatcmpl-2' };
    expect((await chatAnswer([text, finish('stop'), other, { ...finish('stop'), id: 'chatcmpl-2' }])).content).toEqual([
      { type: 'text', text: 'Hi' },
    ]);
  });
});

describe('content', () => {
  test.each(['reasoning_content', 'reasoning', 'reasoning_text'])(
    '%s is thinking, kept with its field',
    async (field) => {
      const { content } = await chatAnswer([
        chunk({ [field]: 'Let me' }),
        chunk({ [field]: ' see', content: null }),
        chunk({ content: 'Yes' }),
        finish('stop'),
      ]);
      expect(content).toEqual([
        { type: 'thinking', text: 'Let me see', provider: 'p', data: { field } },
        { type: 'text', text: 'Yes' },
      ]);
    },
  );

  test('reasoning said twice under two names counts once', async () => {
    const { content } = await chatAnswer([chunk({ reasoning: 'a', reasoning_content: 'a' }), finish('stop')]);
    expect(content).toMatchObject([{ type: 'thinking', text: 'a' }]);
  });

  test('details are joined, with their signature and ciphertext', async () => {
    const detail = (more: Json): Json => chunk({ reasoning_details: [{ index: 0, ...more }] });
    const { content } = await chatAnswer([
      detail({ type: 'reasoning.text', text: 'a', signature: '' }),
      detail({ type: 'reasoning.text', text: 'b' }),
      detail({ type: 'reasoning.text', signature: 'SIG' }),
      detail({ type: 'reasoning.encrypted', data: 'ENC' }),
      finish('stop'),
    ]);
    expect(content).toEqual([
      {
        type: 'thinking',
        text: 'ab',
        provider: 'p',
        signature: 'SIG',
        encrypted: 'ENC',
        data: {
          details: [
            { index: 0, type: 'reasoning.text', text: 'ab', signature: 'SIG' },
            { index: 0, type: 'reasoning.encrypted', data: 'ENC' },
          ],
        },
      },
    ]);
  });

  test('thinking and text in a content list', async () => {
    const list = (...parts: readonly Json[]): Json => chunk({ content: parts });
    const { content } = await chatAnswer([
      list({ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }),
      list({ type: 'thinking', thinking: [{ type: 'text', text: '!' }], closed: true }),
      list({ type: 'text', text: 'ok' }),
      finish('stop'),
    ]);
    expect(content).toEqual([
      { type: 'thinking', text: 'hm!', provider: 'p', data: { field: 'content', part: { closed: true } } },
      { type: 'text', text: 'ok' },
    ]);
  });

  test('a refusal is text marked as one', async () => {
    const { content, stopReason } = await chatAnswer([chunk({ refusal: "I can't" }), finish('stop')]);
    expect([content, stopReason]).toEqual([[{ type: 'text', text: "I can't", refusal: true }], 'refusal']);
  });

  test('pictures, annotations, log probabilities', async () => {
    const { content, meta } = await chatAnswer([
      { choices: [{ index: 0, delta: { content: 'see' }, logprobs: { content: [{ token: 'see', logprob: -1 }] } }] },
      chunk({ annotations: [{ type: 'url_citation', url_citation: { url: 'u' } }] }),
      chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }),
      finish('stop'),
    ]);
    expect(content).toEqual([
      { type: 'text', text: 'see', citations: [{ type: 'url_citation', url_citation: { url: 'u' } }] },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
    ]);
    expect(meta).toEqual({ logprobs: { content: [{ token: 'see', logprob: -1 }] } });
  });

  test('speech that is not base64 does not cost the rest of the answer', async () => {
    const { content } = await chatAnswer([
      chunk({ content: 'Hi' }),
      chunk({ audio: { data: 'AQ==' } }),
      chunk({ audio: { data: '%' } }),
      finish('stop'),
    ]);
    expect(content).toMatchObject([{ type: 'text', text: 'Hi' }, { type: 'audio' }]);
  });

  test('speech is one audio block, also from pieces encoded one by one', async () => {
    const decoder = createChatDecoder({ provider: 'p', audioMediaType: 'audio/pcm16' });
    const out: StreamEvent[] = [];
    for (const audio of [{ id: 'audio_1', transcript: 'Hi' }, { data: 'AQ==' }, { data: 'AgM=', expires_at: 9 }])
      decoder.read(chunk({ audio }), out);
    decoder.read(finish('stop'), out);
    decoder.end(out, 'marker');
    const { content, meta } = await collect(out);
    expect(content).toEqual([
      { type: 'audio', source: { type: 'base64', mediaType: 'audio/pcm16', data: 'AQID' }, transcript: 'Hi' },
    ]);
    expect(meta).toEqual({ providerAudio: { id: 'audio_1', expires_at: 9 } });
  });

  test('of several choices the first is the answer, the others are raw', async () => {
    const other: Json = { choices: [{ index: 1, delta: { content: 'B' } }] };
    const { content, raw } = await chatAnswer([chunk({ content: 'A' }), other, finish('stop')]);
    expect([content, raw]).toEqual([[{ type: 'text', text: 'A' }], [other]]);
  });

  test('null deltas and empty choices say nothing; what is not a chunk is raw', async () => {
    const { content, raw } = await chatAnswer([
      { choices: [] },
      { choices: [{ index: 0, delta: null, finish_reason: null }] },
      { type: 'ping' },
      chunk({ content: 'Hi' }),
      finish('stop'),
    ]);
    expect([content, raw]).toEqual([[{ type: 'text', text: 'Hi' }], [{ type: 'ping' }]]);
  });
});

describe('usage', () => {
  const usageOf = async (usage: Json) =>
    (await chatAnswer([chunk({ content: 'a' }), finish('stop'), { choices: [], usage }])).usage;

  test('cache and reasoning are parts of input and output', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(await usageOf(usage)).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 4,
      reasoningTokens: 3,
      details: usage,
    });
  });

  test('reasoning that a server counts besides its output is added', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 22,
      completion_tokens_details: { reasoning_tokens: 7 },
    };
    expect((await usageOf(usage))?.outputTokens).toBe(12);
  });

  test('the last count wins', async () => {
    const counted = (completion_tokens: number): Json =>
      chunk({ content: 'a' }, { usage: { prompt_tokens: 1, completion_tokens } });
    expect((await chatAnswer([counted(1), counted(2), finish('stop')])).usage?.outputTokens).toBe(2);
  });
});
