import { describe, expect, test } from 'vitest';
import { encodeRequest, type EncodeOptions } from '../../../src/adapters/anthropic/encode.ts';
import type { ModelRequest, ToolDefinition } from '../../../src/contracts/model.ts';
import type { Block, ToolResultBlock } from '../../../src/conversation/block.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';

const base: EncodeOptions = { model: 'claude-test', maxOutputTokens: 1000, cache: 'off', serverTools: [], now: 0 };

const encode = (request: Partial<ModelRequest>, options: Partial<EncodeOptions> = {}): Record<string, unknown> =>
  encodeRequest({ system: [], messages: [userMessage('hello')], tools: [], ...request }, { ...base, ...options });
const messagesOf = (...messages: readonly Message[]): unknown => encode({ messages })['messages'];

const callBlock = (id: string, more: object = {}): Block => ({
  type: 'toolCall',
  id,
  name: 'run',
  args: { n: 1 },
  ...more,
});
const result = (callId: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content: [{ type: 'text', text: 'done' }],
  ...more,
});
const toolMessage = (...content: readonly Block[]): Message => ({ id: 't', role: 'tool', content });
const toolUse = (id: string) => ({ type: 'tool_use', id, name: 'run', input: { n: 1 } });
const toolResult = (id: string) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text: 'done' }],
});

describe('messages', () => {
  test('results come first and steered text after them, in one user message', () => {
    const messages = messagesOf(
      userMessage('go'),
      assistantMessage([callBlock('a'), callBlock('b')]),
      toolMessage(result('a'), result('b')),
      userMessage([
        { type: 'text', text: '(sent meanwhile)' },
        { type: 'text', text: 'stop' },
      ]),
    );
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [toolUse('a'), toolUse('b')] },
      {
        role: 'user',
        content: [
          toolResult('a'),
          toolResult('b'),
          { type: 'text', text: '(sent meanwhile)' },
          { type: 'text', text: 'stop' },
        ],
      },
    ]);
  });

  test('adjacent messages of one role are merged', () => {
    expect(
      messagesOf(userMessage('a'), userMessage('b'), assistantMessage('c'), assistantMessage('d'), userMessage('e')),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'c' },
          { type: 'text', text: 'd' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'e' }] },
    ]);
  });

  test('blank texts, boundaries and messages left empty are not sent', () => {
    const boundary: Block = { type: 'boundary', summary: 's', keepFrom: 'x' };
    expect(
      messagesOf(
        userMessage('a'),
        assistantMessage([{ type: 'text', text: ' \n' }]),
        userMessage([boundary]),
        userMessage('b'),
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  test('another provider’s thinking and blocks are left out, its calls and results are kept', () => {
    const foreign: readonly Block[] = [
      { type: 'thinking', text: 'hm', provider: 'openai', encrypted: 'E', data: { id: 'rs_1' } },
      { type: 'provider', provider: 'openai', kind: 'web_search_call', data: { id: 'ws_1' } },
      { type: 'text', text: 'hi', provider: 'openai', data: { id: 'msg_1' }, citations: [{ url: 'u' }] },
      callBlock('a', { provider: 'openai', data: { id: 'fc_1' } }),
    ];
    expect(messagesOf(userMessage('go'), assistantMessage(foreign), toolMessage(result('a')))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }, toolUse('a')] },
      { role: 'user', content: [toolResult('a')] },
    ]);
  });

  test('thinking without a signature is left out', () => {
    expect(
      messagesOf(
        userMessage('a'),
        assistantMessage([
          { type: 'thinking', text: 'hm', provider: 'anthropic' },
          { type: 'text', text: 'b' },
        ]),
        userMessage('c'),
      ),
    ).toMatchObject([{}, { content: [{ type: 'text', text: 'b' }] }, {}]);
  });

  test('case 9: signed thinking goes back byte for byte and in its place', () => {
    const thought = 'I  think\r\n\u0000 therefore\u2028 “so”';
    const said: readonly Block[] = [
      { type: 'thinking', text: thought, provider: 'anthropic', signature: 'S+/==' },
      { type: 'thinking', text: '', provider: 'anthropic', encrypted: 'R+/==' },
      { type: 'text', text: 'let me see' },
      { type: 'thinking', text: '', provider: 'anthropic', signature: 'T==' },
      callBlock('a'),
    ];
    expect(messagesOf(userMessage('go'), assistantMessage(said), toolMessage(result('a')))).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: thought, signature: 'S+/==' },
          { type: 'redacted_thinking', data: 'R+/==' },
          { type: 'text', text: 'let me see' },
          { type: 'thinking', thinking: '', signature: 'T==' },
          toolUse('a'),
        ],
      },
      {},
    ]);
  });

  test('a signed compaction comes first and alone, what it stands for is left out', () => {
    const compaction = (content: string): Block => ({
      type: 'provider',
      provider: 'anthropic',
      kind: 'compaction',
      data: { type: 'compaction', content, signature: 'S' },
    });
    expect(
      messagesOf(
        userMessage('a'),
        assistantMessage([compaction('old')]),
        userMessage('b'),
        assistantMessage([{ type: 'text', text: 'x' }, compaction('new'), { type: 'text', text: 'y' }]),
        userMessage('c'),
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'compaction', content: 'new', signature: 'S' },
          { type: 'text', text: 'y' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
    ]);
  });

  test('white space at the end of a last assistant message is taken off', () => {
    expect(messagesOf(userMessage('a'), assistantMessage('So: \n'))).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'So:' }] },
    ]);
    expect(messagesOf(userMessage('a'), assistantMessage('So: \n'), userMessage('b'))).toMatchObject([
      {},
      { content: [{ type: 'text', text: 'So: \n' }] },
      {},
    ]);
  });
});

