// Token counts as they are told.

import { numberOf } from './reading.ts';

/** Tokens. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

/** None. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** What a usage object says. */
export function usageOf(told: Readonly<Record<string, unknown>>): Usage {
  return {
    inputTokens: numberOf(told['inputTokens']),
    outputTokens: numberOf(told['outputTokens']),
    cachedTokens: numberOf(told['cacheReadTokens']),
  };
}

/** The sum of two. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
  };
}
