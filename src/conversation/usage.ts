// Token counts and how to add them.

import type { JsonValue } from './json.ts';

/**
 * Token counts of one model call, or a sum of them. `inputTokens` is all input, including cache reads and writes;
 * `outputTokens` includes reasoning. `details` is the provider's own object; sums do not have it. `subagents` are
 * listed separately and not included in the other counts.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly details?: JsonValue;
  readonly subagents?: readonly Usage[];
}

/** No tokens at all. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Adds two counts field by field. An optional field is present when either side has it; `details` is dropped. */
export function addUsage(left: Usage, right: Usage): Usage {
  const optional = (key: 'cacheReadTokens' | 'cacheWriteTokens' | 'reasoningTokens') => {
    const a = left[key];
    const b = right[key];
    return a === undefined && b === undefined ? {} : { [key]: (a ?? 0) + (b ?? 0) };
  };
  const subagents = [...(left.subagents ?? []), ...(right.subagents ?? [])];
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...optional('cacheReadTokens'),
    ...optional('cacheWriteTokens'),
    ...optional('reasoningTokens'),
    ...(subagents.length > 0 ? { subagents } : {}),
  };
}
