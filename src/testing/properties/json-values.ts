// Arbitrary texts and JSON values with the traps of real ones. Called by the other arbitraries.

import type { Arbitrary } from 'fast-check';
import type { JsonValue } from '../../conversation/json.ts';
import { fc } from './fast-check.ts';

const traps = [
  '\u0000',
  '\ud800',
  'a\udc00b',
  '\ud83e\udd8a',
  'e\u0301',
  '\u2028\u2029',
  '\u202eabc',
  '\ufeff',
  '__proto__',
  'constructor',
  'toJSON',
  '"\\\n\r\t',
  '</tool_result>',
  '{"a":1}',
];

/** Texts: ordinary ones, any graphemes, and traps: NUL, lone surrogates, bidi marks, `__proto__`, markup, JSON in text. */
export function texts(): Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.string() },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
    { weight: 1, arbitrary: fc.constantFrom(...traps) },
  );
}

/** JSON values whose keys and strings are `texts()`; numbers of any size, never -0, which `JSON.stringify` alters. */
export function jsonValues(): Arbitrary<JsonValue> {
  return fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant(null),
      fc.boolean(),
      texts(),
      fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map((number) => number + 0),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(texts(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  })).value;
}

/** JSON objects, such as the arguments of most tools. */
export function jsonObjects(): Arbitrary<{ readonly [key: string]: JsonValue }> {
  return fc.dictionary(texts(), jsonValues(), { maxKeys: 4, noNullPrototype: true });
}
