import { describe, expect, test } from 'vitest';
import { encodeRequest, type EncodeOptions } from '../../../src/adapters/anthropic/encode.ts';
import { bindsThinking } from '../../../src/adapters/anthropic/model-limits.ts';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import type { Block } from '../../../src/conversation/block.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';

const base: EncodeOptions = { model: 'claude-test', maxOutputTokens: 1000, cache: 'off', serverTools: [], now: 0 };
const run = { name: 'run', description: 'Runs.', parameters: { type: 'object' } };
const manual: JsonValue = { type: 'enabled', budget_tokens: 2048 };
const off = { type: 'disabled' };

const encode = (request: Partial<ModelRequest>, options: Partial<EncodeOptions> = {}): Record<string, unknown> =>
  encodeRequest({ system: [], messages: [userMessage('hello')], tools: [run], ...request }, { ...base, ...options });

const call = (id: string): Block => ({ type: 'toolCall', id, name: 'run', args: {} });
const results = (...ids: readonly string[]): Message => ({
  id: 't',
  role: 'tool',
  content: ids.map((callId) => ({ type: 'toolResult', callId, status: 'completed', content: [] })),
});
const signed: Block = { type: 'thinking', text: 'hm', provider: 'anthropic', signature: 's' };
const foreign: Block = { type: 'thinking', text: 'hm', provider: 'openai', encrypted: 'e' };
const sentThinking = { type: 'thinking', thinking: 'hm', signature: 's' };

describe('manual thinking', () => {
  const thinkingIn = (...messages: readonly Message[]): unknown =>
    encode({ messages }, { thinking: manual })['thinking'];

  test('stays on for a new question and in a tool loop that began with thinking', () => {
    expect(thinkingIn(userMessage('go'))).toEqual(manual);
    expect(thinkingIn(userMessage('go'), assistantMessage([signed, call('a')]), results('a'))).toEqual(manual);
  });

  test('stays on where only later answers of the loop hold no thinking: between calls the model need not think', () => {
    const loop = [assistantMessage([signed, call('a')]), results('a'), assistantMessage([call('b')]), results('b')];
    expect(thinkingIn(userMessage('go'), ...loop)).toEqual(manual);
  });

  test('is off in a tool loop another provider began', () => {
    expect(thinkingIn(userMessage('go'), assistantMessage([foreign, call('a')]), results('a'))).toEqual(off);
  });

  test('is off in such a loop also when the user said something meanwhile', () => {
    expect(
      thinkingIn(userMessage('go'), assistantMessage([foreign, call('a')]), results('a'), userMessage('quick')),
    ).toEqual(off);
  });

  test('is on again with the next question', () => {
    const loop = [assistantMessage([foreign, call('a')]), results('a'), assistantMessage('done')];
    expect(thinkingIn(userMessage('go'), ...loop, userMessage('and now?'))).toEqual(manual);
  });

  test('is off for a request that forces a call', () => {
    for (const toolChoice of ['required', { tool: 'run' }] as const) {
      const body = encode({ toolChoice }, { thinking: manual });
      expect(body['thinking']).toEqual(off);
      expect(body['tool_choice']).toEqual(toolChoice === 'required' ? { type: 'any' } : { type: 'tool', name: 'run' });
    }
    for (const toolChoice of ['auto', 'none'] as const) {
      expect(encode({ toolChoice }, { thinking: manual })['thinking']).toEqual(manual);
    }
  });

  test('that is off leaves no thinking in the open loop, but what stands before it', () => {
    const body = encode(
      {
        messages: [
          userMessage('go'),
          assistantMessage([signed, { type: 'text', text: 'done' }]),
          userMessage('again'),
          assistantMessage([call('a')]),
          results('a'),
          assistantMessage([signed, call('b')]),
          results('b'),
        ],
      },
      { thinking: manual },
    );
    expect(body['thinking']).toEqual(off);
    const contents = (body['messages'] as { content: unknown[] }[]).map(({ content }) => content);
    expect(contents[1]).toEqual([sentThinking, { type: 'text', text: 'done' }]);
    expect(contents[5]).toEqual([{ type: 'tool_use', id: 'b', name: 'run', input: {} }]);
  });

  test('that comes by extraBody or providerOptions is held to the same rules', () => {
    expect(encode({ toolChoice: 'required' }, { extraBody: { thinking: manual } })['thinking']).toEqual(off);
    const providerOptions = { anthropic: { thinking: manual, tool_choice: { type: 'any' } } };
    expect(encode({ providerOptions })['thinking']).toEqual(off);
  });
});

