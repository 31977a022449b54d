// The law that no message is invented.

import type { Message } from '../../../conversation/message.ts';
import type { Outcome } from '../trial.ts';
import { boundaryOf, firstBreach, named, type Law } from './law.ts';

/** Longest marker in characters, including what it quotes. */
const longestMarker = 4000;

/**
 * Every message was in the input. Allowed: the summary of a boundary that is there; a boundary in `append` with
 * `appendsBoundary`; a user message of one line with `addsMarker`.
 */
export const nothingInvented: Law = {
  name: 'nothingInvented',
  says: 'no message is invented, except as the transformer declares in "alters"',
  check: (trial) =>
    firstBreach(trial, (outcome) => {
      const known = new Set(outcome.before.messages.map(({ id }) => id));
      for (const message of outcome.after.messages) {
        if (known.has(message.id) || isSummary(message, outcome)) continue;
        if (trial.alters.has('appendsBoundary') && outcome.appended.includes(message) && boundaryOf(message)) continue;
        if (trial.alters.has('addsMarker') && isMarker(message)) continue;
        return `${named(message)} is new`;
      }
      return undefined;
    }),
};

function isSummary({ role, content }: Message, { before, appended }: Outcome): boolean {
  const [block] = content;
  if (role !== 'user' || content.length !== 1 || block?.type !== 'text') return false;
  return [...before.messages, ...appended].some((message) => boundaryOf(message)?.summary === block.text);
}

function isMarker({ role, content }: Message): boolean {
  const [block] = content;
  if (role !== 'user' || content.length !== 1 || block?.type !== 'text') return false;
  return block.text.length <= longestMarker && !block.text.includes('\n');
}
