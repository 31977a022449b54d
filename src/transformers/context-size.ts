// How large the context is and may be. Called by the transformers that keep it small.

import type { TransformerContext } from '../contracts/transformer.ts';
import type { Message } from '../conversation/message.ts';

/** Tokens the model can take: as it says, else 128,000. */
export function contextTokensOf({ model }: TransformerContext): number {
  return model.info?.contextTokens ?? 128_000;
}

/** About how many tokens a request with these messages costs. */
export function requestTokens(messages: readonly Message[], context: TransformerContext): number {
  return context.estimateTokens(messages) + (context.overheadTokens ?? 0);
}
