// All laws for the four transformers of the default stack, each alone and in every order.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { isSameJson } from '../../src/conversation/same-json.ts';
import { checkTransformer, conversations, Trial } from '../../src/testing/properties/index.ts';
import {
  autoCompact,
  budgetToolResults,
  defaultTransformers,
  snipHistory,
  windowHistory,
} from '../../src/transformers/index.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);

/** A bound for hangs on a loaded machine. */
const timeout = 300_000 * runs;

const four = { windowHistory, budgetToolResults, snipHistory, autoCompact };

/** Shorter ones, for there are 24 orders. */
const small = conversations({ maxMessages: 12, maxRepeats: 300 });

describe('every law holds', () => {
  test.each(Object.entries(four))(
    'for %s',
    async (_, make) => {
      await expect(checkTransformer(make(), { runs: 2000 * runs })).resolves.toBeUndefined();
    },
    timeout,
  );

  test.each(ordersOf(Object.values(four).map((make) => make())).map((order) => [namesOf(order), order] as const))(
    'in the order %s',
    async (_, order) => {
      await expect(checkTransformer(order, { runs: 200 * runs, conversations: small })).resolves.toBeUndefined();
    },
    timeout,
  );

  test(
    'for the default stack in a small context',
    async () => {
      await expect(
        checkTransformer(defaultTransformers(), { runs: 300 * runs, contextTokens: 400 }),
      ).resolves.toBeUndefined();
    },
    timeout,
  );
});

test.each([...Object.values(four), defaultTransformers].map((make) => [make.name, make] as const))(
  'the conversations give %s something to do',
  async (_, make) => {
    const all = fc.sample(conversations({ maxRepeats: 300 }), { numRuns: 100, seed: 1 });
    let changed = 0;
    for (const conversation of all) {
      const transformers = [make()].flat();
      const { after } = await new Trial(transformers, conversation, 1000).run('beforeIteration', conversation);
      if (!isSameJson(after, conversation)) changed++;
    }
    expect(changed).toBeGreaterThan(40);
  },
);

function namesOf(transformers: readonly Transformer[]): string {
  return transformers.map(({ name }) => name).join(', ');
}

function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) => ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}
