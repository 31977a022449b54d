import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Block } from '../../src/conversation/block.ts';
import type { Message, Role } from '../../src/conversation/message.ts';
import { pairingFault } from '../../src/conversation/pairing.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const call = (id: string): Block => ({ type: 'toolCall', id, name: 'look', args: {} });
const result = (callId: string): Block => ({ type: 'toolResult', callId, status: 'completed', content: [] });
const message = (id: string, role: Role, ...content: readonly Block[]): Message => ({ id, role, content });
const text = (value: string): Block => ({ type: 'text', text: value });

describe('pairingFault finds nothing', () => {
  test.each<[string, readonly Message[]]>([
    ['in no messages', []],
    ['in plain talk', [message('u', 'user', text('hi')), message('a', 'assistant', text('hello'))]],
    [
      'where each call is answered in the next message',
      [message('a', 'assistant', call('1'), call('2')), message('t', 'tool', result('1'), result('2'))],
    ],
    [
      'where results come in another order than the calls',
      [message('a', 'assistant', call('1'), call('2')), message('t', 'tool', result('2'), result('1'))],
    ],
    [
      'where a call id repeats in a later message',
      [
        message('a', 'assistant', call('1')),
        message('s', 'tool', result('1')),
        message('b', 'assistant', call('1')),
        message('t', 'tool', result('1')),
      ],
    ],
    ['where assistant messages follow each other', [message('a', 'assistant'), message('b', 'assistant')]],
    [
      'in a tool message with text behind its results',
      [message('a', 'assistant', call('1')), message('t', 'tool', result('1'), text('note'))],
    ],
  ])('%s', (_, messages) => {
    expect(pairingFault(messages)).toBeUndefined();
  });

  test('in open calls of the last message when the tail is open', () => {
    const messages = [message('u', 'user', text('go')), message('a', 'assistant', call('1'), call('2'))];
    expect(pairingFault(messages, { openTail: true })).toBeUndefined();
  });
});

describe('pairingFault names', () => {
  test.each<[string, readonly Message[], string]>([
    [
      'a call without a result at the end',
      [message('a', 'assistant', call('1'))],
      'messages[0]: the call "1" has no result in the next message',
    ],
    [
      'a call answered only after a user message',
      [message('a', 'assistant', call('1')), message('u', 'user', text('x')), message('t', 'tool', result('1'))],
      'messages[0]: the call "1" has no result in the next message',
    ],
    [
      'a call without a result beside one that has it',
      [message('a', 'assistant', call('1'), call('2')), message('t', 'tool', result('1'))],
      'messages[0]: the call "2" has no result in the next message',
    ],
    [
      'two results for one call',
      [message('a', 'assistant', call('1')), message('t', 'tool', result('1'), result('1'))],
      'messages[1]: the call "1" has two results',
    ],
    [
      'a result without its call',
      [message('a', 'assistant', call('1')), message('t', 'tool', result('1'), result('2'))],
      'messages[1]: a result answers "2", which the message before does not call',
    ],
    [
      'a tool message at the beginning',
      [message('t', 'tool', result('1'))],
      'messages[0]: a tool message must directly follow an assistant message with calls',
    ],
    [
      'a second tool message',
      [message('a', 'assistant', call('1')), message('s', 'tool', result('1')), message('t', 'tool')],
      'messages[2]: a tool message must directly follow an assistant message with calls',
    ],
    [
      'a tool message behind an answer without calls',
      [message('a', 'assistant', text('x')), message('t', 'tool')],
      'messages[1]: a tool message must directly follow an assistant message with calls',
    ],
    [
      'a call in a user message',
      [message('u', 'user', call('1'))],
      'messages[0]: the call "1" is in a message of role user, not assistant',
    ],
    [
      'a call in a tool message',
      [message('a', 'assistant', call('1')), message('t', 'tool', result('1'), call('2'))],
      'messages[1]: the call "2" is in a message of role tool, not assistant',
    ],
    [
      'a result in a user message',
      [message('u', 'user', result('1'))],
      'messages[0]: the result for call "1" is in a message of role user, not tool',
    ],
    [
      'a result in the message of its call',
      [message('a', 'assistant', call('1'), result('1'))],
      'messages[0]: the result for call "1" is in a message of role assistant, not tool',
    ],
    [
      'two calls with one id',
      [message('a', 'assistant', call('1'), call('1')), message('t', 'tool', result('1'))],
      'messages[0]: two calls have the id "1"',
    ],
    [
      'two messages with one id',
      [message('m', 'user'), message('n', 'assistant'), message('m', 'user')],
      'messages[2]: the id "m" is taken by an earlier message',
    ],
  ])('%s', (_, messages, fault) => {
    expect(pairingFault(messages)).toBe(fault);
  });

  test('a half answered tail even when the tail may be open', () => {
    const messages = [message('a', 'assistant', call('1'), call('2')), message('t', 'tool', result('1'))];
    expect(pairingFault(messages, { openTail: true })).toBe(
      'messages[0]: the call "2" has no result in the next message',
    );
  });

  test('an open call that is not in the last message even when the tail may be open', () => {
    const messages = [message('a', 'assistant', call('1')), message('u', 'user', text('x'))];
    expect(pairingFault(messages, { openTail: true })).toBe(
      'messages[0]: the call "1" has no result in the next message',
    );
  });

  test('an id of a megabyte by its beginning', () => {
    const fault = pairingFault([message('a', 'assistant', call('x'.repeat(1e6)))]);
    expect(fault?.length).toBeLessThan(150);
  });
});

// What a JavaScript caller or a broken store may pass.
const misshapen = (value: unknown): readonly Message[] => value as readonly Message[];

describe('pairingFault survives', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'messages: expected an array, got null'],
    ['a string', 'x', 'messages: expected an array, got string'],
    ['a message of null', [null], 'messages[0]: expected a message, got null'],
    ['a hole', new Array(2), 'messages[0]: expected a message, got undefined'],
    ['a message that is an array', [[]], 'messages[0]: expected a message, got an array'],
    ['a number as id', [{ id: 1 }], 'messages[0]: expected id to be a string, got number'],
    [
      'an unknown role',
      [{ id: 'a', role: 'system', content: [] }],
      'messages[0]: expected role to be user, assistant or tool, got "system"',
    ],
    [
      'text as content',
      [{ id: 'a', role: 'user', content: 'hi' }],
      'messages[0]: expected content to be an array, got string',
    ],
    [
      'a block of null',
      [{ id: 'a', role: 'user', content: [null] }],
      'messages[0]: expected content[0] to be a block, got null',
    ],
    [
      'a block without type',
      [{ id: 'a', role: 'user', content: [{}] }],
      'messages[0]: expected content[0].type to be a string, got undefined',
    ],
    [
      'a call without id',
      [{ id: 'a', role: 'assistant', content: [{ type: 'toolCall' }] }],
      'messages[0]: expected content[0].id to be a string, got undefined',
    ],
    [
      'a result without callId',
      [{ id: 'a', role: 'tool', content: [{ type: 'toolResult', callId: null }] }],
      'messages[0]: expected content[0].callId to be a string, got null',
    ],
  ])('%s', (_, value, fault) => {
    expect(pairingFault(misshapen(value))).toBe(fault);
  });

  test('anything at all', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true }), (value) => {
        const faults = [pairingFault(misshapen(value)), pairingFault(misshapen([value]))];
        return faults.every((fault) => fault === undefined || fault.startsWith('messages'));
      }),
      { numRuns: 500 * runs },
    );
  });

  test('null as options', () => {
    expect(pairingFault([], misshapen(null) as never)).toBeUndefined();
  });
});
