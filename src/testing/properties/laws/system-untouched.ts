// The law that the system prompt does not change.

import { isSameJson } from '../../../conversation/same-json.ts';
import { firstBreach, type Law } from './law.ts';

/** The system prompt is unchanged, unless `rewritesText` is declared. */
export const systemUntouched: Law = {
  name: 'systemUntouched',
  says: 'the system prompt is unchanged',
  check: (trial) =>
    firstBreach(trial, ({ before, after }) =>
      trial.alters.has('rewritesText') || isSameJson(after.system, before.system)
        ? undefined
        : 'the system prompt changed',
    ),
};
