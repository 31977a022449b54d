// Removes thinking that a change before it made invalid. Called by every transformer that changes earlier messages; the
// rule is decision 15 in docs/decisions.

import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';
import { isSaidByUser } from './words.ts';

/**
 * Providers accept signed thinking only if everything before it is unchanged. Finished answers lose theirs if `isStale`
 * says that something has changed, and so do the later answers of the same turn, which were given after it. The current
 * answer, after the last user message that is not sent together with results, keeps its thinking to the byte.
 */
export function withoutStaleThoughts(
  messages: readonly Message[],
  isStale: (index: number) => boolean,
): readonly Message[] {
  let current = -1; // where the current answer begins, or each earlier one while it is read
  let isAfterResults = false; // a user message there is sent to the provider with the results
  const isStart = messages.map((message, index) => {
    const { role } = measureOf(message);
    if (role !== 'user') isAfterResults = role === 'tool';
    else if (!isAfterResults && isSaidByUser(message)) current = index;
    return current === index;
  });
  let isLosing = false;
  return messages.map((message, index) => {
    if (index >= current || isStart[index]) isLosing = false;
    else if (measureOf(message).isBound) isLosing ||= isStale(index);
    return isLosing && measureOf(message).isBound ? thoughtless(message) : message;
  });
}

// One object for each message, so that what is cached for it stays valid.
const thoughtless = /* @__PURE__ */ oncePer((message: Message): Message => ({
  ...message,
  content: message.content.filter(({ type }) => type !== 'thinking'),
}));
