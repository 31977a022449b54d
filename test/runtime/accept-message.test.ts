import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeConversation } from '../../src/codec/index.ts';
import type { Block } from '../../src/conversation/block.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { acceptMessage } from '../../src/runtime/accept-message.ts';
import { simulatedHost } from '../../src/testing/index.ts';

const noneTaken = () => false;
const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

describe('acceptMessage', () => {
  test('makes a user message of a text', () => {
    expect(acceptMessage(' Hi ', simulatedHost(), noneTaken)).toEqual({
      id: 'msg_1',
      role: 'user',
      content: [{ type: 'text', text: ' Hi ' }],
    });
  });

  test('takes a user message as it is, as a copy', () => {
    const image: Block = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    const message = userMessage([image], { meta: { from: 'me' } });
    const accepted = acceptMessage(message, simulatedHost(), noneTaken);
    expect(accepted).toEqual(message);
    expect(accepted.content[0]).not.toBe(image);
  });

  test('shares nothing with the message, at any depth', () => {
    const meta = { channel: { name: 'web' } };
    const source = { type: 'base64' as const, mediaType: 'image/png', data: 'AAAA' };
    const message = userMessage([{ type: 'image', source }], { meta });
    const accepted = acceptMessage(message, simulatedHost(), noneTaken);
    const before = structuredClone(accepted);
    meta.channel.name = 'phone';
    Object.assign(meta, { socket: () => undefined });
    source.data = 'BBBB';
    expect(accepted).toEqual(before);
  });

  test('leaves out fields that are undefined, at every depth', () => {
    const block = { type: 'text', text: 'x', provider: undefined, data: { a: undefined } };
    const given = { id: 'x', role: 'user', content: [block], meta: { at: { to: undefined } } };
    expect(acceptMessage(given as unknown as Message, simulatedHost(), noneTaken)).toStrictEqual({
      id: 'x',
      role: 'user',
      content: [{ type: 'text', text: 'x', data: {} }],
      meta: { at: {} },
    });
  });

  test('takes undefined as meta for none', () => {
    const message = { ...userMessage('x', { id: 'x' }), meta: undefined } as unknown as Message;
    expect('meta' in acceptMessage(message, simulatedHost(), noneTaken)).toBe(false);
    expect('meta' in message).toBe(true);
  });

  test('takes what can be stored, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withMap: true, withDate: true, withNullPrototype: true }),
        (value) => {
          const message = userMessage('x', { meta: { value: value as never } });
          const stores = () => encodeConversation({ system: [], messages: [message] });
          const accepts = () => acceptMessage(message, simulatedHost(), noneTaken);
          if (throws(stores)) expect(accepts).toThrow('cannot be submitted');
          else expect(accepts()).toEqual(message);
        },
      ),
      { numRuns: 500 * runs },
    );
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const call: Block = { type: 'toolCall', id: 'c', name: 'look', args: {} };
  const result: Block = { type: 'toolResult', callId: 'c', status: 'completed', content: [] };
  test.each<[string, unknown, string]>([
    ['an empty text', '', 'it is empty'],
    ['blanks', ' \n\t', 'it is empty'],
    ['a message of blanks', userMessage([{ type: 'text', text: ' ' }]), 'it is empty'],
    ['no content', userMessage([]), 'its content is not a non-empty array'],
    ['content that is no array', { id: 'x', role: 'user', content: 'Hi' }, 'its content is not a non-empty array'],
    ['an assistant’s message', assistantMessage('Hi'), 'its role is "assistant"'],
    ['a tool’s message', { id: 'x', role: 'tool', content: [result] }, 'its role is "tool"'],
    ['a call', userMessage([call]), 'it holds a block of type "toolCall"'],
    ['a result', userMessage([{ type: 'text', text: 'x' }, result]), 'it holds a block of type "toolResult"'],
    ['a block without type', { id: 'x', role: 'user', content: [{}] }, 'a block has no type'],
    [
      'a text that is none',
      userMessage([{ type: 'text', text: 5 } as never]),
      '"text" of a block of type "text" cannot be 5',
    ],
    [
      'an image without source',
      userMessage([{ type: 'image' } as never]),
      '"source" of a block of type "image" is missing',
    ],
    ['an unknown block', userMessage([{ type: 'video' } as never]), 'it holds a block of type "video"'],
    [
      'a compaction',
      userMessage([{ type: 'boundary', summary: 's', keepFrom: 'm' }]),
      'it holds a block of type "boundary"',
    ],
    ['thinking', userMessage([{ type: 'thinking', text: 'hm' }]), 'it holds a block of type "thinking"'],
    [
      'what a provider made',
      userMessage([{ type: 'provider', provider: 'p', kind: 'k', data: null }]),
      'it holds a block of type "provider"',
    ],
    ['meta that is no object', userMessage('x', { meta: 'me' as never }), 'its meta is not an object'],
    [
      'a function in its meta',
      userMessage('x', { meta: { call: (() => 1) as never } }),
      'it contains a value that is not JSON',
    ],
    ['a BigInt in its meta', userMessage('x', { meta: { at: 1n as never } }), 'it contains a value that is not JSON'],
    [
      'undefined in a list in its meta',
      userMessage('x', { meta: { at: [undefined as never] } }),
      'it contains a value that is not JSON',
    ],
    [
      'a date in its meta',
      userMessage('x', { meta: { at: new Date() as never } }),
      'it contains a value that is not JSON',
    ],
    ['NaN in its meta', userMessage('x', { meta: { at: Number.NaN } }), 'it contains a value that is not JSON'],
    ['a hole in its meta', userMessage('x', { meta: { at: Array(1) } }), 'it contains a value that is not JSON'],
    ['meta that is a list', userMessage('x', { meta: ['a'] as never }), 'its meta is not an object'],
    ['an image with an empty source', userMessage([{ type: 'image', source: {} } as never]), '"source" of a block'],
    [
      'data nested without end',
      userMessage('x', { meta: { deep: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as never } }),
      'it holds a cycle, or data that is nested deeper than 100 levels',
    ],
    ['a cycle in its meta', userMessage('x', { meta: cyclic as never }), 'it holds a cycle'],
    [
      'a map in a block',
      userMessage([{ type: 'text', text: 'x', data: new Map() as never }]),
      'it contains a value that is not JSON',
    ],
    ['a block that is null', { id: 'x', role: 'user', content: [null] }, 'a block has no type'],
    ['no id', { role: 'user', content: [{ type: 'text', text: 'x' }] }, 'its id is not a non-empty string'],
    ['an empty id', userMessage('x', { id: '' }), 'its id is not a non-empty string'],
    ['null', null, 'it is null'],
    ['undefined', undefined, 'it is nothing'],
    ['a number', 7, 'it is number 7'],
  ])('refuses %s', (_what, input, fault) => {
    let thrown: { code?: string; message?: string } = {};
    try {
      acceptMessage(input as Message, simulatedHost(), noneTaken);
    } catch (error) {
      thrown = error as typeof thrown;
    }
    expect(thrown.code).toBe('message.invalid');
    expect(thrown.message).toContain(`cannot be submitted: ${fault}`);
  });
});
