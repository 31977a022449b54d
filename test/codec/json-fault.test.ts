import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault } from '../../src/codec/json-fault.ts';
import { jsonValues } from '../../src/testing/properties/json-values.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonFault', () => {
  test.each<[string, string]>([
    ['', 'unexpected end at position 0 (line 1, column 1)'],
    ['  ', 'unexpected end at position 2 (line 1, column 3)'],
    ['{"a":1,}', 'unexpected "}" at position 7 (line 1, column 8)'],
    ['[1,]', 'unexpected "]" at position 3 (line 1, column 4)'],
    ['[1 2]', 'unexpected "2" at position 3 (line 1, column 4)'],
    ['{"a" 1}', 'unexpected "1" at position 5 (line 1, column 6)'],
    ['{a:1}', 'unexpected "a" at position 1 (line 1, column 2)'],
    ['{"a":1]', 'unexpected "]" at position 6 (line 1, column 7)'],
    ['[1', 'unexpected end at position 2 (line 1, column 3)'],
    ['"ab', 'unexpected end at position 3 (line 1, column 4)'],
    ['"a\nb"', 'unexpected "\\n" at position 2 (line 1, column 3)'],
    [String.raw`"a\x"`, 'unexpected "x" at position 3 (line 1, column 4)'],
    [String.raw`"\u12"`, 'unexpected "u" at position 2 (line 1, column 3)'],
    ['"\\', 'unexpected end at position 2 (line 1, column 3)'],
    ['01', 'unexpected "1" at position 1 (line 1, column 2)'],
    ['1.', 'unexpected "." at position 1 (line 1, column 2)'],
    ['-', 'unexpected "-" at position 0 (line 1, column 1)'],
    ['nul', 'unexpected "n" at position 0 (line 1, column 1)'],
    ['{}\n\n }', 'unexpected "}" at position 5 (line 3, column 2)'],
    ['\ufeff{}', 'unexpected "\ufeff" at position 0 (line 1, column 1)'],
    ["{'a':1}", 'unexpected "\'" at position 1 (line 1, column 2)'],
  ])('of %j is %s', (text, fault) => {
    expect(jsonFault(text)).toBe(fault);
  });

  test('finds nothing in JSON', () => {
    fc.assert(
      fc.property(jsonValues(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(jsonFault(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
      { numRuns: 300 * runs },
    );
  });

  test('agrees with JSON.parse about any text', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      String.raw`"\n"`,
      '\\',
      '1',
      '-',
      '.5',
      'e1',
      'true',
      'null',
      ' ',
      '\n',
      '\u0001',
    );
    const anyText = fc.oneof(
      fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join('')),
      fc.tuple(jsonValues(), fc.nat(), fc.string({ maxLength: 1 })).map(([value, position, text]) => {
        const json = JSON.stringify(value);
        const at = position % json.length;
        return json.slice(0, at) + text + json.slice(at + 1);
      }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(jsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 3000 * runs },
    );
  });

  test('of text nested a million levels deep is found without recursion', () => {
    expect(jsonFault('['.repeat(1_000_000))).toContain('unexpected end at position 1000000');
  });
});
