// How large the context is and may be, and what is remembered of it. Called by the transformers that keep it small.

import type { Model } from '../contracts/model.ts';
import type { TransformerContext } from '../contracts/transformer.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';

/** Tokens the model can take: as it says, else 128,000. */
export function contextTokensOf({ model }: { readonly model: Model }): number {
  const tokens = model.info?.contextTokens ?? 0;
  return tokens > 0 ? tokens : 128_000;
}

/** About how many tokens a request with these messages costs. */
export function requestTokens(messages: readonly Message[], context: TransformerContext): number {
  return context.estimateTokens(messages) + (context.overheadTokens ?? 0);
}

/** Something that is remembered of each conversation, as long as it lives and also after a reload. */
export function memories<Memory extends object>(): (context: TransformerContext) => Partial<Memory> {
  const memoryOf = oncePer((): Partial<Memory> => ({}));
  return ({ transcript }) => memoryOf(transcript);
}
