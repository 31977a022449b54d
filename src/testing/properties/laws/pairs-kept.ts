// The law that calls and results stay paired.

import { pairingFault } from '../../../conversation/pairing.ts';
import { firstBreach, type Law } from './law.ts';

/** Calls and results stay together, so that a provider accepts the output. */
export const pairsKept: Law = {
  name: 'pairsKept',
  says: 'every call has exactly one result in the next message, and every result its call',
  check: (trial) =>
    firstBreach(trial, ({ stage, after }) => pairingFault(after.messages, { openTail: stage === 'afterIteration' })),
};
