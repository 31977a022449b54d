import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeConversation, encodeConversation } from '../../src/codec/index.ts';
import { isTurnchartError } from '../../src/contracts/errors.ts';
import type { Block } from '../../src/conversation/block.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import type { JsonValue } from '../../src/conversation/json.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { conversations } from '../../src/testing/properties/conversations.ts';
import { texts } from '../../src/testing/properties/json-values.ts';
import { isIdentical, nested } from './deep-json.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const holding = (...content: readonly Block[]): Conversation =>
  createConversation({ messages: [{ id: 'm', role: 'assistant', content }] });
const calling = (args: JsonValue): Conversation => holding({ type: 'toolCall', id: '1', name: 'look', args });
const roundTrip = (conversation: Conversation): Conversation => decodeConversation(encodeConversation(conversation));

/** The message of the one error that either function may throw. */
const faultOf = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    if (isTurnchartError(thrown) && thrown.code === 'conversation.invalid') return thrown.message;
    throw thrown;
  }
  throw new Error('nothing was thrown');
};
const decodeFault = (json: unknown): string =>
  faultOf(() => decodeConversation(json as JsonValue)).replace('Cannot decode the conversation: ', '');
const encodeFault = (conversation: unknown): string =>
  faultOf(() => encodeConversation(conversation as Conversation)).replace('Cannot encode the conversation: ', '');
const stored = (fields: object): unknown => ({
  format: 'turnchart.conversation',
  version: 1,
  system: [],
  messages: [],
  ...fields,
});
const storedBlock = (block: unknown): unknown =>
  stored({ messages: [{ id: 'a', role: 'user', content: [{ type: 'text', text: '' }, block] }] });

describe('a conversation survives encode and decode', () => {
  test('for any valid conversation', () => {
    fc.assert(
      fc.property(conversations({ openTail: true }), (conversation) =>
        isIdentical(roundTrip(conversation), conversation),
      ),
      { numRuns: 500 * runs },
    );
  });

  test('for any valid conversation given as parsed JSON', () => {
    fc.assert(
      fc.property(conversations(), (conversation) =>
        isIdentical(decodeConversation(JSON.parse(encodeConversation(conversation))), conversation),
      ),
      { numRuns: 200 * runs },
    );
  });

  test('for messages without any order or pairing', () => {
    const messages = fc.array(
      fc.record<Message>(
        {
          id: texts(),
          role: fc.constantFrom('user', 'assistant', 'tool'),
          content: fc.array(
            fc.constantFrom<Block>(
              { type: 'toolCall', id: '1', name: 'a' },
              { type: 'toolResult', callId: '1', status: 'denied', content: [] },
            ),
          ),
        },
        { noNullPrototype: true },
      ),
    );
    fc.assert(
      fc.property(messages, (list) =>
        isIdentical(roundTrip({ system: [], messages: list }), { system: [], messages: list }),
      ),
      { numRuns: 200 * runs },
    );
  });

  test.each<[string, JsonValue]>([
    ['a lone surrogate', 'a\ud800b\udc00'],
    ['NUL', '\0'],
    ['-0', -0],
    ['the largest number', Number.MAX_VALUE],
    ['the smallest number', Number.MIN_VALUE],
    ['an integer above 2^53', 2 ** 63],
    [
      'a key named __proto__',
      JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toJSON":"x","":0}') as JsonValue,
    ],
    ['keys that look like indexes', { 2: 'b', 1: 'a', x: 'c' }],
    ['empty containers', [[], {}, [{}], '']],
    ['100,000 levels', nested(99_990)],
  ])('with %s in the arguments', (_, value) => {
    const conversation = calling(value);
    expect(isIdentical(roundTrip(conversation), conversation)).toBe(true);
  });

  test('with 10,000 messages', () => {
    const messages = Array.from({ length: 10_000 }, (_, index) => userMessage(`message ${index}`));
    const conversation = createConversation({ messages });
    expect(isIdentical(roundTrip(conversation), conversation)).toBe(true);
  });

  test('with fields of messages and blocks that this version does not know', () => {
    const text = JSON.stringify(
      stored({
        messages: [
          { id: 'a', role: 'user', content: [{ type: 'text', text: 'x', later: 1 }], later: { deep: [null] } },
        ],
      }),
    );
    expect(encodeConversation(decodeConversation(text))).toBe(text);
  });

  test('with a call that lacks its result', () => {
    expect(roundTrip(calling({}))).toEqual(calling({}));
  });
});

