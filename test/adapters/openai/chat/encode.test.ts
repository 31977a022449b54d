import { describe, expect, test } from 'vitest';
import { createChatDecoder } from '../../../../src/adapters/openai/chat/decode.ts';
import { encodeChatRequest } from '../../../../src/adapters/openai/chat/encode.ts';
import type { EncodeOptions } from '../../../../src/adapters/openai/request-parts.ts';
import { targetOf, type Target } from '../../../../src/adapters/openai/target.ts';
import type { ModelRequest, StreamEvent, ToolDefinition } from '../../../../src/contracts/model.ts';
import type { Block, ToolResultBlock } from '../../../../src/conversation/block.ts';
import type { Message } from '../../../../src/conversation/message.ts';
import { assistantMessage, userMessage } from '../../../../src/conversation/message.ts';
import { collect } from '../../collect.ts';
import { callDelta, chunk, finish, type Json } from '../wire-events.ts';

const openAI = targetOf({ model: 'gpt-5.4', api: 'chat' }, undefined);
const local = targetOf({ model: 'llama' }, 'http://127.0.0.1:11434/v1');
const mistral = targetOf({ model: 'mistral' }, 'https://api.mistral.ai/v1');
const hello = userMessage('hello', { id: 'm1' });
const tool = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'run',
  description: 'Runs.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  ...more,
});
const bodyOf = (request: Partial<ModelRequest>, to: Target, options: EncodeOptions = {}): Json =>
  encodeChatRequest({ system: [], messages: [hello], tools: [], ...request }, to, options);
const messagesOf = (messages: readonly Message[], to: Target = local): readonly Json[] =>
  bodyOf({ messages }, to)['messages'] as readonly Json[];
const resultOf = (callId: string, ...content: ToolResultBlock['content']): ToolResultBlock => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content,
});

/** An answer of a server as it stands in a transcript. */
async function answered(from: Target, ...chunks: readonly Json[]): Promise<Message> {
  const decoder = createChatDecoder({ provider: from.provider });
  const out: StreamEvent[] = [];
  for (const one of [...chunks, finish('stop')]) decoder.read(one, out);
  decoder.end(out, 'marker');
  const { content, meta } = await collect(out);
  return assistantMessage(content, meta === undefined ? {} : { meta });
}

describe('the body', () => {
  test('for OpenAI itself', () => {
    expect(
      bodyOf({ system: [{ type: 'text', text: 'Be brief.' }], tools: [tool()], maxOutputTokens: 9 }, openAI),
    ).toEqual({
      model: 'gpt-5.4',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'run',
            description: 'Runs.',
            parameters: { type: 'object', properties: {}, additionalProperties: false },
            strict: true,
          },
        },
      ],
      max_completion_tokens: 9,
      stream_options: { include_usage: true, include_obfuscation: false },
      prompt_cache_key: 'm1',
    });
  });

  test('another server gets only the common fields', () => {
    const body = bodyOf({ tools: [tool()], maxOutputTokens: 9, toolChoice: 'auto' }, local);
    expect(Object.keys(body)).toEqual(['model', 'messages', 'tools', 'tool_choice', 'max_tokens', 'stream_options']);
    expect(body['stream_options']).toEqual({ include_usage: true });
    expect((body['tools'] as Json[])[0]?.['function']).not.toHaveProperty('strict');
    const strict = bodyOf({ tools: [tool({ strict: true })] }, local);
    expect((strict['tools'] as Json[])[0]?.['function']).toHaveProperty('strict', true);
  });

  test('reasoning: an effort alone in the common field, an object as it is', () => {
    expect(bodyOf({}, openAI, { reasoning: 'high' })['reasoning_effort']).toBe('high');
    expect(bodyOf({}, local, { reasoning: { effort: 'low' } })['reasoning_effort']).toBe('low');
    const body = bodyOf({}, local, { reasoning: { enabled: true } });
    expect([body['reasoning'], body['reasoning_effort']]).toEqual([{ enabled: true }, undefined]);
  });

  test('structured output, extra fields, server tools', () => {
    const schema = { type: 'object', properties: {} };
    const options = { extraBody: { top_p: 0.1 }, serverTools: [{ type: 'web_search' }] };
    const request = { output: { name: 'o', schema }, providerOptions: { openai: { top_p: 0.2 } } };
    expect(bodyOf(request, local, options)).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'o', schema } },
      top_p: 0.2,
      tools: [{ type: 'web_search' }],
    });
  });

  test('every shape of tool choice', () => {
    const tools = [
      tool(),
      tool({ name: 'sql', providerOptions: { openai: { type: 'custom', format: { type: 'text' } } } }),
    ];
    const choose = (toolChoice: NonNullable<ModelRequest['toolChoice']>): unknown =>
      bodyOf({ tools, toolChoice }, openAI)['tool_choice'];
    expect(['auto', 'none', 'required'].map((choice) => choose(choice as 'auto'))).toEqual([
      'auto',
      'none',
      'required',
    ]);
    expect(choose({ tool: 'run' })).toEqual({ type: 'function', function: { name: 'run' } });
    expect(choose({ tool: 'sql' })).toEqual({ type: 'custom', custom: { name: 'sql' } });
    expect((bodyOf({ tools }, openAI)['tools'] as Json[])[1]).toEqual({
      type: 'custom',
      custom: { name: 'sql', description: 'Runs.', format: { type: 'text' } },
    });
  });
});

