import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addUsage, noUsage, type Usage } from '../../src/conversation/usage.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

const tokens = fc.nat();
const usages = (): fc.Arbitrary<Usage> =>
  fc.record(
    {
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      reasoningTokens: tokens,
    },
    { requiredKeys: ['inputTokens', 'outputTokens'], noNullPrototype: true },
  );
const usagesWithSubagents = (): fc.Arbitrary<Usage> =>
  fc
    .record({
      usage: usages(),
      subagents: fc.array(usages(), { minLength: 1, maxLength: 3 }),
      hasSubagents: fc.boolean(),
    })
    .map(({ usage, subagents, hasSubagents }) => (hasSubagents ? { ...usage, subagents } : usage));

describe('addUsage', () => {
  test('adds every field', () => {
    const left = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 };
    const right = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40, reasoningTokens: 50 };
    expect(addUsage(left, right)).toEqual({
      inputTokens: 11,
      outputTokens: 22,
      cacheReadTokens: 33,
      cacheWriteTokens: 44,
      reasoningTokens: 55,
    });
  });

  test('keeps a field that only one side has', () => {
    const left = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 };
    const right = { inputTokens: 1, outputTokens: 2, reasoningTokens: 4 };
    expect(addUsage(left, right)).toStrictEqual({
      inputTokens: 2,
      outputTokens: 4,
      cacheReadTokens: 3,
      reasoningTokens: 4,
    });
  });

  test('drops details', () => {
    expect(addUsage({ inputTokens: 1, outputTokens: 2, details: { tier: 'x' } }, noUsage)).toStrictEqual({
      inputTokens: 1,
      outputTokens: 2,
    });
  });

  test('lists subagents in order and does not count them', () => {
    const first = { inputTokens: 5, outputTokens: 5 };
    const second = { inputTokens: 7, outputTokens: 7 };
    const sum = addUsage({ ...noUsage, subagents: [first] }, { ...noUsage, subagents: [second] });
    expect(sum).toStrictEqual({ inputTokens: 0, outputTokens: 0, subagents: [first, second] });
  });

  test('is commutative', () => {
    fc.assert(
      fc.property(usages(), usages(), (left, right) => {
        expect(addUsage(left, right)).toStrictEqual(addUsage(right, left));
      }),
      { numRuns: 300 * runs },
    );
  });

  test('is associative', () => {
    fc.assert(
      fc.property(usagesWithSubagents(), usagesWithSubagents(), usagesWithSubagents(), (one, two, three) => {
        expect(addUsage(addUsage(one, two), three)).toStrictEqual(addUsage(one, addUsage(two, three)));
      }),
      { numRuns: 300 * runs },
    );
  });

  test('changes nothing when no usage is added', () => {
    fc.assert(
      fc.property(usagesWithSubagents(), (usage) => {
        expect(addUsage(usage, noUsage)).toStrictEqual(usage);
        expect(addUsage(noUsage, usage)).toStrictEqual(usage);
      }),
      { numRuns: 300 * runs },
    );
  });
});