test('encodeConversation writes one line of JSON with format and version', () => {
  const conversation = createConversation({ system: 'be\nbrief' });
  expect(encodeConversation(conversation)).toBe(
    '{"format":"turnchart.conversation","version":1,"system":[{"type":"text","text":"be\\nbrief"}],"messages":[]}',
  );
});

test('encodeConversation writes what JSON.stringify writes', () => {
  fc.assert(
    fc.property(conversations(), ({ system, messages }) => {
      const envelope = { format: 'turnchart.conversation', version: 1, system, messages };
      return encodeConversation({ system, messages }) === JSON.stringify(envelope);
    }),
    { numRuns: 200 * runs },
  );
});

test('decodeConversation shares nothing with its argument', () => {
  const args = { path: 'x' };
  const json = stored({
    messages: [{ id: 'a', role: 'assistant', content: [{ type: 'toolCall', id: '1', name: 'a', args }] }],
  });
  const conversation = decodeConversation(json as JsonValue);
  args.path = 'y';
  expect(conversation.messages[0]?.content[0]).toEqual({ type: 'toolCall', id: '1', name: 'a', args: { path: 'x' } });
});

test('decodeConversation keeps Object.prototype clean', () => {
  roundTrip(calling(JSON.parse('{"__proto__":{"polluted":true}}') as JsonValue));
  expect('polluted' in {}).toBe(false);
});

test('fields that are undefined are not stored, at whatever depth they are', () => {
  const meta = { usage: { cached: undefined, total: 1 } } as never;
  const text = { type: 'text', text: 'x', provider: undefined, citations: [{ title: undefined }] } as never;
  const messages: Message[] = [
    { id: 'a', role: 'user', content: [text], meta },
    { id: 'b', role: 'assistant', content: [], meta: undefined as never },
  ];
  const stored = encodeConversation({ system: [], messages });
  expect(decodeConversation(stored)).toStrictEqual({
    system: [],
    messages: [
      { id: 'a', role: 'user', content: [{ type: 'text', text: 'x', citations: [{}] }], meta: { usage: { total: 1 } } },
      { id: 'b', role: 'assistant', content: [] },
    ],
  });
});

describe('encodeConversation names the place of', () => {
  test.each<[string, unknown, string]>([
    ['NaN', { a: Number.NaN }, 'expected a finite number, got NaN'],
    ['Infinity', { a: -Infinity }, 'expected a finite number, got -Infinity'],
    ['a BigInt', { a: 1n }, 'expected a JSON value, got bigint'],
    ['a symbol', { a: Symbol('x') }, 'expected a JSON value, got symbol'],
    ['a function', { a: () => 1 }, 'expected a JSON value, got function'],
    ['a Date', { a: new Date(0) }, 'expected a plain object, got an instance of Date'],
    ['a Map', { a: new Map() }, 'expected a plain object, got an instance of Map'],
    ['a hole', { a: new Array(3) }, 'is an array with holes or named fields'],
    ['an array with a named field', { a: Object.assign([1], { x: 2 }) }, 'is an array with holes or named fields'],
    ['a symbol as key', { a: { [Symbol('x')]: 1 } }, 'has symbols as keys'],
    ['a buffer', { a: new Uint8Array(50_000_000) }, 'expected a plain object, got an instance of Uint8Array'],
  ])('%s', (_, args, reason) => {
    expect(encodeFault(calling(args as JsonValue))).toBe(`messages[0].content[0].args.a: ${reason}`);
  });

  test('undefined in a list', () => {
    expect(encodeFault(calling([1, undefined] as never))).toBe(
      'messages[0].content[0].args[1]: expected a JSON value, got undefined',
    );
  });

  test('undefined where a field is needed', () => {
    expect(encodeFault(holding({ type: 'text', text: undefined } as never))).toBe(
      'messages[0].content[0].text: expected string, got nothing',
    );
  });

  test('a cycle', () => {
    const args: { [key: string]: JsonValue } = {};
    args['list'] = [1, args];
    expect(encodeFault(calling(args))).toBe(
      'messages[0].content[0].args.list[1]: refers back to a value that contains it',
    );
  });

  test('nesting that never ends, by the beginning of its path', () => {
    const endless = (): JsonValue => new Proxy({ x: null }, { get: endless });
    const fault = encodeFault(calling(endless()));
    expect(fault).toContain('messages[0].content[0].args.x.x');
    expect(fault).toContain('is nested deeper than 100000 levels');
    expect(fault.length).toBeLessThan(300);
  });

  test('a field besides system and messages', () => {
    expect(encodeFault({ ...createConversation(), title: 'x' })).toContain('title: unknown field');
  });

  test('a shape that decode would refuse', () => {
    expect(encodeFault(holding({ type: 'text' } as never))).toBe(
      'messages[0].content[0].text: expected string, got nothing',
    );
  });

  test.each([null, undefined, 1, 'x', []])('no conversation at all: %j', (value) => {
    expect(encodeFault(value)).toMatch(/^\(root\): expected/);
  });
});

