import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameJson } from '../../src/conversation/same-json.ts';
import { jsonValues } from '../../src/testing/properties/json-values.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('isSameJson', () => {
  test.each<[unknown, unknown]>([
    [1, '1'],
    [null, {}],
    [[], {}],
    [{}, []],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
    [{ valueOf: 1 }, { a: 1 }],
    [0, -0],
  ])('tells %j from %j', (left, right) => {
    expect(isSameJson(left, right)).toBe(false);
  });

  test('pays no heed to the order of keys', () => {
    expect(isSameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  });

  test('finds a value equal to its copy', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => isSameJson(value, JSON.parse(JSON.stringify(value)))),
      { numRuns: 200 * runs },
    );
  });

  test('agrees with the text of values that differ', () => {
    fc.assert(
      fc.property(jsonValues(), jsonValues(), (left, right) => {
        expect(isSameJson([left], [right]) || JSON.stringify(left) !== JSON.stringify(right)).toBe(true);
      }),
      { numRuns: 200 * runs },
    );
  });
});
