// The law that views keep a stable prefix, which providers cache.

import { atomicGroups } from '../../../conversation/groups.ts';
import type { Message } from '../../../conversation/message.ts';
import { isSameJson } from '../../../conversation/same-json.ts';
import { tokensOf } from '../../../conversation/tally.ts';
import { boundaryOf, named, shown, withoutThoughts, type Law } from './law.ts';

/**
 * As a conversation grows, a view begins with the previous view, so that providers can reuse their cache. A change of the
 * prefix must make the view shorter or append a boundary.
 */
export const prefixStable: Law = {
  name: 'prefixStable',
  says: 'as the conversation grows, a view begins with the previous one, unless a change saves tokens',
  async check(trial) {
    if (!trial.stages.includes('beforeIteration')) return undefined;
    const { system, messages } = trial.conversation;
    const transcript: Message[] = [];
    const growing = { system, messages: transcript };
    let seen: readonly Message[] = [];
    for (const { start, end } of atomicGroups(messages)) {
      const group = messages.slice(start, end);
      transcript.push(...group);
      const { after, appended } = await trial.run('beforeIteration', growing);
      transcript.push(...appended);
      const now = shown(after.messages);
      const isCompacted = appended.length > 0 || group.some(boundaryOf);
      const changed = isCompacted ? undefined : seen.find((message, index) => !isSame(message, now[index]));
      if (changed !== undefined && tokensOf(now) >= tokensOf(seen) + tokensOf(group)) {
        return `beforeIteration: ${named(changed)} was in the previous view and is no longer in its place, and no tokens are saved`;
      }
      seen = now;
    }
    return undefined;
  },
};

// Thinking may be dropped once a user message follows the answer.
function isSame(message: Message, other: Message | undefined): boolean {
  return message === other || isSameJson(message, other) || isSameJson(withoutThoughts(message), other);
}
