// The law that views do not grow and fit the model.

import type { Message } from '../../../conversation/message.ts';
import { atomicGroups } from '../../../conversation/groups.ts';
import { tokensOf } from '../../../conversation/tally.ts';
import { boundaryOf, firstBreach, shown, type Law } from './law.ts';

/** Tokens that markers and notices may add. */
const allowance = 64;

/**
 * A view is not longer than its input, and with `dropsGroups` it fits into `contextTokens`. If the last group and the last
 * user message alone are too large, the rest may take three quarters of that.
 */
export const withinBudget: Law = {
  name: 'withinBudget',
  says: 'a view is not longer than its input, and fits the model if groups are dropped',
  check: (trial) =>
    firstBreach(trial, ({ stage, before, after, appended }) => {
      const size = tokensOf(shown(after.messages));
      const summaries = tokensOf(before.messages) - tokensOf(shown(before.messages));
      const most = tokensOf(shown(before.messages)) + summaries + tokensOf(appended) + allowance;
      if (size > most && !trial.alters.has('rewritesText')) return `${size} tokens, more than the ${most} that went in`;
      if (stage !== 'beforeIteration' || !trial.alters.has('dropsGroups') || size <= trial.contextTokens)
        return undefined;
      const known = new Set(before.messages.map(({ id }) => id));
      const kept = after.messages.filter(({ id }) => known.has(id));
      const least =
        leastOf(kept) +
        trial.contextTokens * 0.75 +
        tokensOf(after.messages.filter((message) => !kept.includes(message)));
      return size <= least ? undefined : `${size} tokens, where ${trial.contextTokens} fit`;
    }),
};

// What cannot be dropped.
function leastOf(messages: readonly Message[]): number {
  const groups = atomicGroups(messages).map(({ start, end }) => messages.slice(start, end));
  const last = groups.findLast(([message]) => message?.role === 'user' && boundaryOf(message) === undefined);
  return [...new Set([last, groups.at(-1)])].reduce((sum, group) => sum + tokensOf(group ?? []), allowance);
}
