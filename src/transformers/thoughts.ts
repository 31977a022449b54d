// What becomes of thinking behind a place that was changed. Called by every transformer that changes what stands before
// some of it; the rule is in docs/decisions.

import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { oncePer } from '../conversation/once-per.ts';
import { isSaidByUser } from './words.ts';

/**
 * Providers take signed thinking back only behind what stood before it when it was thought. Answers that are over lose
 * theirs where `isStale` says that this has changed since, and so do the later ones of the same turn, which have seen it.
 * The answer under way, behind the last thing the user said that came without results, keeps its thinking to the byte.
 */
export function withoutStaleThoughts(
  messages: readonly Message[],
  isStale: (index: number) => boolean,
): readonly Message[] {
  let over = -1;
  let isBehindResults = false; // what the user says there goes to the provider with the results
  const isStart = messages.map((message, index) => {
    const { role } = measureOf(message);
    if (role !== 'user') isBehindResults = role === 'tool';
    else if (!isBehindResults && isSaidByUser(message)) over = index;
    return over === index;
  });
  let isLosing = false;
  return messages.map((message, index) => {
    if (index >= over || isStart[index]) isLosing = false;
    else if (measureOf(message).isBound) isLosing ||= isStale(index);
    return isLosing && measureOf(message).isBound ? thoughtless(message) : message;
  });
}

// One object for each message: what is known of it stays known.
const thoughtless = /* @__PURE__ */ oncePer((message: Message): Message => ({
  ...message,
  content: message.content.filter(({ type }) => type !== 'thinking'),
}));
