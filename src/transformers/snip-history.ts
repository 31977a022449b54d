// The transformer that drops old groups when the history is too long.

import type { Transformer } from '../contracts/transformer.ts';
import { contextTokensOf } from './context-size.ts';
import { snip, type Cuts } from './snip.ts';
import { viewOf, windowed } from './window.ts';

/** When and how far a history is cut, in tokens of the whole request. */
export interface SnipHistoryOptions {
  /** Default: nine tenths of the model's context. */
  readonly highTokens?: number;
  /** Default: two thirds of `highTokens`. */
  readonly lowTokens?: number;
}

/**
 * Over the high mark it drops whole old groups down to the low mark in one step and leaves a one-line marker. The first
 * user message and the last task list stay, and so does the request under way.
 */
export function snipHistory(options: SnipHistoryOptions = {}): Transformer {
  const cuts: Cuts = new WeakMap();
  return {
    name: 'snipHistory',
    alters: ['dropsGroups', 'addsMarker'],
    beforeIteration({ messages }, context) {
      const high = options.highTokens ?? contextTokensOf(context) * 0.9;
      return viewOf(
        messages,
        snip(windowed(messages), context, { high, low: options.lowTokens ?? (high * 2) / 3 }, cuts),
      );
    },
  };
}
