// How large the context is and may be, and what is remembered of a conversation. Called by transformers.

import type { Model } from '../contracts/model.ts';
import type { TransformerContext } from '../contracts/transformer.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';

/** The model's context in tokens, as in `info.contextTokens`; 128,000 if it is not given. */
export function contextTokensOf({ model }: { readonly model: Model }): number {
  const tokens = model.info?.contextTokens ?? 0;
  return tokens > 0 ? tokens : 128_000;
}

/** About how many tokens a request with these messages costs. */
export function requestTokens(messages: readonly Message[], context: TransformerContext): number {
  return context.estimateTokens(messages) + (context.overheadTokens ?? 0);
}

/** A memory for each conversation, kept as long as it lives, also after a reload. */
export function memories<Memory extends object>(): (context: TransformerContext) => Partial<Memory> {
  const memoryOf = oncePer((): Partial<Memory> => ({}));
  return ({ transcript }) => memoryOf(transcript);
}
