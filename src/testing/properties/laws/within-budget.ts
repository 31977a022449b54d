// The law of size.

import type { Message } from '../../../conversation/message.ts';
import { atomicGroups } from '../../../conversation/groups.ts';
import { estimateTokens } from '../../../conversation/tokens.ts';
import { firstBreach, shown, type Law } from './law.ts';

/** What markers and notices may add. */
const allowance = 64;

/**
 * A view is not longer than what went in, and one that declares `dropsGroups` fits into `contextTokens`, unless no
 * more than the first and last user messages, the last group and task lists is left.
 */
export const withinBudget: Law = {
  name: 'withinBudget',
  says: 'the model sees no more than before, and where groups are dropped no more than fits',
  check: (trial) =>
    firstBreach(trial, ({ stage, before, after, appended }) => {
      const size = estimateTokens(shown(after.messages));
      const summaries = estimateTokens(before.messages) - estimateTokens(shown(before.messages));
      const most = estimateTokens(shown(before.messages)) + summaries + estimateTokens(appended) + allowance;
      if (size > most && !trial.alters.has('rewritesText')) return `${size} tokens, more than the ${most} that went in`;
      if (stage !== 'beforeIteration' || !trial.alters.has('dropsGroups') || size <= trial.contextTokens)
        return undefined;
      const known = new Set(before.messages.map(({ id }) => id));
      const least = leastOf(
        after.messages.filter(({ id }) => known.has(id)),
        estimateTokens(after.messages.filter(({ id }) => !known.has(id))),
      );
      return size <= least ? undefined : `${size} tokens, where ${trial.contextTokens} fit and ${least} have to stay`;
    }),
};

// Of the messages that stayed and the tokens of markers and summaries.
function leastOf(messages: readonly Message[], invented: number): number {
  const groups = atomicGroups(messages).map(({ start, end }) => messages.slice(start, end));
  const isUser = (group: readonly Message[]) => group[0]?.role === 'user';
  const listsTasks = (group: readonly Message[]) =>
    group.some(({ content }) => content.some((block) => block.type === 'toolCall' && block.name === 'TodoWrite'));
  const staying = new Set([
    groups.find(isUser),
    groups.findLast(isUser),
    groups.slice(0, -1).findLast(isUser),
    groups.findLast(listsTasks),
    groups.slice(0, -1).findLast(listsTasks),
    groups.at(-1),
  ]);
  return [...staying].reduce((sum, group) => sum + estimateTokens(group ?? []), invented + allowance);
}
