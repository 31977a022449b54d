// The arguments of a call.

import { describe, expect, test } from 'vitest';
import { callArguments } from '../../src/tools/call-arguments.ts';

const call = { type: 'toolCall', id: 'c1', name: 'Read' } as const;

describe('callArguments', () => {
  test('are the parsed value', () => {
    expect(callArguments({ ...call, args: { a: 1 } })).toEqual({ a: 1 });
  });

  test('keep an explicit null', () => {
    expect(callArguments({ ...call, args: null })).toBe(null);
  });

  test('are an empty object when the call has none', () => {
    expect(callArguments(call)).toEqual({});
  });

  test.each(['', ' \n'])('are an empty object for the text %j (case 15)', (rawArgs) => {
    expect(callArguments({ ...call, rawArgs })).toEqual({});
  });

  test('are the text where it is not JSON', () => {
    expect(callArguments({ ...call, rawArgs: '{"a": ' })).toBe('{"a": ');
  });
});
