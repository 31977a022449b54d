// The transformer that starts the model's view at the last compaction.

import type { Transformer } from '../contracts/transformer.ts';
import { viewOf, windowed } from './window.ts';

/**
 * Shows the model the summary of the last boundary and everything from the message `keepFrom` on. The transcript stays
 * complete: if the boundary is removed, the model sees all of it again.
 */
export function windowHistory(): Transformer {
  return {
    name: 'windowHistory',
    beforeIteration: ({ messages }) => viewOf(messages, windowed(messages)),
  };
}
