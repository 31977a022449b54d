// The law that messages keep their order.

import { firstBreach, named, type Law } from './law.ts';

/** Kept messages stay in order. */
export const orderKept: Law = {
  name: 'orderKept',
  says: 'kept messages stay in order',
  check: (trial) =>
    firstBreach(trial, ({ before, after }) => {
      const places = new Map(before.messages.map(({ id }, index) => [id, index]));
      let last = -1;
      for (const message of after.messages) {
        const place = places.get(message.id);
        if (place === undefined) continue;
        if (place <= last) return `${named(message)} now follows one that came after it`;
        last = place;
      }
      return undefined;
    }),
};
