// The law of characters.

import { firstBreach, named, type Law } from './law.ts';

/** Where there was no half of a surrogate pair there is none: a text is never cut inside a character. */
export const wellFormed: Law = {
  name: 'wellFormed',
  says: 'no text is cut inside a character',
  check: (trial) =>
    firstBreach(trial, ({ before, after }) => {
      const known = new Set(before.messages);
      const halves = new Set(before.messages.filter(hasHalves).map(({ id }) => id));
      const cut = after.messages.find(
        (message) => !known.has(message) && !halves.has(message.id) && hasHalves(message),
      );
      // What is quoted from a message with halves may have them.
      return cut && (halves.size === 0 || before.messages.some(({ id }) => id === cut.id))
        ? `${named(cut)} has half a surrogate pair`
        : undefined;
    }),
};

// In JSON a half stands as its escape.
function hasHalves(message: unknown): boolean {
  return /\\ud[89a-f]/i.test(JSON.stringify(message));
}
