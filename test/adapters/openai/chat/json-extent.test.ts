import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonExtent } from '../../../../src/adapters/openai/chat/json-extent.ts';

const runs = 200 * Number(process.env['TURNCHART_RUNS'] ?? 1);

test('a list or an object is closed with its last bracket and not before, however it is cut', () => {
  const holder = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(holder, fc.nat(), (value, cut) => {
      const text = JSON.stringify(value);
      const extent = new JsonExtent();
      const body = text.slice(0, -1);
      const at = cut % (body.length + 1);
      for (const piece of [body.slice(0, at), body.slice(at)]) {
        extent.add(piece);
        expect(extent.isClosed).toBe(false);
      }
      extent.add(text.slice(-1));
      expect(extent.isClosed).toBe(true);
    }),
    { numRuns: runs },
  );
});

test('text without brackets, or inside a string, closes nothing', () => {
  const extent = new JsonExtent();
  for (const piece of ['  ', '"}"', '{"a', '}', '\\', '"}']) {
    extent.add(piece);
    expect(extent.isClosed).toBe(false);
  }
  extent.add('": 1}');
  expect(extent.isClosed).toBe(true);
});
