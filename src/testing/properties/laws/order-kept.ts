// The law of order.

import { firstBreach, named, type Law } from './law.ts';

/** Messages that stay keep their order. */
export const orderKept: Law = {
  name: 'orderKept',
  says: 'messages that stay keep their order',
  check: (trial) =>
    firstBreach(trial, ({ before, after }) => {
      const places = new Map(before.messages.map(({ id }, index) => [id, index]));
      let last = -1;
      for (const message of after.messages) {
        const place = places.get(message.id);
        if (place === undefined) continue;
        if (place <= last) return `${named(message)} stands behind one that came after it`;
        last = place;
      }
      return undefined;
    }),
};
