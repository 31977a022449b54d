import { describe, expect, test } from 'vitest';
import { encodeInput } from '../../../../src/adapters/openai/responses/encode-input.ts';
import { encodeResponsesRequest } from '../../../../src/adapters/openai/responses/encode.ts';
import type { EncodeOptions } from '../../../../src/adapters/openai/request-parts.ts';
import { targetOf } from '../../../../src/adapters/openai/target.ts';
import type { ModelRequest, ToolDefinition } from '../../../../src/contracts/model.ts';
import type { Block, ToolResultBlock } from '../../../../src/conversation/block.ts';
import type { Message } from '../../../../src/conversation/message.ts';
import { assistantMessage, userMessage } from '../../../../src/conversation/message.ts';
import { callItem, completed, created, itemDone, messageItem, type Json } from '../wire-events.ts';
import { createResponsesDecoder } from '../../../../src/adapters/openai/responses/decode.ts';
import type { StreamEvent } from '../../../../src/contracts/model.ts';
import { collect } from '../../collect.ts';

const target = targetOf({ model: 'gpt-5.4' }, undefined);
const elsewhere = targetOf({ model: 'm', api: 'responses' }, 'https://other.example/v1');
const hello = userMessage('hello', { id: 'm1' });
const tool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'run',
  description: 'Runs.',
  parameters: { type: 'object' },
  ...more,
});
const bodyOf = (request: Partial<ModelRequest>, options: EncodeOptions = {}, to = target): Json =>
  encodeResponsesRequest({ system: [], messages: [hello], tools: [], ...request }, to, options);
const resultOf = (callId: string, ...content: ToolResultBlock['content']): ToolResultBlock => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content,
});
const toolMessage = (...content: readonly Block[]): Message => ({ id: 't', role: 'tool', content });

/** An answer of OpenAI as it stands in a transcript. */
async function answered(...items: readonly Json[]): Promise<Message> {
  const decoder = createResponsesDecoder({ provider: 'openai', customTools: new Set(['sql']) });
  const out: StreamEvent[] = [];
  for (const event of [created, ...items.map((item, place) => itemDone(place, item)), completed()])
    decoder.read(event, out);
  const { content, meta } = await collect(out);
  return assistantMessage(content, meta === undefined ? {} : { meta });
}

