// The law that a transformer never fails.

import { messageOf } from '../../../contracts/errors.ts';
import { NotSettled } from '../../settled-soon.ts';
import { copyOf } from '../trial.ts';
import type { Law } from './law.ts';

const circumstances = {
  'with nothing special': {},
  'after a context overflow': { overflow: true },
  'under an aborted signal': { isAborted: true },
  'when the model fails': { modelFails: true },
  'when it is cancelled during a model call': { isCancelled: true },
} as const;

/**
 * A transformer never throws on a valid conversation, and settles. `compact` may throw to tell whoever requested it why it
 * is impossible.
 */
export const total: Law = {
  name: 'total',
  says: 'it never throws on a valid conversation, and always settles',
  async check(trial) {
    for (const [when, given] of Object.entries(circumstances)) {
      // A copy, so that what a transformer remembers about a failure does not reach the next law.
      const conversation = copyOf(trial.conversation);
      for (const stage of trial.stages) {
        try {
          await trial.run(stage, conversation, given);
        } catch (thrown) {
          const isHung = thrown instanceof NotSettled;
          if (stage === 'compact' && !isHung) continue;
          return `${stage} ${isHung ? 'hangs' : 'threw'} ${when}: ${messageOf(thrown)}`;
        }
      }
    }
    return undefined;
  },
};
