import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedJson, summaryBounds, type JsonBounds } from '../../src/inspect/bounded-json.ts';

const roomy: JsonBounds = { text: 1e6, texts: 1e9, items: 1e6, depth: 100, values: 1e9 };
const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('boundedJson', () => {
  test('leaves JSON that is within the bounds as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(boundedJson(value, roomy)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: runs },
    );
  });

  test('gives a small JSON of any value, twice the same, and never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          const text = JSON.stringify(boundedJson(value));
          expect(text.length).toBeLessThan(60_000);
          expect(JSON.stringify(boundedJson(value))).toBe(text);
        },
      ),
      { numRuns: runs },
    );
  });

  test('says how much of a text and of a list is missing', () => {
    expect(boundedJson('x'.repeat(250))).toBe(`${'x'.repeat(200)}… (50 more)`);
    expect(boundedJson(Array.from({ length: 25 }, () => 1))).toEqual([
      ...Array.from({ length: 20 }, () => 1),
      '… 5 more',
    ]);
  });

  test('ends a circle', () => {
    const circle: Record<string, unknown> = { name: 'c' };
    circle['self'] = circle;
    expect(JSON.stringify(boundedJson(circle))).toContain('"…"');
  });

  test('keeps all texts together within their bound', () => {
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'y'.repeat(1_000)]));
    expect(JSON.stringify(boundedJson(texts)).length).toBeLessThan(summaryBounds.texts + 2_000);
  });

  test('shows a value that cannot be read as such', () => {
    const hostile = {
      get bad() {
        throw new Error('no');
      },
    };
    const proxy = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no');
        },
      },
    );
    const badJson = {
      toJSON() {
        throw new Error('no');
      },
    };
    expect(boundedJson([hostile, proxy, badJson])).toEqual([
      '(cannot be read)',
      '(cannot be read)',
      '(cannot be read)',
    ]);
  });

  test('takes a key __proto__ for a key', () => {
    const shown = boundedJson(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"polluted":true}}');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('shows bytes by their number, and copies or lists none of them', () => {
    const untouchable = new Proxy(new Uint8Array(8), {
      ownKeys() {
        throw new Error('listed');
      },
    });
    const bytes = Object.assign(Buffer.alloc(10), {
      toJSON() {
        throw new Error('copied');
      },
    });
    expect(boundedJson([new Float32Array(3), bytes, new DataView(new ArrayBuffer(2)), new ArrayBuffer(5)])).toEqual([
      '(Float32Array of 12 bytes)',
      '(Buffer of 10 bytes)',
      '(DataView of 2 bytes)',
      '(ArrayBuffer of 5 bytes)',
    ]);
    expect(boundedJson(untouchable)).toBe('(cannot be read)');
  });

  test('shows what is in a map and in a set, within the bounds', () => {
    const map = new Map([['a', { deep: 1 }]]);
    expect(boundedJson({ map, set: new Set([1, 2]) })).toEqual({ map: [['a', { deep: 1 }]], set: [1, 2] });
    expect(boundedJson(new Set(Array.from({ length: 25 }, (_, n) => n)))).toHaveLength(21);
  });

  test('heeds toJSON, and names errors and functions', () => {
    function named() {}
    expect(boundedJson({ at: new Date(0), error: new TypeError('bad'), named, id: 5n })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      error: { name: 'TypeError', message: 'bad' },
      named: { type: 'named' },
      id: '5',
    });
  });
});
