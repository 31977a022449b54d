// The law of what is left out.

import { boundaryOf, firstBreach, keptFrom, named, type Law } from './law.ts';

/**
 * Messages stay, unless `dropsGroups` is declared. What the last boundary stands for is left out of views without that,
 * and so are boundaries.
 */
export const dropsDeclared: Law = {
  name: 'dropsDeclared',
  says: 'no message is left out, unless "dropsGroups" is declared or a boundary stands for it',
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
