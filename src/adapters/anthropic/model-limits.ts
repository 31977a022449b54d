// What is known about a Claude model by its id alone. Called by the model and the encoder.

/** How many tokens a model reads and writes. */
export interface ModelLimits {
  readonly contextTokens: number;
  /** Also sent as `max_tokens` if the request does not set it: the API demands a number. */
  readonly maxOutputTokens: number;
}

/**
 * Conservative: newer models write more if asked (`maxOutputTokens`), and read a million tokens if the account allows it
 * (with the beta `context-1m-…`).
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

/**
 * Whether the model refuses thinking if the messages before it have changed since: Claude 5.1 and later, except Mythos. https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
export function bindsThinking(model: string): boolean {
  const [, major, minor] = /claude-(?:fable|opus|sonnet|haiku)-(\d{1,2})[-.](\d{1,2})(?!\d)/.exec(model) ?? [];
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 1);
}
