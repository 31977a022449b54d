// Where a text stops being JSON.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault } from '../../src/conversation/json-fault.ts';

const runs = 500 * Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('jsonFault', () => {
  test.each([
    ['{"a": x}', 'expected a value at position 6, got "x"'],
    ['{"a": 1', 'the text ends too early, expected "," or "}" at position 7'],
    ['[1 2]', 'expected "," or "]" at position 3, got "2"'],
    ['{a: 1}', 'expected a field name in double quotes at position 1, got "a"'],
    ['{"a" 1}', 'expected ":" at position 5, got "1"'],
    ['{"a": "xx', 'the text ends too early, expected the end of the string that begins at 6 at position 9'],
    ['{"a": "\n"}', 'expected a valid escape at position 7, got "\\n"'],
    ['"\\x"', 'expected a valid escape at position 1, got "\\\\"'],
    ['{"a": 1,}', 'expected a field name in double quotes at position 8, got "}"'],
    ['[1,]', 'expected a value at position 3, got "]"'],
    ['{} {}', 'expected the end of the text at position 3, got "{"'],
    ['{"a":1]', 'expected "," or "}" at position 6, got "]"'],
    ["{'a':1}", 'expected a field name in double quotes at position 1, got "\'"'],
    ['01', 'expected the end of the text at position 1, got "1"'],
    ['nul', 'expected a value at position 0, got "n"'],
    ['\ufeff{}', 'expected a value at position 0, got "\ufeff"'],
    [String.raw`"\u12"`, String.raw`expected a valid escape at position 1, got "\\"`],
    ['', 'the text ends too early, expected a value at position 0'],
  ])('explains %j', (text, fault) => {
    expect(jsonFault(text)?.text).toBe(fault);
  });

  test('finds a fault exactly where JSON.parse does', () => {
    const pieces = fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '"a":', '1', '-', '0', '.5', 'e3', 'true', 'null', 'nul'],
      ...[' ', '\n', '\u00a0', '\\u00e9', '\\n', '\u0007', '🏷', '1e400', '{"a":1}', '[]'],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.tuple(fc.json(), fc.nat(), pieces).map(([json, at, piece]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + piece + json.slice(place);
      }),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        expect(jsonFault(candidate) === undefined).toBe(isJson(candidate));
      }),
      { numRuns: runs },
    );
  });

  test('needs no stack for deep nesting', () => {
    expect(jsonFault('['.repeat(1_000_000))?.text).toBe(
      'the text ends too early, expected a value at position 1000000',
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
