// What is known about a Claude model by its id alone. Called by the model and the encoder.

/** Tokens a model reads and writes. */
export interface ModelLimits {
  readonly contextTokens: number;
  /** Also sent as `max_tokens` where the request does not say: the API demands a number. */
  readonly maxOutputTokens: number;
}

/**
 * Conservative: newer models write more when asked (`maxOutputTokens`), and read a million tokens where the account
 * may (then the beta `context-1m-…` says so).
 */
export function limitsOf(model: string, betas: readonly string[]): ModelLimits {
  const isMillion = betas.some((beta) => beta.startsWith('context-1m'));
  return { contextTokens: isMillion ? 1_000_000 : 200_000, maxOutputTokens: maxOutputTokensOf(model) };
}

function maxOutputTokensOf(model: string): number {
  if (/claude-(?:instant|2|3-(?:opus|sonnet|haiku))/.test(model)) return 4096;
  if (/claude-3-5/.test(model)) return 8192;
  return 32_000;
}
