// The law that messages are dropped only if that is declared.

import { boundaryOf, firstBreach, keptFrom, named, type Law } from './law.ts';

/**
 * Messages are kept, unless `dropsGroups` is declared. Views may always leave out boundaries and what the last boundary
 * summarizes.
 */
export const dropsDeclared: Law = {
  name: 'dropsDeclared',
  says: 'no message is left out, unless "dropsGroups" is declared or a boundary summarizes it',
  check: (trial) =>
    firstBreach(trial, ({ stage, before, after, appended }) => {
      if (trial.alters.has('dropsGroups')) return undefined;
      const isView = stage === 'beforeIteration';
      const start = isView ? keptFrom([...before.messages, ...appended]) : 0;
      const left = new Set(after.messages.map(({ id }) => id));
      const gone = before.messages.find(
        (message, index) => index >= start && !left.has(message.id) && !(isView && boundaryOf(message)),
      );
      return gone && `${named(gone)} is left out`;
    }),
};
