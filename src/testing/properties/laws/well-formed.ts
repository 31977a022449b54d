// The law that texts stay well formed.

import { firstBreach, named, type Law } from './law.ts';

/** A message without lone surrogates stays without them: no text is cut inside a character. */
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
      // A quote from a message with lone surrogates may contain them.
      return cut && (halves.size === 0 || before.messages.some(({ id }) => id === cut.id))
        ? `${named(cut)} has a lone surrogate`
        : undefined;
    }),
};

// JSON escapes lone surrogates.
function hasHalves(message: unknown): boolean {
  return /\\ud[89a-f]/i.test(JSON.stringify(message));
}