test('adaptive thinking stays as it is: it may be forced to call and needs no thinking before it', () => {
  const thinking = { type: 'adaptive' };
  const messages = [userMessage('go'), assistantMessage([foreign, call('a')]), results('a')];
  expect(encode({ messages, toolChoice: 'required' }, { thinking })['thinking']).toEqual(thinking);
});

describe('a history with calls and no tools', () => {
  const messages = [userMessage('go'), assistantMessage([call('a'), call('b')]), results('a', 'b')];

  test('names the tools that were called, and forbids to call them', () => {
    const body = encode({ messages, tools: [] });
    expect(body['tools']).toEqual([
      {
        name: 'run',
        description: 'Called earlier in this conversation. Not available now.',
        input_schema: { type: 'object' },
      },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'none' });
  });

  test('takes the name the call is sent with', () => {
    const odd = assistantMessage([{ type: 'toolCall', id: 'a', name: 'files.read', args: {} }]);
    const body = encode({ messages: [userMessage('go'), odd, results('a')], tools: [] });
    const sent = (body['messages'] as { content: { name: string }[] }[])[1]?.content[0]?.name;
    expect(body['tools']).toMatchObject([{ name: sent }]);
  });

  test('adds nothing where tools are offered, by whatever way, or none was called', () => {
    expect(encode({ messages })['tools']).toHaveLength(1);
    const server = { type: 'web_search_20250305', name: 'web_search' };
    expect(encode({ messages, tools: [] }, { serverTools: [server] })['tools']).toEqual([server]);
    expect(encode({ messages, tools: [] }, { extraBody: { tools: [server] } })['tools']).toEqual([server]);
    expect(encode({ tools: [] })).not.toHaveProperty('tools');
  });
});

describe('thinking bound to what stands before it', () => {
  const binding = { prefix_mismatch_behavior: 'drop_block' };
  const thinkingOf = (options: Partial<EncodeOptions>): unknown =>
    encode({}, { dropsUnbound: true, ...options })['thinking'];

  test('is dropped by the API instead of refused', () => {
    expect(thinkingOf({ thinking: { type: 'adaptive', display: 'summarized' } })).toEqual({
      type: 'adaptive',
      display: 'summarized',
      block_binding: binding,
    });
    expect(thinkingOf({ thinking: manual })).toEqual({ ...(manual as object), block_binding: binding });
  });

  test('the caller’s own choice is kept', () => {
    const strict = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } };
    expect(thinkingOf({ thinking: strict })).toEqual(strict);
    expect(thinkingOf({ thinking: { type: 'disabled' } })).toEqual({ type: 'disabled' });
  });

  test('where nothing is said only a model that always thinks gets it', () => {
    expect(thinkingOf({ model: 'claude-opus-5-5' })).toBeUndefined();
    expect(thinkingOf({ model: 'claude-fable-5-1' })).toEqual({ type: 'adaptive', block_binding: binding });
  });

  test.each([
    ['claude-fable-5-1', true],
    ['claude-fable-5.1', true],
    ['claude-opus-5-5-20261001', true],
    ['claude-sonnet-6-0', true],
    ['claude-fable-5', false],
    ['claude-mythos-5-1', false],
    ['claude-opus-4-20250514', false],
    ['claude-sonnet-4-5-20250929', false],
    ['claude-sonnet-5-20260630', false],
    ['claude-3-7-sonnet-20250219', false],
    ['some-other-model', false],
  ])('%s is a model that checks: %s', (model, checks) => {
    expect(bindsThinking(model)).toBe(checks);
  });
});

test('messages of the caller’s own are left alone', () => {
  const messages = [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] }];
  const body = encode({ tools: [] }, { extraBody: { messages, thinking: manual } });
  expect(body).toMatchObject({ messages, thinking: manual });
  expect(body).not.toHaveProperty('tools');
});
