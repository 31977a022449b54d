// Usage of a Responses answer → neutral usage. Called by the decoder.

import type { Usage } from '../../../conversation/usage.ts';
import { numberAt, objectAt, optional, type JsonObject } from '../json-fields.ts';

/** The server's counts: input includes cache reads and writes, output includes reasoning. */
export function usageOf(sent: JsonObject): Usage {
  const input = objectAt(sent, 'input_tokens_details');
  const output = objectAt(sent, 'output_tokens_details');
  return {
    inputTokens: numberAt(sent, 'input_tokens') ?? 0,
    outputTokens: numberAt(sent, 'output_tokens') ?? 0,
    ...optional('cacheReadTokens', numberAt(input, 'cached_tokens')),
    ...optional('cacheWriteTokens', numberAt(input, 'cache_write_tokens')),
    ...optional('reasoningTokens', numberAt(output, 'reasoning_tokens')),
    details: sent,
  };
}