describe('call ids', () => {
  test('ids the API refuses are rewritten, call and result alike', () => {
    expect(
      messagesOf(
        userMessage('go'),
        assistantMessage([callBlock('functions.add:0')]),
        toolMessage(result('functions.add:0')),
      ),
    ).toMatchObject([{}, { content: [{ id: 'functions_add_0' }] }, { content: [{ tool_use_id: 'functions_add_0' }] }]);
  });

  test('ids that repeat across answers become unique, each result with its own call', () => {
    const round = (): readonly Message[] => [
      assistantMessage([callBlock('call_0'), callBlock('call_1')]),
      toolMessage(result('call_1'), result('call_0')),
    ];
    expect(messagesOf(userMessage('go'), ...round(), ...round())).toMatchObject([
      {},
      { content: [{ id: 'call_0' }, { id: 'call_1' }] },
      { content: [{ tool_use_id: 'call_1' }, { tool_use_id: 'call_0' }] },
      { content: [{ id: 'call_0_2' }, { id: 'call_1_2' }] },
      { content: [{ tool_use_id: 'call_1_2' }, { tool_use_id: 'call_0_2' }] },
    ]);
  });

  test('two ids that are rewritten to the same stay apart', () => {
    expect(
      messagesOf(
        userMessage('go'),
        assistantMessage([callBlock('a.b'), callBlock('a:b')]),
        toolMessage(result('a:b'), result('a.b')),
      ),
    ).toMatchObject([
      {},
      { content: [{ id: 'a_b' }, { id: 'a_b_2' }] },
      { content: [{ tool_use_id: 'a_b_2' }, { tool_use_id: 'a_b' }] },
    ]);
  });

  test('an id that repeats inside an answer: results go to its calls in order', () => {
    const round = (): readonly Message[] => [
      assistantMessage([callBlock('x'), callBlock('x')]),
      toolMessage(result('x'), result('x')),
    ];
    expect(messagesOf(userMessage('go'), ...round(), ...round())).toMatchObject([
      {},
      { content: [{ id: 'x' }, { id: 'x_2' }] },
      { content: [{ tool_use_id: 'x' }, { tool_use_id: 'x_2' }] },
      { content: [{ id: 'x_3' }, { id: 'x_4' }] },
      { content: [{ tool_use_id: 'x_3' }, { tool_use_id: 'x_4' }] },
    ]);
  });

  test('results belong to all assistant messages before them', () => {
    const messages = [
      userMessage('go'),
      assistantMessage([callBlock('a')]),
      toolMessage(result('a')),
      assistantMessage([callBlock('a')]),
      assistantMessage([callBlock('b')]),
      toolMessage(result('a'), result('b')),
    ];
    expect(messagesOf(...messages)).toMatchObject([
      {},
      { content: [{ id: 'a' }] },
      { content: [{ tool_use_id: 'a' }] },
      { content: [{ id: 'a_2' }, { id: 'b' }] },
      { content: [{ tool_use_id: 'a_2' }, { tool_use_id: 'b' }] },
    ]);
  });

  test('an empty id gets one', () => {
    expect(messagesOf(userMessage('go'), assistantMessage([callBlock('')]), toolMessage(result('')))).toMatchObject([
      {},
      { content: [{ id: 'call' }] },
      { content: [{ tool_use_id: 'call' }] },
    ]);
  });

  test('a longer history begins with the same bytes', () => {
    const first = [
      userMessage('go', { id: '1' }),
      assistantMessage([callBlock('call.0')], { id: '2' }),
      toolMessage(result('call.0')),
    ];
    const more = [...first, assistantMessage([callBlock('call.0')], { id: '4' }), toolMessage(result('call.0'))];
    expect(JSON.stringify((messagesOf(...more) as unknown[]).slice(0, 3))).toBe(JSON.stringify(messagesOf(...first)));
  });
});

