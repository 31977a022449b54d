// Whatever models and transformers give, the transcript can be stored, sent and copied afterwards.

import { describe, expect, test } from 'vitest';
import { decodeConversation, encodeConversation } from '../../src/codec/index.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { interpreters, modelOf, playTurn, toolOf } from '../runtime/turn-bench.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const start = { type: 'message.start' };
const end = (more: object = {}) => ({ type: 'message.end', stopReason: 'endTurn', ...more });
const call = (more: object) => [
  start,
  { type: 'toolInput.start', index: 0, id: 'a', name: 't' },
  { type: 'toolInput.end', index: 0, call: { type: 'toolCall', id: 'a', name: 't', ...more } },
  end({ stopReason: 'toolUse' }),
];
const block = (given: object) => [start, { type: 'block', index: 0, block: given }, end()];
const said = [
  start,
  { type: 'text.start', index: 0 },
  { type: 'text.delta', index: 0, text: 'x' },
  { type: 'text.end', index: 0 },
];
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

// As written by those who copy field by field.
function copyMessage({ id, role, content, meta }: Message): Message {
  const copies = content.map((block) => ({ ...block, citations: Reflect.get(block, 'citations') as unknown }));
  return { id, role, content: copies, meta } as unknown as Message;
}

function copyOf({ system, messages }: Conversation): Conversation {
  return { system, messages: messages.map(copyMessage) };
}