describe('messages', () => {
  test('user messages that follow each other are one', () => {
    expect(messagesOf([userMessage('a'), userMessage('b')])).toEqual([{ role: 'user', content: 'a\n\nb' }]);
  });

  test('results come first, text sent meanwhile after them', () => {
    const call = assistantMessage([{ type: 'toolCall', id: 'c', name: 'run', args: {} }]);
    const results: Message = { id: 't', role: 'tool', content: [resultOf('c', { type: 'text', text: 'ok' })] };
    expect(messagesOf([hello, call, results, userMessage('wait')]).slice(1)).toEqual([
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      { role: 'user', content: 'wait' },
    ]);
  });

  test('pictures, documents, sound', () => {
    const blocks: readonly Block[] = [
      { type: 'text', text: 'see' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } },
      { type: 'document', title: 'r.pdf', source: { type: 'base64', mediaType: 'application/pdf', data: 'BB' } },
      { type: 'document', source: { type: 'file', provider: 'openai', fileId: 'file-1' } },
      { type: 'document', source: { type: 'url', url: 'https://x/y.pdf' } },
      { type: 'audio', source: { type: 'base64', mediaType: 'audio/wav', data: 'CC' } },
    ];
    expect(messagesOf([userMessage(blocks)], openAI)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          { type: 'file', file: { filename: 'r.pdf', file_data: 'data:application/pdf;base64,BB' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'text', text: '[document: https://x/y.pdf]' },
          { type: 'input_audio', input_audio: { data: 'CC', format: 'wav' } },
        ],
      },
    ]);
  });

  test('media in results are described in words', () => {
    const picture = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA' } } as const;
    const notes = { type: 'document', title: 'notes', source: { type: 'text', text: 'hm' } } as const;
    const results: Message = { id: 't', role: 'tool', content: [resultOf('c', picture, notes)] };
    expect(messagesOf([results])[0]?.['content']).toBe(
      '[image of type image/png, which cannot be shown here]\nnotes\n\nhm',
    );
  });

  test('a message of which the server can be told nothing is left out', () => {
    const thinking = { type: 'thinking', text: 'hm', signature: 'SIG', provider: 'anthropic' } as const;
    expect(
      messagesOf([assistantMessage([thinking]), userMessage([{ type: 'boundary', summary: 's', keepFrom: 'x' }])]),
    ).toEqual([]);
  });
});