describe('calls and results', () => {
  test('arguments that are not an object are wrapped, text that is not JSON too', () => {
    const blocks: readonly Block[] = [
      { type: 'toolCall', id: 'a', name: 'patch', args: '*** Begin' },
      { type: 'toolCall', id: 'b', name: 'write', rawArgs: '{"a":"x' },
      { type: 'toolCall', id: 'c', name: 'mcp.read', args: {} },
    ];
    expect(messagesOf(userMessage('go'), assistantMessage(blocks))).toMatchObject([
      {},
      {
        content: [
          { input: { input: '*** Begin' } },
          { input: { INVALID_JSON: '{"a":"x' } },
          { name: 'mcp_read', input: {} },
        ],
      },
    ]);
  });

  test('Anthropic’s own facts about a call go back', () => {
    const caller = { type: 'code_execution_20250825', tool_id: 'srv' };
    expect(
      messagesOf(userMessage('go'), assistantMessage([callBlock('a', { provider: 'anthropic', data: { caller } })])),
    ).toMatchObject([{}, { content: [{ ...toolUse('a'), caller }] }]);
  });

  test('every status but completed is an error, and an error always says something', () => {
    expect(
      messagesOf(
        userMessage('go'),
        assistantMessage([callBlock('a'), callBlock('b'), callBlock('c')]),
        toolMessage(
          result('a', { status: 'denied' }),
          result('b', { status: 'interrupted', content: [] }),
          result('c', { content: [] }),
        ),
      ),
    ).toMatchObject([
      {},
      {},
      {
        content: [
          { ...toolResult('a'), is_error: true },
          { type: 'tool_result', tool_use_id: 'b', is_error: true, content: [{ type: 'text', text: '(interrupted)' }] },
          { type: 'tool_result', tool_use_id: 'c' },
        ],
      },
    ]);
  });

  test('results carry images and documents', () => {
    const content: ToolResultBlock['content'] = [
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'document', source: { type: 'text', text: 'page' }, title: 'notes' },
    ];
    expect(
      messagesOf(userMessage('go'), assistantMessage([callBlock('a')]), toolMessage(result('a', { content }))),
    ).toMatchObject([
      {},
      {},
      {
        content: [
          {
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
              { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'page' }, title: 'notes' },
            ],
          },
        ],
      },
    ]);
  });
});

