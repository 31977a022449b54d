// What the model reads when a tool throws.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxErrorBytes } from '../../src/tools/error-message.ts';
import { errorResultText } from '../../src/tools/error-text.ts';
import { hostileMakers, hostileValueMakers } from './hostile-values.ts';

describe('errorResultText', () => {
  test.each([
    ['an error', new Error('no such file'), 'no such file'],
    ['a string', 'plain text', 'plain text'],
    ['a number', 404, '404'],
    ['an object with a message', { message: 'from elsewhere', code: 7 }, 'from elsewhere'],
    ['another object', { code: 7 }, '{"code":7}'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['an aggregate without a message', new AggregateError([new Error('a'), new Error('b')]), 'a; b'],
    ['undefined', undefined, 'The tool failed without a message (thrown: nothing).'],
    ['null', null, 'The tool failed without a message (thrown: null).'],
    ['an empty string', '', 'The tool failed without a message (thrown: string "").'],
    ['a function', () => 1, 'The tool failed without a message (thrown: function).'],
  ])('reads %s', (_what, thrown, text) => {
    expect(errorResultText(thrown)).toBe(text);
  });

  test('leaves stack lines out of messages', () => {
    const error = new Error('boom');
    expect(errorResultText(error.stack)).toBe('Error: boom');
  });

  test('never shows the cause', () => {
    const error = new Error('request failed', { cause: new Error('key sk-123') });
    expect(errorResultText(error)).toBe('request failed');
  });

  test('is bounded', () => {
    expect(Buffer.byteLength(errorResultText(new Error('é'.repeat(1_000_000))))).toBeLessThanOrEqual(maxErrorBytes);
  });

  test.each(Object.entries(hostileMakers))('survives %s', (_what, make) => {
    const text = errorResultText(make());
    expect(text).not.toBe('');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxErrorBytes);
  });

  test('is a non-empty, well-formed text for anything thrown', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true }).map((thrown) => () => thrown);
    fc.assert(
      fc.property(fc.oneof(anything, hostileValueMakers()), (make) => {
        const text = errorResultText(make());
        expect(text).not.toBe('');
        expect(text.toWellFormed()).toBe(text);
      }),
      { numRuns: 200 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});
