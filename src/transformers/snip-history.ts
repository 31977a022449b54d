// The transformer that drops old groups when the history is too long.

import type { Transformer } from '../contracts/transformer.ts';
import { checkOptions, invalidOption, numberFrom } from '../tools/option-table.ts';
import { contextTokensOf, memories } from './context-size.ts';
import { snip, type Cut } from './snip.ts';
import { viewOf, windowed } from './window.ts';

/** When and how far a history is cut, in tokens of the whole request. */
export interface SnipHistoryOptions {
  /** Default: nine tenths of the model's context. At least 1. */
  readonly highTokens?: number;
  /** Default: two thirds of `highTokens`. Less than that. */
  readonly lowTokens?: number;
}

/**
 * Over the high mark it drops whole old groups down to the low mark in one step and leaves a one-line marker. The first
 * user message, the request under way and the last task list stay as long as each takes no more than a fifth of the high
 * mark; of a longer request the marker quotes the beginning and the end. Throws `options.invalid`.
 */
export function snipHistory(options: SnipHistoryOptions = {}): Transformer {
  const { highTokens, lowTokens } = options;
  checkOptions('snipHistory', options, { highTokens: numberFrom(1), lowTokens: numberFrom(0) });
  if (lowTokens !== undefined && highTokens !== undefined && lowTokens >= highTokens) {
    throw invalidOption('lowTokens', `less than highTokens, ${highTokens}`, lowTokens);
  }
  const cutOf = memories<Cut>();
  return {
    name: 'snipHistory',
    alters: ['dropsGroups', 'addsMarker'],
    beforeIteration({ messages }, context) {
      const high = highTokens ?? contextTokensOf(context) * 0.9;
      const marks = { high, low: lowTokens ?? (high * 2) / 3 };
      return viewOf(messages, snip(windowed(messages), context, marks, cutOf(context)));
    },
  };
}
