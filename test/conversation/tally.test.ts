import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { measureOf } from '../../src/conversation/measure.ts';
import { forgetTally, tallyOf, tokensOf } from '../../src/conversation/tally.ts';
import { calibrate, calibrationOf, overheadTokens } from '../../src/conversation/tokens.ts';
import { conversations } from '../../src/testing/properties/conversations.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('tallyOf', () => {
  test('has the same totals after any cuts and refills as a count from the start', () => {
    const moves = fc.array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 6 });
    fc.assert(
      fc.property(conversations(), moves, ({ messages }, cuts) => {
        const list: Message[] = [];
        for (const [keep, take] of cuts) {
          list.length = Math.min(list.length, keep);
          list.push(...messages.slice(take).map((message) => ({ ...message })));
          const tally = tallyOf(list);
          expect(tally?.tokens ?? 0).toBe(tokensOf([...list]));
          expect(tokensOf(list)).toBe(tokensOf([...list]));
          const sizes = list.flatMap((message) => measureOf(message).results);
          expect(tally?.resultBytes ?? 0).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0));
          expect(tally?.largestResult ?? 0).toBe(Math.max(0, ...sizes));
          expect(tally?.boundary?.message).toBe(list.findLast((message) => measureOf(message).boundary !== undefined));
        }
      }),
      { numRuns: 200 * runs },
    );
  });

  test('counts again from the start once it was forgotten, as after a rewrite in the middle', () => {
    const list = [userMessage('a'), userMessage('b'), userMessage('c')];
    tallyOf(list);
    list[1] = userMessage('b'.repeat(400));
    forgetTally(list);
    expect(tallyOf(list)?.tokens).toBe(tokensOf([...list]));
  });

  test('is undefined for an empty list', () => {
    const list = [userMessage('a')];
    expect(tallyOf(list)?.count).toBe(1);
    list.length = 0;
    expect(tallyOf(list)).toBeUndefined();
    expect(tokensOf(list)).toBe(0);
  });
});

describe('calibrate', () => {
  test.each([
    [1000, 1000, 1],
    [1300, 1000, 1.375],
    [100_000, 1000, 2],
    [1, 1000, 0.5],
  ])('after %i tokens counted for %i estimated: times %d', (counted, estimated, ratio) => {
    const conversation = {};
    expect(calibrationOf(conversation)).toBe(1);
    calibrate(conversation, counted, estimated);
    expect(calibrationOf(conversation)).toBe(ratio);
  });

  test('learns nothing from a provider that does not count', () => {
    const conversation = {};
    calibrate(conversation, 0, 1000);
    expect(calibrationOf(conversation)).toBe(1);
  });
});

test('overheadTokens counts a part once', () => {
  const tools = [{ name: 'x'.repeat(400) }];
  const before = overheadTokens(tools);
  expect(before).toBeGreaterThan(100);
  tools.push({ name: 'more' });
  expect(overheadTokens(tools)).toBe(before);
});