describe('replay', () => {
  test('names no server takes are made acceptable', () => {
    const call = (name: string): Block => ({ type: 'toolCall', id: 'a', name, args: {} });
    const [answer] = messagesOf([assistantMessage([call('mcp.files/read it'), call(''), call('x'.repeat(70))])]);
    const names = ((answer?.['tool_calls'] ?? []) as { function: { name: string } }[]).map(
      (sent) => sent.function.name,
    );
    expect(names).toEqual(['mcp_files_read_it', 'tool', 'x'.repeat(64)]);
  });

  test('a text document of the assistant is sent with its text', () => {
    const document: Block = { type: 'document', source: { type: 'text', text: 'body' }, title: 'Plan' };
    expect(messagesOf([assistantMessage([document])])).toEqual([{ role: 'assistant', content: 'Plan\n\nbody' }]);
  });

  test.each(['reasoning_content', 'reasoning'])('%s goes back in its field to its server only', async (field) => {
    const answer = await answered(local, chunk({ [field]: 'hm' }), chunk({ content: 'Hi' }));
    expect(messagesOf([answer], local)).toEqual([{ role: 'assistant', content: 'Hi', [field]: 'hm' }]);
    expect(messagesOf([answer], openAI)).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });

  test('details go back whole, also when calls split them', async () => {
    const detail = (more: Json): Json => chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
    const call = callDelta({ index: 0, id: 'c', function: { name: 'run', arguments: '{}' } });
    const answer = await answered(local, detail({ text: 'a' }), call, detail({ signature: 'SIG' }));
    expect(messagesOf([answer])[0]?.['reasoning_details']).toEqual([
      { type: 'reasoning.text', index: 0, text: 'a', signature: 'SIG' },
    ]);
  });

  test('thinking of a content list goes back in the list', async () => {
    const part = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], closed: true };
    const answer = await answered(
      local,
      chunk({ content: [part] }),
      chunk({ content: [{ type: 'text', text: 'Hi' }] }),
    );
    expect(messagesOf([answer])[0]?.['content']).toEqual([part, { type: 'text', text: 'Hi' }]);
  });

  test('argument text and signatures of calls go back as they came', async () => {
    const sent = {
      id: 'c',
      type: 'function',
      function: { name: 'run', arguments: '{"a": 1}' },
      extra_content: { google: { thought_signature: 'S' } },
    };
    expect(messagesOf([await answered(local, callDelta({ index: 0, ...sent }))])[0]?.['tool_calls']).toEqual([sent]);
  });

  test('cut arguments go back as none: templates of many servers parse them', async () => {
    const answer = await answered(local, callDelta({ index: 0, id: 'c', function: { name: 'run', arguments: '{"a' } }));
    expect(messagesOf([answer])[0]?.['tool_calls']).toMatchObject([{ function: { arguments: '{}' } }]);
  });

  test('a refusal goes back as one to OpenAI, as text to others', async () => {
    const answer = await answered(openAI, chunk({ refusal: 'No.' }));
    expect(messagesOf([answer], openAI)).toEqual([{ role: 'assistant', content: null, refusal: 'No.' }]);
    expect(messagesOf([answer], local)).toEqual([{ role: 'assistant', content: 'No.' }]);
  });

  test('a spoken answer goes back by its id', async () => {
    const answer = await answered(openAI, chunk({ audio: { id: 'audio_1', data: 'AA==', transcript: 'Hi' } }));
    expect(messagesOf([answer], openAI)).toEqual([{ role: 'assistant', content: null, audio: { id: 'audio_1' } }]);
    expect(messagesOf([answer], local)).toEqual([{ role: 'assistant', content: 'Hi' }]);
  });
});

describe('call ids', () => {
  const idsSent = (id: string, to: Target): readonly unknown[] => {
    const call = assistantMessage([{ type: 'toolCall', id, name: 'run', args: {} }]);
    const results: Message = { id: 't', role: 'tool', content: [resultOf(id, { type: 'text', text: 'ok' })] };
    const [asked, result] = messagesOf([call, results], to);
    return [(asked?.['tool_calls'] as Json[] | undefined)?.[0]?.['id'], result?.['tool_call_id']];
  };

  test('any id is kept for a server that takes it', () => {
    expect(idsSent('functions.add:0', local)).toEqual(['functions.add:0', 'functions.add:0']);
  });

  test('too long for OpenAI: shortened, the same for call and result', () => {
    const [call, result] = idsSent('x'.repeat(60), openAI);
    expect(call).toBe(result);
    expect(call).toMatch(/^x+_[a-z0-9]{11}$/);
    expect(call).toHaveLength(40);
  });

  test('nine letters and digits for the server that insists on it', () => {
    const [call, result] = idsSent('toolu_01', mistral);
    expect(call).toBe(result);
    expect(call).toMatch(/^[a-z0-9]{9}$/);
    expect(idsSent('gSIMJiOkT', mistral)).toEqual(['gSIMJiOkT', 'gSIMJiOkT']);
  });
});
