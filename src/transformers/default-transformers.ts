// The transformers that an engine uses by default.

import type { Transformer } from '../contracts/transformer.ts';
import { checkOptions, numberFrom } from '../contracts/option-table.ts';
import { autoCompact } from './auto-compact.ts';
import { budgetToolResults } from './budget-tool-results.ts';
import { snipHistory } from './snip-history.ts';
import { windowHistory } from './window-history.ts';

/** How large the context may be. */
export interface DefaultTransformersOptions {
  /** Default: `model.info.contextTokens`, or 128,000 if the model does not give it. */
  readonly contextTokens?: number;
}

/**
 * Starts the view at the last compaction, shortens large and old results, compacts at three quarters of the context and
 * drops old groups if that fails. To add your own: `[...defaultTransformers(), mine]`. Throws `options.invalid`.
 */
export function defaultTransformers(options: DefaultTransformersOptions = {}): Transformer[] {
  checkOptions('defaultTransformers', options, { contextTokens: numberFrom(1) });
  const { contextTokens: tokens } = options;
  if (tokens === undefined) return [windowHistory(), budgetToolResults(), autoCompact(), snipHistory()];
  return [
    windowHistory(),
    budgetToolResults({ perResultBytes: Math.ceil(tokens / 4), totalBytes: tokens * 2 }),
    autoCompact({ atTokens: Math.max(1, tokens * 0.75) }),
    snipHistory({ highTokens: Math.max(1, tokens * 0.9) }),
  ];
}
