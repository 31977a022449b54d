import { describe, expect, test } from 'vitest';
import {
  callItem,
  completed,
  created,
  decodeResponse,
  itemAdded,
  itemDone,
  messageItem,
  responseAnswer,
  textDelta,
  type Json,
} from '../wire-events.ts';

const reasoning = (id: string, more: Json = {}): Json => ({ type: 'reasoning', id, summary: [], ...more });
const argumentsDelta = (output_index: number, delta: string): Json => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const messageBegun: Json = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };

describe('order', () => {
  test('interleaved items come one after the other, in the order of their places', async () => {
    const { content, events } = await responseAnswer([
      created,
      itemAdded(0, messageBegun),
      textDelta(0, 'Hel'),
      itemAdded(1, callItem('fc_1', 'call_1', 'run', '')),
      argumentsDelta(1, '{"p"'),
      textDelta(0, 'lo'),
      itemAdded(2, callItem('fc_2', 'call_2', 'run', '')),
      argumentsDelta(2, '{"p":2}'),
      argumentsDelta(1, ':1}'),
      itemDone(2, callItem('fc_2', 'call_2', 'run', '{"p":2}')),
      itemDone(0, messageItem('msg_1', 'Hello')),
      itemDone(1, callItem('fc_1', 'call_1', 'run', '{"p":1}')),
      completed(),
    ]);
    expect(
      content.map((block) =>
        block.type === 'text' ? block.text : block.type === 'toolCall' ? block.args : block.type,
      ),
    ).toEqual(['Hello', { p: 1 }, { p: 2 }]);
    const starts = events.flatMap((event) => ('index' in event && event.type.endsWith('.start') ? [event.index] : []));
    expect(starts).toEqual([0, 1, 2]);
  });

  test('the text of the item whose turn it is streams at once', () => {
    const { events } = decodeResponse([created, itemAdded(0, messageBegun), textDelta(0, 'Hel')]);
    expect(events.at(-1)).toEqual({ type: 'text.delta', index: 0, text: 'Hel' });
  });

  test('two parts of one message are two blocks, also with content_index from 1', async () => {
    const item = messageItem('msg_1', 'a', {
      content: [
        { type: 'output_text', text: 'a', annotations: [] },
        { type: 'refusal', refusal: 'b' },
      ],
    });
    const refusalDelta: Json = { type: 'response.refusal.delta', output_index: 0, content_index: 2, delta: 'b' };
    const { content } = await responseAnswer([
      created,
      itemAdded(0, messageBegun),
      textDelta(0, 'a', 1),
      refusalDelta,
      itemDone(0, item),
      completed(),
    ]);
    expect(content).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', refusal: true },
    ]);
  });

  test('items only in the final list', async () => {
    const { content } = await responseAnswer([created, completed([reasoning('rs_1'), messageItem('msg_1', 'Hi')])]);
    expect(content.map((block) => block.type)).toEqual(['thinking', 'text']);
  });

  test('items only in output_item.done, an empty final list', async () => {
    const { content } = await responseAnswer([created, itemDone(0, messageItem('msg_1', 'Hi')), completed([])]);
    expect(content).toMatchObject([{ type: 'text', text: 'Hi', data: { id: 'msg_1' } }]);
  });

  test('an item the stream left open is taken from the final list', async () => {
    const { content } = await responseAnswer([
      created,
      itemAdded(0, messageBegun),
      textDelta(0, 'H'),
      completed([messageItem('msg_1', 'Hi')]),
    ]);
    expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
  });

  test('a server that numbers nothing', async () => {
    const bare = (event: Json): Json =>
      Object.fromEntries(Object.entries(event).filter(([key]) => key !== 'output_index'));
    const { content } = await responseAnswer(
      [
        created,
        itemAdded(0, messageBegun),
        textDelta(0, 'Hi'),
        itemDone(0, messageItem('msg_1', 'Hi')),
        itemAdded(1, callItem('fc_1', 'call_1', 'run', '')),
        itemDone(1, callItem('fc_1', 'call_1', 'run', '{}')),
        completed(),
      ].map(bare),
    );
    expect(content).toMatchObject([
      { type: 'text', text: 'Hi' },
      { type: 'toolCall', id: 'call_1', args: {} },
    ]);
  });

  test('item ids that change with every event mean nothing', async () => {
    const rotating = ['a', 'b', 'c'].map((item_id) => ({ ...textDelta(0, item_id), item_id }));
    const { content } = await responseAnswer([
      created,
      itemAdded(0, messageBegun),
      ...rotating,
      itemDone(0, messageItem('x', 'abc')),
      completed(),
    ]);
    expect(content).toMatchObject([{ type: 'text', text: 'abc', data: { id: 'x' } }]);
  });
});