function deep(levels: number): string {
  return `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
}

describe.each(interpreters)('a model that gives what JSON cannot hold (%s)', (interpreter) => {
  test.each<[string, readonly unknown[]]>([
    ['arguments with undefined in a list', call({ args: { paths: ['a', undefined] } })],
    ['arguments with a Date', call({ args: { at: new Date(0) } })],
    ['arguments with a bigint', call({ args: { n: 1n } })],
    ['a cycle as arguments', call({ args: cyclic })],
    ['rawArgs that are null', call({ rawArgs: null })],
    ['thinking with null as signature', block({ type: 'thinking', text: 'x', signature: null })],
    ['a text with false as refusal', block({ type: 'text', text: 'x', refusal: false })],
    ['an image with an empty source', block({ type: 'image', source: {} })],
    ['a provider block without data', block({ type: 'provider', provider: 'p', kind: 'k' })],
    ['an instance in data', block({ type: 'provider', provider: 'p', kind: 'k', data: new Map() })],
    ['meta with undefined in a list', [...said, end({ meta: { a: [undefined] } })]],
    ['meta with a function', [...said, end({ meta: { a: () => 1 } })]],
    ['meta that is a list', [...said, end({ meta: ['a'] })]],
    ['meta that is a text', [...said, end({ meta: 'a' })]],
  ])('breaks the stream protocol: %s', async (_title, events) => {
    const turn = await playTurn({ interpreter, model: modelOf(...events), tools: [toolOf('t')] });
    expect(turn.result).toMatchObject({ reason: 'failed', error: { code: 'stream.protocol' } });
    expect(turn.lines()).toEqual(['user: go']);
  });

  test('undefined as a field of a block or of meta is not given', async () => {
    const thinking = { type: 'thinking', text: 'x', signature: undefined };
    const events = [start, { type: 'block', index: 0, block: thinking }, end({ meta: { a: undefined, b: 1 } })];
    const turn = await playTurn({ interpreter, model: modelOf(...events) });
    expect(turn.conversation.messages[1]).toStrictEqual({
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'thinking', text: 'x' }],
      meta: { b: 1 },
    });
  });

  test('undefined deep in a block or in meta is not given either', async () => {
    const cited = { type: 'text', text: 'x', citations: [{ url: 'u', title: undefined }] };
    const events = [
      start,
      { type: 'text.start', index: 0 },
      { type: 'text.delta', index: 0, text: 'x' },
      { type: 'text.end', index: 0, block: cited },
      end({ meta: { usage: { cached: undefined } } }),
    ];
    const turn = await playTurn({ interpreter, model: modelOf(...events) });
    expect(turn.conversation.messages[1]).toStrictEqual({
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'text', text: 'x', citations: [{ url: 'u' }] }],
      meta: { usage: {} },
    });
  });

  test('undefined deep in arguments is not given either', async () => {
    const got: unknown[] = [];
    const tool = toolOf('t', (args) => {
      got.push(args);
      return 'x';
    });
    const events = call({ args: { q: { limit: undefined, of: 'a' } } });
    const model = scriptedModel([{ events }, { text: 'ok' }] as never);
    const turn = await playTurn({ interpreter, model, tools: [tool] });
    expect(turn.results()).toMatchObject([{ status: 'completed' }]);
    expect(got).toStrictEqual([{ q: { of: 'a' } }]);
  });

  test('a further field of a block is kept, whatever its name', async () => {
    const odd = { type: 'provider', provider: 'p', kind: 'k', data: null, open: 'text', fault: 'none' };
    const turn = await playTurn({ interpreter, model: modelOf(...block(odd)) });
    expect(turn.conversation.messages[1]?.content).toEqual([odd]);
  });

  test.each([
    ['as text', { rawArgs: deep(6_000) }],
    ['as text, deeper than JSON.stringify goes', { rawArgs: deep(100_000) }],
    ['one level too deep', { rawArgs: deep(100) }],
  ])('arguments nested without end stay text and are invalid: %s', async (_title, sent) => {
    const script = [{ calls: [{ name: 't', ...sent }] }, { text: 'ok' }];
    const turn = await playTurn({ interpreter, script, tools: [toolOf('t')] });
    expect(turn.conversation.messages[1]?.content).toMatchObject([{ type: 'toolCall', ...sent }]);
    expect(turn.results()).toMatchObject([
      { status: 'invalidArguments', content: [{ text: expect.stringContaining('nested deeper than 100 levels') }] },
    ]);
    const { conversation } = turn;
    expect(() => [JSON.stringify(conversation), structuredClone(conversation)]).not.toThrow();
    expect(encodeConversation(conversation)).toContain('nested deeper');
  });

  test('arguments as deep as they may be are arguments', async () => {
    const script = [{ calls: [{ name: 't', rawArgs: deep(99) }] }, { text: 'ok' }];
    const turn = await playTurn({ interpreter, script, tools: [toolOf('t')] });
    expect(turn.results()).toMatchObject([{ status: 'completed' }]);
    expect(turn.conversation.messages[1]?.content).toMatchObject([{ args: JSON.parse(deep(99)) as object }]);
  });

  test.each([
    ['with the text it was read from', [{ type: 'toolInput.delta', index: 0, json: deep(6_000) }], deep(6_000)],
    ['without', [], deep(500)],
  ])('a finished call that is nested too deeply stays text, %s', async (_title, deltas, text) => {
    const [begin, open, ...rest] = call({ args: JSON.parse(text) as object });
    const scripted = scriptedModel([{ events: [begin, open, ...deltas, ...rest] }, { text: 'ok' }] as never);
    const turn = await playTurn({ interpreter, model: scripted, tools: [toolOf('t')] });
    expect(turn.conversation.messages[1]?.content).toEqual([{ type: 'toolCall', id: 'a', name: 't', rawArgs: text }]);
    expect(turn.results()).toMatchObject([{ status: 'invalidArguments' }]);
  });
});

describe.each(interpreters)('a transformer that gives what JSON cannot hold (%s)', (interpreter) => {
  const odd: Record<string, object> = {
    'a bigint in data': { content: [{ type: 'text', text: 'x', data: 1n }] },
    'a text that is no string': { content: [{ type: 'text', text: 5 }] },
    'an unknown block': { content: [{ type: 'zzz' }] },
    'a cyclic meta': { content: [{ type: 'text', text: 'x' }], meta: cyclic },
    'data nested without end': { content: [{ type: 'text', text: 'x', data: JSON.parse(deep(6_000)) as object }] },
  };
  const cases = Object.entries(odd).map(([title, part]): [string, Message] => [
    title,
    { id: 'q', role: 'user', ...part } as Message,
  ]);
  const failed = { name: 'x', error: { code: 'transformer.failed' } };

  test.each(cases)('appended: %s', async (_title, message) => {
    const transformer: Transformer = { name: 'x', beforeIteration: () => ({ append: [message] }) };
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect(turn.all('transformer.failed')).toMatchObject([failed]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test.each(cases)('in a rewrite: %s', async (_title, message) => {
    const transformer: Transformer = {
      name: 'x',
      afterTurn: (conversation) => ({
        conversation: { ...conversation, messages: [...conversation.messages, message] },
      }),
    };
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect(turn.all('transformer.failed')).toMatchObject([failed]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test.each(cases)('put into the transcript itself: %s', async (_title, message) => {
    const transformer: Transformer = {
      name: 'x',
      afterTurn: ({ messages }) => {
        messages.push(message);
      },
    };
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect(turn.all('transformer.failed')).toMatchObject([failed]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test.each(cases)('in the place of all messages: %s', async (_title, message) => {
    const transformer: Transformer = {
      name: 'x',
      afterTurn: (conversation) => {
        conversation.messages = [...conversation.messages, message];
      },
    };
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect(turn.all('transformer.failed')).toMatchObject([failed]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: ok']);
  });

  test.each(['returned', 'in place'])('as system: %s', async (how) => {
    const system = [{ type: 'text', text: 'x', data: 1n }] as never;
    const transformer: Transformer = {
      name: 'x',
      afterTurn: (conversation) => {
        if (how === 'returned') return { conversation: { ...conversation, system } };
        conversation.system = system;
        conversation.messages.push(userMessage('more'));
        return undefined;
      },
    };
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect(turn.all('transformer.failed')).toMatchObject([failed]);
    expect(turn.conversation.system).toEqual([]);
  });

  test.each<[string, Transformer]>([
    ['a rewrite', { name: 'copy', beforeTurn: (conversation) => ({ conversation: copyOf(conversation) }) }],
    ['a view', { name: 'copy', beforeIteration: ({ messages }) => ({ messages: messages.map(copyMessage) }) }],
    ['what it appends', { name: 'copy', beforeIteration: () => ({ append: [copyMessage(userMessage('more'))] }) }],
  ])('undefined fields of copied messages and blocks are no fault in %s', async (_title, transformer) => {
    const turn = await playTurn({ interpreter, script: [{ text: 'ok' }], transformers: [transformer] });
    expect([turn.all('transformer.failed'), turn.all('transformer.applied').length]).toEqual([[], 1]);
    expect(turn.result).toMatchObject({ reason: 'completed' });
    const stored = decodeConversation(encodeConversation(turn.conversation));
    expect(stored).toEqual(turn.conversation);
    expect(stored.messages[0]).not.toHaveProperty('meta');
  });

  test('what the host itself put there before is not held against it', async () => {
    const own = { id: 'own', role: 'user', content: [{ type: 'text', text: 'mine' }], meta: { a: undefined } } as never;
    const transformer: Transformer = {
      name: 'x',
      beforeTurn: (conversation) => ({
        conversation: { ...conversation, messages: [...conversation.messages, userMessage('more', { id: 'm' })] },
      }),
    };
    const turn = await playTurn({
      interpreter,
      conversation: createConversation({ messages: [own] }),
      script: [{ text: 'ok' }],
      transformers: [transformer],
    });
    expect(turn.lines()).toEqual(['user: mine', 'user: more', 'assistant: ok']);
  });
});

test('arguments and meta of a model are copies: what it does to its own later changes nothing', async () => {
  const args = { list: [1] };
  const meta = { a: [1] };
  const [begin, open, close] = call({ args });
  const events = [begin, open, close, end({ stopReason: 'toolUse', meta })];
  const tool = toolOf('t', () => {
    args.list.push(2);
    meta.a.push(2);
    return 'x';
  });
  const turn = await playTurn({ model: scriptedModel([{ events }, { text: 'ok' }] as never), tools: [tool] });
  expect(turn.conversation.messages[1]).toMatchObject({ content: [{ args: { list: [1] } }], meta: { a: [1] } });
});

test('data in a result that is nested without end stays text', async () => {
  const data = JSON.parse(deep(3_000)) as object;
  const tool = toolOf('t', () => ({
    content: [{ type: 'text', text: 'x', data, citations: [data, 1] }],
    isError: false,
  }));
  const { conversation } = await playTurn({ script: [{ calls: [{ name: 't' }] }, { text: 'ok' }], tools: [tool] });
  expect(() => structuredClone(conversation)).not.toThrow();
  expect(encodeConversation(conversation)).toBeTypeOf('string');
});