describe('the body', () => {
  test('a plain question: stateless, encrypted reasoning, a stable cache key', () => {
    expect(bodyOf({ system: [{ type: 'text', text: 'Be brief.' }] })).toEqual({
      model: 'gpt-5.4',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'hello' }],
      store: false,
      include: ['reasoning.encrypted_content'],
      stream_options: { include_obfuscation: false },
      prompt_cache_key: 'm1',
    });
  });

  test('another server gets only the common fields', () => {
    expect(bodyOf({ tools: [tool()] }, {}, elsewhere)).toEqual({
      model: 'm',
      input: [{ role: 'user', content: 'hello' }],
      tools: [
        {
          type: 'function',
          name: 'run',
          description: 'Runs.',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });

  test('a model that does not reason is not asked for encrypted reasoning', () => {
    for (const model of ['gpt-4.1', 'gpt-4o-mini', 'gpt-3.5-turbo', 'ft:gpt-4o:org::x']) {
      expect(bodyOf({}, {}, targetOf({ model }, undefined))).not.toHaveProperty('include');
    }
  });

  test('store: true keeps the answers and asks for nothing encrypted', () => {
    const body = bodyOf({}, {}, targetOf({ model: 'gpt-5.4', store: true }, undefined));
    expect([body['store'], body['include']]).toEqual([true, undefined]);
  });

  test('an include list is added to ours, an empty one takes it away', () => {
    const include = (list: readonly string[]): unknown => bodyOf({}, { extraBody: { include: list } })['include'];
    expect(include(['code_interpreter_call.outputs'])).toEqual([
      'reasoning.encrypted_content',
      'code_interpreter_call.outputs',
    ]);
    expect(include([])).toEqual([]);
  });

  test('limit, structured output, reasoning', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const body = bodyOf({ maxOutputTokens: 9, output: { name: 'answer', schema } }, { reasoning: 'high' });
    expect(body).toMatchObject({
      max_output_tokens: 9,
      text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
      reasoning: { effort: 'high' },
    });
    expect(bodyOf({}, { reasoning: { effort: 'low', summary: 'auto' } })['reasoning']).toEqual({
      effort: 'low',
      summary: 'auto',
    });
  });

  test('extraBody wins, the request’s own options win over it, objects are merged', () => {
    const body = bodyOf(
      { providerOptions: { openai: { top_p: 0.5, text: { verbosity: 'low' } } }, output: { name: 'o', schema: {} } },
      { extraBody: { top_p: 0.1, user: 'u', parallel_tool_calls: false } },
    );
    expect(body).toMatchObject({
      top_p: 0.5,
      user: 'u',
      parallel_tool_calls: false,
      text: { verbosity: 'low', format: { name: 'o' } },
    });
  });
});

describe('tools', () => {
  test('strict where the schema allows it, or the tool says so', () => {
    const closed = { type: 'object', properties: {}, additionalProperties: false };
    const strictOf = (more: Partial<ToolDefinition>): unknown =>
      (bodyOf({ tools: [tool(more)] })['tools'] as Json[])[0]?.['strict'];
    expect([
      strictOf({ parameters: closed }),
      strictOf({}),
      strictOf({ strict: true }),
      strictOf({ parameters: closed, strict: false }),
    ]).toEqual([true, false, true, false]);
  });

  test('custom tools, tools OpenAI defined, server tools', () => {
    const sql = tool({ name: 'sql', providerOptions: { openai: { type: 'custom', format: { type: 'text' } } } });
    const shell = tool({ name: 'shell', providerOptions: { openai: { type: 'shell' } } });
    const body = bodyOf({ tools: [sql, shell] }, { serverTools: [{ type: 'web_search' }] });
    expect(body['tools']).toEqual([
      { type: 'custom', name: 'sql', description: 'Runs.', format: { type: 'text' } },
      { type: 'shell' },
      { type: 'web_search' },
    ]);
    expect(body['parallel_tool_calls']).toBe(true);
  });

  test('every shape of tool choice', () => {
    const tools = [
      tool(),
      tool({ name: 'sql', providerOptions: { openai: { type: 'custom' } } }),
      tool({ name: 'shell', providerOptions: { openai: { type: 'shell' } } }),
    ];
    const choose = (toolChoice: NonNullable<ModelRequest['toolChoice']>): unknown =>
      bodyOf({ tools, toolChoice })['tool_choice'];
    expect(['auto', 'none', 'required'].map((choice) => choose(choice as 'auto'))).toEqual([
      'auto',
      'none',
      'required',
    ]);
    expect(choose({ tool: 'run' })).toEqual({ type: 'function', name: 'run' });
    expect(choose({ tool: 'sql' })).toEqual({ type: 'custom', name: 'sql' });
    expect(choose({ tool: 'shell' })).toEqual({ type: 'shell' });
    expect(choose({ tool: 'web_search' })).toEqual({ type: 'web_search' });
  });

  test('no tools, no choice', () => {
    expect(bodyOf({ toolChoice: 'required' })).not.toHaveProperty('tool_choice');
  });
});

describe('case 16: reasoning and what followed it', () => {
  const rs1 = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'hm' }],
    encrypted_content: 'ENC',
  };
  const m1 = messageItem('msg_1', 'Hello', { phase: 'final_answer' });

  test('both go back with their ids, as they came', async () => {
    expect(encodeInput([hello, await answered(rs1, m1)], target).slice(1)).toEqual([rs1, m1]);
  });

  test('a dropped answer takes its reasoning with it', async () => {
    const whole = await answered(rs1, m1);
    const cut = { ...whole, content: whole.content.filter((block) => block.type !== 'text') };
    expect(encodeInput([hello, cut], target).slice(1)).toEqual([]);
  });

  test('dropped reasoning takes the id of its answer with it', async () => {
    const whole = await answered(rs1, m1);
    const cut = { ...whole, content: whole.content.filter((block) => block.type !== 'thinking') };
    expect(encodeInput([hello, cut], target).slice(1)).toEqual([
      { role: 'assistant', content: 'Hello', phase: 'final_answer' },
    ]);
  });

  test('a follower dropped from the middle does not make the next one a follower', async () => {
    const rs2 = { ...rs1, id: 'rs_2' };
    const fc = callItem('fc_1', 'call_1', 'run', '{}');
    const whole = await answered(rs1, m1, rs2, fc);
    const cut = { ...whole, content: whole.content.filter((block) => block.type !== 'text') };
    expect(encodeInput([hello, cut], target).slice(1)).toEqual([rs2, fc]);
  });

  test('parallel calls after dropped reasoning lose their ids, a server tool goes', async () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const whole = await answered(
      rs1,
      search,
      callItem('fc_1', 'call_1', 'run', '{}'),
      callItem('fc_2', 'call_2', 'run', '{}'),
    );
    const cut = { ...whole, content: whole.content.filter((block) => block.type !== 'thinking') };
    expect(
      encodeInput([hello, cut], target)
        .slice(1)
        .map((item) => [item['type'], item['id'], item['call_id']]),
    ).toEqual([
      ['function_call', undefined, 'call_1'],
      ['function_call', undefined, 'call_2'],
    ]);
  });

  test('without a ciphertext neither is sent when the server keeps nothing, both when it does', async () => {
    const { encrypted_content: _, ...bare } = rs1;
    const whole = await answered(bare, callItem('fc_1', 'call_1', 'run', '{}'));
    expect(
      encodeInput([hello, whole], target)
        .slice(1)
        .map((item) => [item['type'], item['id']]),
    ).toEqual([['function_call', undefined]]);
    const keeping = targetOf({ model: 'gpt-5.4', store: true }, undefined);
    expect(
      encodeInput([hello, whole], keeping)
        .slice(1)
        .map((item) => item['id']),
    ).toEqual(['rs_1', 'fc_1']);
  });

  test('reasoning in the clear goes back without a ciphertext', async () => {
    const open = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] };
    expect(encodeInput([hello, await answered(open, m1)], target).slice(1)).toEqual([open, m1]);
  });

  test('reasoning that was the last thing said is left out', async () => {
    expect(encodeInput([hello, await answered(rs1)], target).slice(1)).toEqual([]);
  });

  test('reasoning after reasoning stands if what follows both does', async () => {
    const rs2 = { ...rs1, id: 'rs_2' };
    expect(encodeInput([hello, await answered(rs1, rs2, m1)], target).slice(1)).toEqual([rs1, rs2, m1]);
  });
});