describe('items', () => {
  test('a message keeps id, phase, annotations and log probabilities', async () => {
    const part = {
      type: 'output_text',
      text: 'Hi',
      annotations: [{ type: 'url_citation', url: 'u' }],
      logprobs: [{ token: 'Hi', logprob: -1 }],
    };
    const { content } = await responseAnswer([
      created,
      itemDone(0, messageItem('msg_1', '', { phase: 'commentary', content: [part] })),
      completed(),
    ]);
    expect(content).toEqual([
      {
        type: 'text',
        text: 'Hi',
        citations: [{ type: 'url_citation', url: 'u' }],
        provider: 'p',
        data: {
          id: 'msg_1',
          phase: 'commentary',
          status: 'completed',
          part: { logprobs: [{ token: 'Hi', logprob: -1 }] },
        },
      },
    ]);
  });

  test('reasoning streams its summary parts as paragraphs and keeps the item', async () => {
    const delta = (summary_index: number, text: string): Json => ({
      type: 'response.reasoning_summary_text.delta',
      output_index: 0,
      summary_index,
      delta: text,
    });
    const summary = [
      { type: 'summary_text', text: 'one' },
      { type: 'summary_text', text: 'two' },
    ];
    const { content, meta } = await responseAnswer([
      created,
      itemAdded(0, reasoning('rs_1', { encrypted_content: 'HALF' })),
      delta(0, 'o'),
      delta(0, 'ne'),
      delta(1, 'two'),
      itemDone(0, reasoning('rs_1', { summary, encrypted_content: 'WHOLE' })),
      itemDone(1, messageItem('msg_1', 'Hi')),
      completed(),
    ]);
    expect(content[0]).toEqual({
      type: 'thinking',
      text: 'one\n\ntwo',
      provider: 'p',
      encrypted: 'WHOLE',
      data: { id: 'rs_1', summary },
    });
    expect(meta).toEqual({
      providerItems: [
        { id: 'rs_1', type: 'reasoning' },
        { id: 'msg_1', type: 'message' },
      ],
    });
  });

  test.each([
    ['', {}],
    ['{}', {}],
    ['{"a": 1}', { a: 1 }],
  ])('case 15: argument text %j', async (text, args) => {
    const { content } = await responseAnswer([
      created,
      itemDone(0, callItem('fc_1', 'call_1', 'ping', text)),
      completed(),
    ]);
    expect(content).toMatchObject([{ type: 'toolCall', id: 'call_1', name: 'ping', args }]);
  });

  test('arguments only in .done, and only in pieces', async () => {
    const open = { ...callItem('fc_1', 'call_1', 'ping', ''), status: 'in_progress' };
    const { arguments: _, ...bare } = callItem('fc_1', 'call_1', 'ping', '');
    const whole: Json = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"a":1}' };
    const onlyDone = await responseAnswer([created, itemAdded(0, open), whole, itemDone(0, bare), completed()]);
    const onlyPieces = await responseAnswer([
      created,
      itemAdded(0, open),
      argumentsDelta(0, '{"a"'),
      argumentsDelta(0, ':1}'),
      itemDone(0, bare),
      completed(),
    ]);
    for (const { content } of [onlyDone, onlyPieces]) expect(content).toMatchObject([{ args: { a: 1 } }]);
  });

  test('a call keeps namespace and caller', async () => {
    const item = {
      ...callItem('fc_1', 'call_1', 'x', '{}'),
      namespace: 'n',
      caller: { type: 'program', caller_id: 'c' },
    };
    const { content } = await responseAnswer([created, itemDone(0, item), completed()]);
    expect(content).toMatchObject([
      { data: { id: 'fc_1', namespace: 'n', caller: { type: 'program', caller_id: 'c' } } },
    ]);
  });

  test('a custom tool of ours is a call with free text, one of the server’s own is not', async () => {
    const item = (name: string): Json => ({
      type: 'custom_tool_call',
      id: `ctc_${name}`,
      call_id: `call_${name}`,
      name,
      input: 'select "x"',
    });
    const events = [created, itemDone(0, item('sql')), itemDone(1, item('theirs')), completed()];
    const { content, stopReason } = await responseAnswer(events, ['sql']);
    expect(content).toEqual([
      {
        type: 'toolCall',
        id: 'call_sql',
        name: 'sql',
        args: 'select "x"',
        provider: 'p',
        data: { type: 'custom_tool_call', id: 'ctc_sql' },
      },
      { type: 'provider', provider: 'p', kind: 'custom_tool_call', data: item('theirs') },
    ]);
    expect(stopReason).toBe('toolUse');
  });

  test.each([
    ['shell', { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }, { commands: ['ls'] }],
    [
      'shell',
      { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] }, environment: { type: 'local' } },
      { commands: ['ls'] },
    ],
    [
      'local_shell',
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } },
      { type: 'exec', command: ['ls'] },
    ],
    [
      'apply_patch',
      { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'a' } },
      { type: 'delete_file', path: 'a' },
    ],
    ['computer', { type: 'computer_call', call_id: 'c', action: { type: 'screenshot' } }, { type: 'screenshot' }],
    [
      'tool_search',
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'x' } },
      { query: 'x' },
    ],
  ] as const)('%s is a call for the client', async (name, item, args) => {
    const { content, stopReason } = await responseAnswer([created, itemDone(0, item as Json), completed()]);
    expect(content).toMatchObject([{ type: 'toolCall', id: 'c', name, args, data: { type: item.type } }]);
    expect(stopReason).toBe('toolUse');
  });

  test.each([
    {
      type: 'shell_call',
      call_id: 'c',
      action: { commands: [] },
      environment: { type: 'container_reference', container_id: 'x' },
    },
    { type: 'tool_search_call', call_id: null, execution: 'server', arguments: {} },
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'mcp_approval_request', id: 'mcpr_1', name: 'x', arguments: '{}' },
    { type: 'compaction', id: 'cmp_1', encrypted_content: 'ENC' },
    { type: 'something_new', id: 'n_1' },
  ] as Json[])('$type of the provider stays whole', async (item) => {
    const { content, stopReason } = await responseAnswer([created, itemDone(0, item), completed()]);
    expect(content).toEqual([{ type: 'provider', provider: 'p', kind: item['type'], data: item }]);
    expect(stopReason).toBe('endTurn');
  });

  test('a generated picture is an image, and the rest of its item a provider block', async () => {
    const item = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: 'AAAA',
      output_format: 'webp',
    };
    const { content } = await responseAnswer([created, itemDone(0, item), completed()]);
    const { result: _, ...data } = item;
    expect(content).toEqual([
      { type: 'image', source: { type: 'base64', mediaType: 'image/webp', data: 'AAAA' } },
      { type: 'provider', provider: 'p', kind: 'image_generation_call', data },
    ]);
  });

  test('progress of server tools and unknown events are raw', async () => {
    const progress: Json = { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' };
    const unknown: Json = { type: 'response.future', x: 1 };
    const search: Json = { type: 'web_search_call', id: 'ws_1' };
    const { raw } = await responseAnswer([
      created,
      itemAdded(0, search),
      progress,
      unknown,
      itemDone(0, search),
      completed(),
    ]);
    expect(raw).toEqual([progress, unknown]);
  });
});

