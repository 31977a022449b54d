// The transformer that drops old groups when the history is too long.

import type { Transformer } from '../contracts/transformer.ts';
import { checkOptions, invalidOption, numberFrom } from '../contracts/option-table.ts';
import { contextTokensOf, memories } from './context-size.ts';
import type { Cut } from './plan-cut.ts';
import { snip } from './snip.ts';
import { viewOf, windowed } from './window.ts';

/** When and how far a history is cut, in tokens of the whole request. */
export interface SnipHistoryOptions {
  /** Default: nine tenths of the model's context. At least 1. */
  readonly highTokens?: number;
  /** Must be less than `highTokens`. Default: two thirds of it. */
  readonly lowTokens?: number;
}

/**
 * Above the high mark it drops whole old groups down to the low mark in one step and leaves a one-line marker. The
 * first user message, the current request and the last task list (the last `TodoWrite` call) stay if each takes at most
 * a fifth of the high mark; the marker quotes the beginning and the end of a longer request. Throws `options.invalid`.
 */
export function snipHistory(options: SnipHistoryOptions = {}): Transformer {
  const { highTokens, lowTokens } = options;
  checkOptions('snipHistory', options, { highTokens: numberFrom(1), lowTokens: numberFrom(0) });
  if (lowTokens !== undefined && highTokens !== undefined && lowTokens >= highTokens) {
    throw invalidOption('lowTokens', `less than highTokens, ${highTokens}`, lowTokens);
  }
  const memoryOf = memories<{ cut: Cut | undefined }>();
  return {
    name: 'snipHistory',
    alters: ['dropsGroups', 'addsMarker'],
    beforeIteration({ messages }, context) {
      const high = highTokens ?? contextTokensOf(context) * 0.9;
      const marks = { high, low: lowTokens ?? (high * 2) / 3 };
      return viewOf(messages, snip(windowed(messages), context, marks, memoryOf(context)));
    },
  };
}
