// What the provider counted for a request corrects the estimates of the conversation it belongs to.

import { expect, test } from 'vitest';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { autoCompact } from '../../src/transformers/auto-compact.ts';
import { playTurn, toolOf } from '../runtime/turn-bench.ts';

const look = toolOf('look');
const probe = userMessage('word '.repeat(400), { id: 'probe' });

/** Says at each iteration what the same message and what comes with every request are estimated at. */
function estimating(into: { readonly message: number; readonly overhead: number }[]): Transformer {
  return {
    name: 'estimating',
    beforeIteration: (_, { estimateTokens, overheadTokens = 0 }) =>
      void into.push({ message: estimateTokens(probe), overhead: overheadTokens }),
  };
}

const longTalk = () => createConversation({ messages: [userMessage('word '.repeat(4_000), { id: 'u1' })] });
const asks = (inputTokens: number) => ({ calls: [{ name: 'look' }], usage: { inputTokens, outputTokens: 1 } });

// The request of `longTalk` is estimated at about 5,000 tokens.
test.each([
  ['twice', 2, 10_500],
  ['half', 0.5, 2_400],
])('estimates are %s as high once the provider has counted so', async (_, ratio, inputTokens) => {
  const seen: { readonly message: number; readonly overhead: number }[] = [];
  const conversation = longTalk();
  await playTurn({
    conversation,
    tools: [look],
    transformers: [estimating(seen)],
    script: [asks(inputTokens), { text: 'done' }],
  });
  const [first, second] = seen;
  expect(second?.message).toBe(Math.ceil((first?.message ?? 0) * ratio));
  expect(second?.overhead).toBe(Math.ceil((first?.overhead ?? 0) * ratio));
});

test('they are so in the next turn of that conversation, and not in another conversation', async () => {
  const seen: { readonly message: number; readonly overhead: number }[] = [];
  const transformers = [estimating(seen)];
  const conversation = longTalk();
  const usage = { inputTokens: 10_500, outputTokens: 1 };
  await playTurn({ conversation, transformers, script: [{ text: 'one', usage }] });
  conversation.messages.push(userMessage('more', { id: 'u2' }));
  await playTurn({ conversation, transformers, script: [{ text: 'two' }] });
  await playTurn({ conversation: longTalk(), transformers, script: [{ text: 'one' }] });
  const [before = 0, after, elsewhere] = seen.map(({ message }) => message);
  expect([after, elsewhere]).toEqual([2 * before, before]);
});

// Without calibration both would be compacted at the same place: the estimate alone is far from the limit.
test.each([
  ['compacted once the provider says that it is twice as long as estimated', 10_500, 1],
  ['left alone while the provider confirms the estimate', 5_000, 0],
])('a history is %s', async (_, inputTokens, boundaries) => {
  const conversation = createConversation({
    messages: Array.from({ length: 10 }, (_none, index) => userMessage('word '.repeat(400), { id: `u${index}` })),
  });
  const summary = boundaries === 0 ? [] : [{ text: 'in short' }];
  const turn = await playTurn({
    conversation,
    tools: [look],
    transformers: [autoCompact({ atTokens: 8_000, keepTokens: 2_000 })],
    script: [asks(inputTokens), ...summary, { text: 'done' }],
  });
  const added = turn.conversation.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'boundary'));
  expect(added).toHaveLength(boundaries);
});