describe('media', () => {
  const first = (block: Block): unknown =>
    (messagesOf(userMessage([block])) as readonly { readonly content: readonly unknown[] }[])[0]?.content[0];

  test.each([
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/PNG', 'image/png'],
  ])('a picture of type %s is sent as %s', (mediaType, sent) => {
    const source = { type: 'base64', media_type: sent, data: 'AAAA' };
    expect(first({ type: 'image', source: { type: 'base64', mediaType, data: 'AAAA' } })).toEqual({
      type: 'image',
      source,
    });
  });

  test('a data URL, which the API does not fetch, is sent as the base64 in it', () => {
    const url = 'data:image/png;base64,AAAA';
    expect(first({ type: 'image', source: { type: 'url', url } })).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    });
  });

  test('a text document is read in either alphabet of base64, and described in words if it is not base64', () => {
    const document = (data: string): Block => ({
      type: 'document',
      source: { type: 'base64', mediaType: 'text/plain', data },
    });
    expect(first(document('w7_Dv8O_'))).toMatchObject({ source: { data: 'ÿÿÿ' } });
    expect(first(document('%%%'))).toEqual({ type: 'text', text: '[document (text/plain): cannot be shown here]' });
  });

  test('an empty text document without a title is described in words', () => {
    expect(first({ type: 'document', source: { type: 'text', text: '' }, title: '' })).toEqual({
      type: 'text',
      text: '[document: cannot be shown here]',
    });
  });

  const sent = (block: Block): unknown => (messagesOf(userMessage([block])) as { content: unknown[] }[])[0]?.content[0];

  test.each<[string, Block, unknown]>([
    [
      'image by base64',
      { type: 'image', source: { type: 'base64', mediaType: 'image/webp', data: 'AA==' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AA==' } },
    ],
    [
      'image by URL',
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
      { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
    ],
    [
      'image by file id',
      { type: 'image', source: { type: 'file', provider: 'anthropic', fileId: 'f' } },
      { type: 'image', source: { type: 'file', file_id: 'f' } },
    ],
    [
      'another provider’s file',
      { type: 'image', source: { type: 'file', provider: 'openai', fileId: 'f' } },
      { type: 'text', text: '[image (a file of openai): cannot be shown here]' },
    ],
    [
      'image of a kind it cannot see',
      { type: 'image', source: { type: 'base64', mediaType: 'image/svg+xml', data: 'AA==' } },
      { type: 'text', text: '[image (image/svg+xml): cannot be shown here]' },
    ],
    [
      'PDF by base64',
      { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'AA==' }, title: 'T' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' }, title: 'T' },
    ],
    [
      'PDF by URL',
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://x.test/a.pdf' } },
    ],
    [
      'document by file id',
      { type: 'document', source: { type: 'file', provider: 'anthropic', fileId: 'f' } },
      { type: 'document', source: { type: 'file', file_id: 'f' } },
    ],
    [
      'text file by base64',
      { type: 'document', source: { type: 'base64', mediaType: 'text/csv', data: btoa('a,b') } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
    ],
    [
      'document of a kind it cannot read',
      { type: 'document', source: { type: 'base64', mediaType: 'application/zip', data: 'AA==' }, title: 'z' },
      { type: 'text', text: '[z (application/zip): cannot be shown here]' },
    ],
    [
      'speech with a transcript',
      { type: 'audio', source: { type: 'base64', mediaType: 'audio/wav', data: 'AA==' }, transcript: 'hello' },
      { type: 'text', text: 'hello' },
    ],
    [
      'speech without one',
      { type: 'audio', source: { type: 'base64', mediaType: 'audio/wav', data: 'AA==' } },
      { type: 'text', text: '[audio (audio/wav): cannot be shown here]' },
    ],
    [
      'a block in the API’s own words',
      {
        type: 'provider',
        provider: 'anthropic',
        kind: 'container_upload',
        data: { type: 'container_upload', file_id: 'f' },
      },
      { type: 'container_upload', file_id: 'f' },
    ],
  ])('%s', (_, block, expected) => {
    expect(sent(block)).toEqual(expected);
  });

  test('pictures in an assistant message are described: the API takes none there', () => {
    const image: Block = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } };
    expect(messagesOf(userMessage('draw'), assistantMessage([image]), userMessage('nice'))).toMatchObject([
      {},
      { content: [{ type: 'text', text: '[image (image/png): cannot be shown here]' }] },
      {},
    ]);
  });
});