describe('decodeConversation names the place and kind of', () => {
  test.each<[string, unknown, string]>([
    ['a wrong format', stored({ format: 'other' }), 'format: expected "turnchart.conversation", got "other"'],
    ['a missing format', {}, 'format: expected "turnchart.conversation", got nothing'],
    [
      'a newer version',
      stored({ version: 2, messages: 'unreadable' }),
      'version: 2 was written by a newer turnchart, this one reads version 1: update turnchart to read it',
    ],
    ['a version that is none', stored({ version: '1' }), 'version: expected 1, got "1"'],
    ['an older version', stored({ version: 0 }), 'version: expected 1, got 0'],
    ['a missing system', stored({ system: null }), 'system: expected array, got null'],
    ['messages that are no array', stored({ messages: {} }), 'messages: expected array, got object'],
    ['a message of null', stored({ messages: [null] }), 'messages[0]: expected object, got null'],
    [
      'a message without id',
      stored({ messages: [{ role: 'user', content: [] }] }),
      'messages[0].id: expected string, got nothing',
    ],
    [
      'an unknown role',
      stored({ messages: [{ id: 'a', role: 'system', content: [] }] }),
      'messages[0].role: expected "user" or "assistant" or "tool", got "system"',
    ],
    [
      'text as content',
      stored({ messages: [{ id: 'a', role: 'user', content: 'hi' }] }),
      'messages[0].content: expected array, got string',
    ],
    [
      'meta that is no object',
      stored({ messages: [{ id: 'a', role: 'user', content: [], meta: [] }] }),
      'messages[0].meta: expected object, got array',
    ],
    [
      'a number as text',
      storedBlock({ type: 'text', text: 1 }),
      'messages[0].content[1].text: expected string, got number',
    ],
    [
      'an unknown block',
      storedBlock({ type: 'video' }),
      'messages[0].content[1].type: expected "text" or "thinking" or "image" or "document" or "audio" or "toolCall" or "toolResult" or "boundary" or "provider", got "video"',
    ],
    [
      'a call inside a result',
      storedBlock({
        type: 'toolResult',
        callId: '1',
        status: 'completed',
        content: [{ type: 'toolCall', id: '1', name: 'a' }],
      }),
      'messages[0].content[1].content[0].type: expected "text" or "image" or "document", got "toolCall"',
    ],
    [
      'an unknown source',
      storedBlock({ type: 'image', source: { type: 'text', text: '' } }),
      'messages[0].content[1].source.type: expected "base64" or "url" or "file", got "text"',
    ],
    [
      'null for an optional field',
      storedBlock({ type: 'thinking', text: '', signature: null }),
      'messages[0].content[1].signature: expected string, got null',
    ],
    [
      'refusal: false',
      storedBlock({ type: 'text', text: '', refusal: false }),
      'messages[0].content[1].refusal: expected true, got false',
    ],
    [
      'foreign data that is missing',
      storedBlock({ type: 'provider', provider: 'p', kind: 'k' }),
      'messages[0].content[1].data: expected a JSON value, got nothing',
    ],
    [
      'a block in system',
      stored({ system: [{}] }),
      'system[0].type: expected "text" or "thinking" or "image" or "document" or "audio" or "toolCall" or "toolResult" or "boundary" or "provider", got nothing',
    ],
    [
      'the first of several faults',
      stored({ messages: [{ id: 'a', role: 'user', content: [] }, { id: 1 }, null] }),
      'messages[1].id: expected string, got number',
    ],
    ['an array', [], '(root): expected object, got array'],
    ['null', null, '(root): expected object, got null'],
    ['undefined', undefined, '(root): expected a JSON value, got undefined'],
    ['text of another JSON value', '[1]', '(root): expected object, got array'],
  ])('%s', (_, json, fault) => {
    expect(decodeFault(json)).toBe(fault);
  });

  test('a field besides system and messages', () => {
    expect(decodeFault(stored({ title: 'x' }))).toMatch(/^title: unknown field/);
    expect(
      decodeFault('{"format":"turnchart.conversation","version":1,"system":[],"messages":[],"__proto__":1}'),
    ).toMatch(/^__proto__: unknown field/);
  });

  test('a number too large for JavaScript', () => {
    const text = encodeConversation(calling({ a: 7 })).replace('"a":7', '"a":1e999');
    expect(decodeFault(text)).toBe('messages[0].content[0].args.a: expected a finite number, got Infinity');
  });

  test('text that is not JSON, by its position', () => {
    expect(decodeFault('{"format":\n tru}')).toBe(
      '(root): not JSON: expected a value at position 12, got "t" (line 2, column 2)',
    );
    expect(decodeFault('')).toBe(
      '(root): not JSON: the text ends too early, expected a value at position 0 (line 1, column 1)',
    );
  });

  test('text cut off inside 100,000 levels', () => {
    expect(decodeFault('['.repeat(100_000))).toContain('expected a value at position 100000');
  });

  test('JSON nested deeper than it goes', () => {
    expect(decodeFault('['.repeat(200_000) + ']'.repeat(200_000))).toContain('is nested deeper than 100000 levels');
  });

  test('a getter that throws', () => {
    const json = stored({});
    Object.defineProperty(json, 'messages', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(decodeFault(json)).toBe('messages: cannot be read (no)');
  });
});

describe('decodeConversation survives', () => {
  test('a proxy whose every trap throws', () => {
    const angry = new Proxy(
      {},
      new Proxy(
        {},
        {
          get: () => () => {
            throw new Error('trap');
          },
        },
      ),
    );
    expect(decodeFault(angry)).toBe('(root): cannot be read (trap)');
  });

  test('a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(decodeFault(stored({ system: proxy }))).toMatch(/^system: cannot be read/);
  });

  test('an array that lies about its length', () => {
    const liar = new Proxy([], {
      get: (target, key) => (key === 'length' ? Number.MAX_SAFE_INTEGER : Reflect.get(target, key)),
    });
    expect(decodeFault(stored({ system: liar }))).toBe('system: is an array with holes or named fields');
  });

  test('a value that shares its parts a billion times', () => {
    let shared: JsonValue = 'x';
    for (let level = 0; level < 30; level++) shared = [shared, shared];
    const json = stored({ messages: [{ id: 'a', role: 'user', content: [], meta: { shared } }] });
    expect(decodeConversation(json as JsonValue).messages).toHaveLength(1);
  });

  test('anything at all', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
          withObjectString: true,
        }),
        (value) => {
          for (const json of [value, stored({ messages: value }), stored({ messages: [value] }), storedBlock(value)]) {
            try {
              decodeConversation(json as JsonValue);
            } catch (thrown) {
              expect(isTurnchartError(thrown) && thrown.code).toBe('conversation.invalid');
            }
          }
        },
      ),
      { numRuns: 500 * runs },
    );
  });

  test('text with any one character changed', () => {
    fc.assert(
      fc.property(
        conversations({ maxMessages: 4 }),
        fc.nat(),
        fc.string({ maxLength: 2 }),
        (conversation, position, text) => {
          const encoded = encodeConversation(conversation);
          const at = position % encoded.length;
          try {
            decodeConversation(encoded.slice(0, at) + text + encoded.slice(at + 1));
          } catch (thrown) {
            expect(isTurnchartError(thrown) && thrown.code).toBe('conversation.invalid');
          }
        },
      ),
      { numRuns: 300 * runs },
    );
  });
});
