// Usage of a Chat Completions answer → neutral usage. Called by the chat decoder.

import type { Usage } from '../../../conversation/usage.ts';
import { numberAt, objectAt, optional, type JsonObject } from '../json-fields.ts';

/**
 * The server's counts; input includes cached tokens. If the total shows that a server counts reasoning tokens in addition
 * to the output, they are added to it.
 */
export function usageOf(sent: JsonObject): Usage {
  const prompt = objectAt(sent, 'prompt_tokens_details');
  const completion = objectAt(sent, 'completion_tokens_details');
  const inputTokens = numberAt(sent, 'prompt_tokens') ?? 0;
  const said = numberAt(sent, 'completion_tokens') ?? 0;
  const reasoning = numberAt(completion, 'reasoning_tokens') ?? numberAt(sent, 'reasoning_tokens');
  const total = numberAt(sent, 'total_tokens');
  const isBeside = reasoning !== undefined && reasoning > 0 && total === inputTokens + said + reasoning;
  return {
    inputTokens,
    outputTokens: isBeside ? said + reasoning : said,
    ...optional('cacheReadTokens', numberAt(prompt, 'cached_tokens') ?? numberAt(sent, 'prompt_cache_hit_tokens')),
    ...optional('cacheWriteTokens', numberAt(prompt, 'cache_write_tokens')),
    ...optional('reasoningTokens', reasoning),
    details: sent,
  };
}
