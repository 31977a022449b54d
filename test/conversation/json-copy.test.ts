import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { snapshotJson } from '../../src/codec/snapshot.ts';
import { copyFields, copyJson, deepestJson, isTooDeep } from '../../src/conversation/json-copy.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe('copyJson', () => {
  test('copies JSON as it is, and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value);
        expect(copy).toStrictEqual(value);
        const originals = new Set(objectsIn(value));
        expect(objectsIn(copy).filter((object) => originals.has(object))).toEqual([]);
      }),
      { numRuns: 300 * runs },
    );
  });

  test('refuses exactly what the codec refuses', () => {
    const anything = fc.anything({ withBigInt: true, withMap: true, withDate: true, withNullPrototype: true });
    fc.assert(
      fc.property(fc.oneof(anything, fc.array(anything), fc.dictionary(fc.string(), anything)), (value) => {
        const snapshot = snapshotJson(value);
        if ('fault' in snapshot) expect(() => copyJson(value)).toThrow(TypeError);
        else expect(copyJson(value)).toEqual(snapshot.value);
      }),
      { numRuns: 500 * runs },
    );
  });

  test('keeps a key named __proto__ and -0', () => {
    const copy = copyJson(JSON.parse('{"__proto__":{"a":-0}}'));
    expect(Object.keys(copy as object)).toEqual(['__proto__']);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":0}}');
  });

  const cycle: unknown[] = [];
  cycle.push(cycle);
  test.each<[string, unknown]>([
    ['a cycle', cycle],
    ['one level too many', nested(deepestJson + 1)],
    ['a hundred thousand levels', nested(100_000)],
  ])('refuses %s with a RangeError', (_title, value) => {
    expect(() => copyJson(value)).toThrow(RangeError);
  });

  test('ends on values that share parts without end', () => {
    let value: unknown = Array.from({ length: 10 }, () => 1);
    for (let level = 0; level < 60; level++) value = [value, value];
    expect(() => copyJson(value)).toThrow('more than');
  });

  test('takes as many levels as may be, and those around them', () => {
    expect(copyJson(nested(deepestJson))).toEqual(nested(deepestJson));
    expect(copyJson(nested(deepestJson + 2), 2)).toEqual(nested(deepestJson + 2));
    expect(() => copyJson(nested(deepestJson + 3), 2)).toThrow(RangeError);
  });
});

test.each([
  ['copyJson', copyJson],
  ['copyFields', copyFields],
])('%s leaves out fields that are undefined, at every depth, and nothing else', (_name, copy) => {
  const given = { a: undefined, b: [{ c: undefined, d: null, e: { f: undefined } }] };
  expect(copy(given)).toStrictEqual({ b: [{ d: null, e: {} }] });
  expect(() => copy({ b: [undefined] })).toThrow('undefined');
  expect(() => copy({ b: () => 1 })).toThrow('a function');
});

test('isTooDeep says what copyJson refuses for its depth', () => {
  for (const levels of [0, 1, deepestJson - 1, deepestJson]) expect(isTooDeep(nested(levels))).toBe(false);
  for (const levels of [deepestJson + 1, 6_000, 100_000]) expect(isTooDeep(nested(levels))).toBe(true);
});
