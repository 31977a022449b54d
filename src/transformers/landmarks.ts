// The groups before a cut that still matter: they stay, or are quoted if they are too long. Called by planCut.

import type { MessageGroup } from '../conversation/groups.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { boundedText } from '../tools/bounded-text.ts';
import { quoteMark } from './summary-request.ts';
import { isSaidByUser, isSteer, wordsIn } from './words.ts';

/** A tool whose last call is the list of what is left to do. */
const taskListTool = 'TodoWrite';

/** What was found among the oldest groups. One group can be several of these. */
interface Landmarks {
  /** The first user message. */
  first?: MessageGroup;
  /** The last request: a user message that was not steered into a running turn. */
  request?: MessageGroup;
  /** The last user message. */
  last?: MessageGroup;
  /** The last task list that may stay. */
  tasks?: MessageGroup;
}

/**
 * Returns a function to be called with one group after the other, from the oldest on. It gives the landmarks up to and
 * including that group, each group once; undefined if the group changes nothing.
 */
export function findLandmarks(
  messages: readonly Message[],
  mayStay: (group: MessageGroup) => boolean,
): (group: MessageGroup) => readonly MessageGroup[] | undefined {
  const found: Landmarks = {};
  let unframed: MessageGroup | undefined; // the last user message without a frame
  let isFraming = false; // if steers are marked by a frame, a message without one is a request
  return (group) => {
    const parts = messages.slice(group.start, group.end);
    if (parts.some(isSaidByUser)) {
      found.first ??= group;
      found.last = group;
      const isFramed = parts.some((message) => measureOf(message).isFramed);
      isFraming ||= isFramed;
      if (!isFramed) unframed = group;
      if (unframed && (isFraming || !isSteer(messages, group.start))) found.request = unframed;
    } else if (parts.some((message) => measureOf(message).calls.includes(taskListTool)) && mayStay(group)) {
      found.tasks = group;
    } else {
      return undefined;
    }
    return [...new Set(Object.values(found))];
  };
}

/** What a group says, in at most `mostBytes`; of a summary also the request that it ends with. */
export function quotesOf(messages: readonly Message[], mostBytes: number): readonly string[] {
  const parts = messages.map(wordsIn).join(' ').split(quoteMark);
  return parts.map((part) => boundedText(part, Math.max(200, mostBytes / parts.length)).replace(/\s+/g, ' '));
}