describe('replay', () => {
  test('every kind of item goes back as it came', async () => {
    const items: Json[] = [
      messageItem('msg_1', 'Hi', {
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Hi', annotations: [{ type: 'url_citation', url: 'u' }] }],
      }),
      messageItem('msg_2', '', { content: [{ type: 'refusal', refusal: 'No.' }] }),
      { ...callItem('fc_1', 'call_1', 'run', '{"a": 1}'), namespace: 'n' },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'sql', input: 'select 1', status: 'completed' },
      { type: 'shell_call', id: 'sh_1', call_id: 'call_3', action: { commands: ['ls'] }, status: 'completed' },
      {
        type: 'computer_call',
        id: 'cu_1',
        call_id: 'call_4',
        actions: [{ type: 'screenshot' }],
        pending_safety_checks: [],
      },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      { type: 'mcp_call', id: 'mcp_1', name: 'x', arguments: '{}', server_label: 's', output: 'y' },
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'ENC' },
    ];
    expect(encodeInput([await answered(...items)], target)).toEqual(items);
  });

  test('the parts of one message are one item again', async () => {
    const item = messageItem('msg_1', 'a', {
      content: [
        { type: 'output_text', text: 'a', annotations: [] },
        { type: 'output_text', text: 'b', annotations: [] },
      ],
    });
    expect(encodeInput([await answered(item)], target)).toEqual([item]);
  });

  test('log probabilities are not sent back', async () => {
    const part = { type: 'output_text', text: 'a', annotations: [], logprobs: [{ token: 'a', logprob: -1 }] };
    const [item] = encodeInput([await answered(messageItem('msg_1', 'a', { content: [part] }))], target);
    expect(item?.['content']).toEqual([{ type: 'output_text', text: 'a', annotations: [] }]);
  });

  test('another server gets texts, calls and results, and nothing that only OpenAI understands', async () => {
    const whole = await answered(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ENC' },
      messageItem('msg_1', 'Hi', { phase: 'commentary' }),
      { type: 'web_search_call', id: 'ws_1' },
      callItem('fc_1', 'call_1', 'run', '{"a": 1}'),
    );
    expect(encodeInput([whole, toolMessage(resultOf('call_1', { type: 'text', text: 'ok' }))], elsewhere)).toEqual([
      { role: 'assistant', content: 'Hi' },
      { type: 'function_call', call_id: 'call_1', name: 'run', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
    ]);
  });

  test('thinking and blocks of other providers are left out', () => {
    const foreign = assistantMessage([
      { type: 'thinking', text: 'hm', signature: 'SIG', provider: 'anthropic' },
      { type: 'text', text: 'Hi ' },
      { type: 'text', text: 'there', citations: [{ a: 1 }] },
      { type: 'provider', provider: 'anthropic', kind: 'server_tool_use', data: {} },
    ]);
    expect(encodeInput([foreign], target)).toEqual([{ role: 'assistant', content: 'Hi there' }]);
  });

  test('call ids that are too long are shortened, the same for call and result', () => {
    const id = `toolu_${'x'.repeat(80)}`;
    const items = encodeInput(
      [
        assistantMessage([{ type: 'toolCall', id, name: 'run', args: {} }]),
        toolMessage(resultOf(id, { type: 'text', text: 'ok' })),
      ],
      target,
    );
    expect(items[0]?.['call_id']).toBe(items[1]?.['call_id']);
    expect(String(items[0]?.['call_id'])).toMatch(/^toolu_x+_[a-z0-9]{11}$/);
    expect(String(items[0]?.['call_id'])).toHaveLength(64);
  });
});

