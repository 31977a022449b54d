// The law of the system prompt.

import { isSameJson } from '../../../conversation/same-json.ts';
import { firstBreach, type Law } from './law.ts';

/** The system prompt stays as it is, unless `rewritesText` is declared. */
export const systemUntouched: Law = {
  name: 'systemUntouched',
  says: 'the system prompt stays as it is',
  check: (trial) =>
    firstBreach(trial, ({ before, after }) =>
      trial.alters.has('rewritesText') || isSameJson(after.system, before.system)
        ? undefined
        : 'the system prompt changed',
    ),
};