describe('the end', () => {
  const cut = (reason: string): Json => ({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason }, output: [] },
  });

  test.each([
    ['max_output_tokens', 'maxTokens'],
    ['content_filter', 'refusal'],
    ['steered', 'other'],
  ] as const)('incomplete because of %s is %s', async (reason, expected) => {
    const { stopReason, rawStopReason } = await responseAnswer([created, cut(reason)]);
    expect([stopReason, rawStopReason]).toEqual([expected, reason]);
  });

  test('arguments cut by the limit are kept as they are', async () => {
    const item = { ...callItem('fc_1', 'call_1', 'add', '{"x":48151'), status: 'incomplete' };
    const { content, stopReason } = await responseAnswer([created, itemDone(0, item), cut('max_output_tokens')]);
    expect(content).toMatchObject([{ type: 'toolCall', rawArgs: '{"x":48151' }]);
    expect(content[0]).not.toHaveProperty('args');
    expect(stopReason).toBe('maxTokens');
  });

  test('a refusal', async () => {
    const item = messageItem('msg_1', '', { content: [{ type: 'refusal', refusal: 'No.' }] });
    expect((await responseAnswer([created, itemDone(0, item), completed()])).stopReason).toBe('refusal');
  });

  test('usage counts the whole input', async () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect((await responseAnswer([created, completed([], { usage })])).usage).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 3,
      details: usage,
    });
  });

  test('a stream that merely ends is incomplete', () => {
    expect(decodeResponse([created, itemDone(0, messageItem('msg_1', 'Hi'))]).progress.status).toBe('incomplete');
  });

  test.each([
    { type: 'error', code: 'server_error', message: 'oops' },
    { type: 'error', error: { type: 'server_error', message: 'oops' } },
    { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'oops' } } },
  ] as Json[])('an error in the stream is reported: %j', (event) => {
    const { progress } = decodeResponse([created, event]);
    expect(progress).toMatchObject({
      status: 'reported',
      report: { message: 'oops', codes: expect.arrayContaining(['server_error']) as unknown },
    });
  });

  test('a second answer that begins before the first ended is a breach', () => {
    const second: Json = { type: 'response.created', response: { id: 'resp_2', output: [] } };
    expect(decodeResponse([created, second]).progress.status).toBe('protocol');
  });
});

test('more items than a call has room for arguments are written, in order', async () => {
  const count = 150_000;
  const pieces = Array.from({ length: count }, (_, at) => textDelta(at, String(at)));
  const { content } = await responseAnswer([created, ...pieces, completed()]);
  expect(content).toHaveLength(count);
  expect(content.at(-1)).toMatchObject({ type: 'text', text: String(count - 1) });
});