describe('results', () => {
  const outputOf = async (item: Json, result: ToolResultBlock): Promise<Json | undefined> =>
    encodeInput([await answered(item), toolMessage(result)], target).at(-1);
  const ok = (callId: string): ToolResultBlock => resultOf(callId, { type: 'text', text: 'ok' });

  test('each kind of call is answered in its own form', async () => {
    expect(await outputOf({ type: 'custom_tool_call', call_id: 'c', name: 'sql', input: '' }, ok('c'))).toEqual({
      type: 'custom_tool_call_output',
      call_id: 'c',
      output: 'ok',
    });
    expect(
      await outputOf({ type: 'shell_call', call_id: 'c', action: { commands: ['ls'], max_output_length: 9 } }, ok('c')),
    ).toEqual({
      type: 'shell_call_output',
      call_id: 'c',
      max_output_length: 9,
      output: [{ stdout: 'ok', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    });
    expect(await outputOf({ type: 'local_shell_call', call_id: 'c', action: {} }, ok('c'))).toEqual({
      type: 'local_shell_call_output',
      id: 'c',
      output: 'ok',
    });
    expect(
      await outputOf({ type: 'apply_patch_call', call_id: 'c', operation: {} }, { ...ok('c'), status: 'failed' }),
    ).toEqual({
      type: 'apply_patch_call_output',
      call_id: 'c',
      status: 'failed',
      output: 'ok',
    });
    expect(
      await outputOf(
        { type: 'computer_call', call_id: 'c', action: {} },
        resultOf('c', { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } }),
      ),
    ).toEqual({
      type: 'computer_call_output',
      call_id: 'c',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' },
    });
    expect(
      await outputOf(
        { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: {} },
        resultOf('c', { type: 'text', text: '[{"type":"function"}]' }),
      ),
    ).toEqual({
      type: 'tool_search_output',
      call_id: 'c',
      execution: 'client',
      status: 'completed',
      tools: [{ type: 'function' }],
    });
  });

  test('a result with a picture is a list of parts', async () => {
    const item = await outputOf(
      callItem('fc_1', 'c', 'run', '{}'),
      resultOf('c', { type: 'text', text: 'see' }, { type: 'image', source: { type: 'url', url: 'https://x/y.png' } }),
    );
    expect(item?.['output']).toEqual([
      { type: 'input_text', text: 'see' },
      { type: 'input_image', detail: 'auto', image_url: 'https://x/y.png' },
    ]);
  });

  test('results come first, text sent meanwhile after them', () => {
    const call = assistantMessage([{ type: 'toolCall', id: 'c', name: 'run', args: {} }]);
    const items = encodeInput([hello, call, toolMessage(ok('c')), userMessage('wait')], target);
    expect(items.slice(2)).toEqual([
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
      { role: 'user', content: 'wait' },
    ]);
  });

  test('a result without text says how it ended', async () => {
    expect(
      (await outputOf(callItem('fc_1', 'c', 'run', '{}'), { ...resultOf('c'), status: 'interrupted' }))?.['output'],
    ).toBe('(interrupted)');
    expect((await outputOf(callItem('fc_1', 'c', 'run', '{}'), resultOf('c')))?.['output']).toBe('');
  });
});

describe('user messages', () => {
  test('pictures of kinds that OpenAI refuses are described in words; others decide for themselves', () => {
    const image = (mediaType: string): Block => ({
      type: 'image',
      source: { type: 'base64', mediaType, data: 'AAAA' },
    });
    const content = [image('image/jpg'), image('image/svg+xml')];
    const sentTo = (to: typeof target) => encodeInput([userMessage(content)], to)[0]?.['content'];
    const jpeg = { type: 'input_image', detail: 'auto', image_url: 'data:image/jpeg;base64,AAAA' };
    expect(sentTo(target)).toEqual([
      jpeg,
      { type: 'input_text', text: '[image of type image/svg+xml, which cannot be shown here]' },
    ]);
    expect(sentTo(elsewhere)).toEqual([jpeg, { ...jpeg, image_url: 'data:image/svg+xml;base64,AAAA' }]);
  });

  test('names that no server takes are made acceptable, and a text document of the assistant is sent with its text', () => {
    const call: Block = { type: 'toolCall', id: 'a', name: 'mcp.files/read', args: {} };
    const document: Block = { type: 'document', source: { type: 'text', text: 'body' } };
    expect(encodeInput([assistantMessage([call, document])], target)).toMatchObject([
      { name: 'mcp_files_read' },
      { content: 'body' },
    ]);
  });

  const partsOf = (...blocks: readonly Block[]): unknown => encodeInput([userMessage(blocks)], target)[0]?.['content'];

  test('pictures by base64, URL and id', () => {
    expect(
      partsOf(
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } },
        { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
        { type: 'image', source: { type: 'file', provider: 'openai', fileId: 'file-1' } },
        { type: 'image', source: { type: 'file', provider: 'anthropic', fileId: 'file_2' } },
      ),
    ).toEqual([
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AA' },
      { type: 'input_image', detail: 'auto', image_url: 'https://x/y.png' },
      { type: 'input_image', detail: 'auto', file_id: 'file-1' },
      { type: 'input_text', text: '[image, which cannot be shown here]' },
    ]);
  });

  test('documents and sound', () => {
    expect(
      partsOf(
        { type: 'document', title: 'report', source: { type: 'base64', mediaType: 'application/pdf', data: 'AA' } },
        { type: 'document', source: { type: 'url', url: 'https://x/y.pdf' } },
        { type: 'document', title: 'notes', source: { type: 'text', text: 'hm' } },
        { type: 'audio', source: { type: 'base64', mediaType: 'audio/mpeg', data: 'AA' } },
      ),
    ).toEqual([
      { type: 'input_file', filename: 'report.pdf', file_data: 'data:application/pdf;base64,AA' },
      { type: 'input_file', file_url: 'https://x/y.pdf' },
      { type: 'input_text', text: 'notes\n\nhm' },
      { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
    ]);
  });

  test('an item of the API among the blocks stands on its own', () => {
    const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true };
    const message = userMessage([
      { type: 'text', text: 'go' },
      { type: 'provider', provider: 'openai', kind: 'mcp_approval_response', data: approval },
    ]);
    expect(encodeInput([message], target)).toEqual([{ role: 'user', content: 'go' }, approval]);
  });

  test('boundaries and empty messages are left out', () => {
    expect(
      encodeInput(
        [userMessage([{ type: 'boundary', summary: 's', keepFrom: 'm1' }]), userMessage(''), assistantMessage([])],
        target,
      ),
    ).toEqual([]);
  });
});
