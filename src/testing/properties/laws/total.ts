// The law of never failing.

import { messageOf } from '../../../contracts/errors.ts';
import { copyOf } from '../trial.ts';
import type { Law } from './law.ts';

const circumstances = {
  'with nothing special': {},
  'after a context overflow': { overflow: true },
  'under an aborted signal': { isAborted: true },
  'when the model fails': { modelFails: true },
} as const;

/** A transformer never throws on a valid conversation. */
export const total: Law = {
  name: 'total',
  says: 'it never throws on a valid conversation',
  async check(trial) {
    for (const [when, given] of Object.entries(circumstances)) {
      // A copy: what a transformer learns from a failure must not reach the next law.
      const conversation = copyOf(trial.conversation);
      for (const stage of trial.stages) {
        try {
          await trial.run(stage, conversation, given);
        } catch (thrown) {
          return `${stage} threw ${when}: ${messageOf(thrown)}`;
        }
      }
    }
    return undefined;
  },
};
