// The law that the last user message is kept.

import { textOf } from '../../../conversation/message.ts';
import { boundaryOf, firstBreach, keptFrom, named, type Law } from './law.ts';

/** Characters of a message that must be quoted: the middle of a long one may be left out. */
const quoted = 12;

/**
 * Of the messages that the last compaction keeps, the last user message is there. Instead an appended boundary or a marker
 * may quote it word for word, or name the kind of a message without text: "image".
 */
export const lastUserMessage: Law = {
  name: 'lastUserMessage',
  says: 'the last user message is kept',
  check: (trial) =>
    firstBreach(trial, ({ before, after, appended }) => {
      const kept = before.messages.slice(keptFrom(before.messages));
      const last = kept.findLast((message) => message.role === 'user' && boundaryOf(message) === undefined);
      if (last === undefined || after.messages.some(({ id }) => id === last.id)) return undefined;
      const said = last.content.map((block) => (block.type === 'text' ? words(block.text) : ''));
      const other = last.content.find((block) => block.type !== 'text')?.type;
      const text = said.find((each) => each !== '')?.slice(0, quoted) ?? other ?? '';
      const known = new Set(before.messages.map(({ id }) => id));
      const invented = [...appended, ...after.messages].filter(({ id }) => !known.has(id));
      const isQuoted = invented.some((message) =>
        words(boundaryOf(message)?.summary ?? textOf(message)).includes(text),
      );
      return isQuoted ? undefined : `${named(last)} is gone`;
    }),
};

function words(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim();
}