describe('the request', () => {
  const tool: ToolDefinition = {
    name: 'run',
    description: 'Runs.',
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
  };

  test('caching is on by default: a marker for the whole prompt and one on the system text', () => {
    expect(
      encode(
        {
          system: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
          tools: [tool],
        },
        { cache: 'request' },
      ),
    ).toMatchObject({
      cache_control: { type: 'ephemeral' },
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ name: 'run' }],
    });
  });

  test('without system text the last tool carries the marker', () => {
    expect(encode({ tools: [tool] }, { cache: 'request' })).toMatchObject({
      tools: [{ name: 'run', cache_control: { type: 'ephemeral' } }],
    });
  });

  test('where the server has no marker for the whole prompt, the last block of the user carries one', () => {
    const messages = [userMessage('a'), assistantMessage('b'), userMessage('c')];
    const body = encode({ system: [{ type: 'text', text: 's' }], messages }, { cache: 'blocks' });
    expect(body).not.toHaveProperty('cache_control');
    expect(body).toMatchObject({
      system: [{ cache_control: { type: 'ephemeral' } }],
      messages: [{}, {}, { content: [{ type: 'text', text: 'c', cache_control: { type: 'ephemeral' } }] }],
    });
    expect(JSON.stringify(body['messages']).match(/cache_control/g)).toHaveLength(1);
  });

  test('caching off sets no marker at all', () => {
    expect(JSON.stringify(encode({ system: [{ type: 'text', text: 'a' }], tools: [tool] }))).not.toContain(
      'cache_control',
    );
  });

  test('an own marker in the system text is left alone', () => {
    const own: Block = {
      type: 'provider',
      provider: 'anthropic',
      kind: 'text',
      data: { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
    };
    expect(encode({ system: [own, { type: 'text', text: 'b' }] }, { cache: 'request' })['system']).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'b' },
    ]);
  });

  test.each([
    [undefined, undefined],
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ tool: 'run' }, { type: 'tool', name: 'run' }],
  ] as const)('tool choice %j is %j', (toolChoice, expected) => {
    expect(encode({ tools: [tool], ...(toolChoice === undefined ? {} : { toolChoice }) })['tool_choice']).toEqual(
      expected,
    );
  });

  test('a tool choice without tools is not sent', () => {
    expect(encode({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
  });

  test('a strict tool is strict when its schema can be enforced', () => {
    expect(encode({ tools: [{ ...tool, strict: true }] })['tools']).toEqual([
      {
        name: 'run',
        description: 'Runs.',
        strict: true,
        input_schema: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false },
      },
    ]);
    const open = { type: 'object', properties: { map: { type: 'object', additionalProperties: { type: 'string' } } } };
    expect(encode({ tools: [{ ...tool, parameters: open, strict: true }] })['tools']).toEqual([
      { name: 'run', description: 'Runs.', input_schema: open },
    ]);
  });

  test('a tool’s own Anthropic options are merged; a tool Anthropic defined has nothing else', () => {
    const tools = [
      { ...tool, providerOptions: { anthropic: { defer_loading: true }, openai: { x: 1 } } },
      {
        ...tool,
        name: 'computer',
        providerOptions: { anthropic: { type: 'computer_20251124', display_width_px: 10, display_height_px: 10 } },
      },
    ];
    expect(encode({ tools })['tools']).toEqual([
      { name: 'run', description: 'Runs.', input_schema: tool.parameters, defer_loading: true },
      { name: 'computer', type: 'computer_20251124', display_width_px: 10, display_height_px: 10 },
    ]);
  });

  test('server tools follow the client’s', () => {
    expect(
      encode({ tools: [tool] }, { serverTools: [{ type: 'web_search_20260318', name: 'web_search' }] })['tools'],
    ).toMatchObject([{ name: 'run' }, { name: 'web_search' }]);
  });

  test('structured output and effort share output_config', () => {
    const output = {
      name: 'answer',
      schema: { type: 'object', properties: { a: { type: 'string', minLength: 2 } }, required: ['a'] },
    };
    expect(encode({ output }, { effort: 'high' })['output_config']).toEqual({
      effort: 'high',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'string', description: '(minLength: 2)' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    });
  });

  test('the token limit: the request’s, else the model’s, else room beside the thinking budget', () => {
    expect(encode({ maxOutputTokens: 7 })['max_tokens']).toBe(7);
    expect(encode({}, { maxOutputTokens: 32_000 })['max_tokens']).toBe(32_000);
    expect(
      encode({}, { maxOutputTokens: 32_000, thinking: { type: 'enabled', budget_tokens: 60_000 } })['max_tokens'],
    ).toBe(68_192);
  });

  test('extraBody wins over what is made, providerOptions.anthropic over both', () => {
    const body = encode(
      { providerOptions: { anthropic: { service_tier: 'auto', output_config: { task_budget: 5 } }, openai: { x: 1 } } },
      { effort: 'low', extraBody: { max_tokens: 5, service_tier: 'standard_only' } },
    );
    expect(body).toMatchObject({
      max_tokens: 5,
      service_tier: 'auto',
      output_config: { effort: 'low', task_budget: 5 },
    });
    expect(body).not.toHaveProperty('x');
  });

  test('the container of the last answer is used again until it expires', () => {
    const answer = assistantMessage('ran it', {
      meta: { anthropic: { container: { id: 'c1', expires_at: '2026-01-01T00:00:00Z' } } },
    });
    const messages = [userMessage('go'), answer, userMessage('again')];
    expect(encode({ messages }, { now: Date.parse('2025-12-31T23:59:59Z') })['container']).toBe('c1');
    expect(encode({ messages }, { now: Date.parse('2026-01-01T00:00:01Z') })).not.toHaveProperty('container');
    expect(encode({ messages }, { now: 0, extraBody: { container: 'mine' } })['container']).toBe('mine');
  });
});
