// The transformer that begins the model's view at the last compaction.

import type { Transformer } from '../contracts/transformer.ts';
import { viewOf, windowed } from './window.ts';

/**
 * Shows the model the summary of the last boundary and everything from the message on that it keeps. The transcript
 * stays whole: without the boundary the model sees all of it again.
 */
export function windowHistory(): Transformer {
  return {
    name: 'windowHistory',
    beforeIteration: ({ messages }) => viewOf(messages, windowed(messages)),
  };
}
