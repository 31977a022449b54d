import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { streamChunks } from '../../../src/testing/properties/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
const options = { numRuns: 200 * runs };
const source = 'na\u00efve 🌍 text';
const sample = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.sample(arbitrary, { seed: 1, numRuns: 500 });

describe('chunks of a text', () => {
  test('joined are the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).chain((text) => fc.tuple(fc.constant(text), streamChunks(text))),
        ([text, chunks]) => {
          expect(chunks.join('')).toBe(text);
        },
      ),
      options,
    );
  });

  test('are cut at every place, and everywhere at once', () => {
    const all = sample(streamChunks(source));
    const cuts = new Set<number>();
    for (const chunks of all) {
      let at = 0;
      for (const chunk of chunks.slice(0, -1)) cuts.add((at += chunk.length));
    }
    expect(cuts.size).toBe(source.length + 1);
    expect(all.some((chunks) => chunks.length === source.length && chunks.every((chunk) => chunk.length === 1))).toBe(
      true,
    );
  });

  test('may be empty, unless that is forbidden', () => {
    const hasEmpty = (chunks: readonly string[]) => chunks.includes('');
    expect(sample(streamChunks(source)).some(hasEmpty)).toBe(true);
    expect(sample(streamChunks(source, { allowEmpty: false })).some(hasEmpty)).toBe(false);
  });

  test('are at most one more than the cuts, when not cut everywhere', () => {
    const all = sample(streamChunks(source, { maxCuts: 2 })).filter((chunks) => chunks.length < source.length);
    expect(Math.max(...all.map((chunks) => chunks.length))).toBe(3);
  });

  test('shrink to one piece', () => {
    const details = fc.check(
      fc.property(streamChunks(source), () => false),
      { seed: 1 },
    );
    expect(details.counterexample).toEqual([[source]]);
  });

  test('without a source are of an arbitrary text', () => {
    expect(new Set(sample(streamChunks()).map((chunks) => chunks.join(''))).size).toBeGreaterThan(100);
  });

  test.each(['', 'a'])('of %j exist', (text) => {
    expect(sample(streamChunks(text, { allowEmpty: false })).every((chunks) => chunks.join('') === text)).toBe(true);
  });
});

test('chunks of bytes joined are the bytes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array().chain((bytes) => fc.tuple(fc.constant(bytes), streamChunks(bytes))),
      ([bytes, chunks]) => {
        expect(chunks.flatMap((chunk) => [...chunk])).toEqual([...bytes]);
      },
    ),
    options,
  );
});
