// Options that make no sense are refused when a transformer is made, with what was expected and what was given.

import { expect, test } from 'vitest';
import { isTurnchartError } from '../../src/contracts/errors.ts';
import { autoCompact, budgetToolResults, defaultTransformers, snipHistory } from '../../src/transformers/index.ts';

const wrong = (value: unknown) => value as number; // what a caller without types can give

test.each([
  [() => autoCompact({ atTokens: Number.NaN }), 'The option "atTokens" must be a number of at least 1, got NaN.'],
  [() => autoCompact({ atTokens: 0 }), 'The option "atTokens" must be a number of at least 1, got 0.'],
  [() => autoCompact({ atTokens: -5 }), 'The option "atTokens" must be a number of at least 1, got -5.'],
  [() => autoCompact({ atTokens: wrong('1000') }), 'must be a number of at least 1, got a string of 4 characters.'],
  [() => autoCompact({ keepTokens: -1 }), 'The option "keepTokens" must be a number of at least 0, got -1.'],
  [
    () => autoCompact({ summarizer: wrong('gpt') as never }),
    'The option "summarizer" must be a model, got a string of 3 characters.',
  ],
  [() => autoCompact({ summarizer: wrong(null) as never }), 'The option "summarizer" must be a model, got null.'],
  [() => autoCompact({ instructions: wrong(7) as never }), 'The option "instructions" must be a string, got 7.'],
  [() => snipHistory({ highTokens: Number.NaN }), 'The option "highTokens" must be a number of at least 1, got NaN.'],
  [() => snipHistory({ lowTokens: -1 }), 'The option "lowTokens" must be a number of at least 0, got -1.'],
  [
    () => snipHistory({ highTokens: 10, lowTokens: 10 }),
    'The option "lowTokens" must be less than highTokens, 10, got 10.',
  ],
  [
    () => budgetToolResults({ perResultBytes: 0 }),
    'The option "perResultBytes" must be a number of at least 1, got 0.',
  ],
  [
    () => budgetToolResults({ totalBytes: Number.NaN }),
    'The option "totalBytes" must be a number of at least 1, got NaN.',
  ],
  [() => budgetToolResults({ keepRecent: -1 }), 'The option "keepRecent" must be a number of at least 0, got -1.'],
  [
    () => defaultTransformers({ contextTokens: 0 }),
    'The option "contextTokens" must be a number of at least 1, got 0.',
  ],
  [() => snipHistory({ high: 5 } as never), 'snipHistory has no option "high"; it has highTokens, lowTokens.'],
])('refused: %#', (make, message) => {
  const error = thrownBy(make);
  expect(isTurnchartError(error) && error.code).toBe('options.invalid');
  expect(String(error)).toContain(message);
});

test.each([
  ['nothing', () => defaultTransformers()],
  ['a context of one token', () => defaultTransformers({ contextTokens: 1 })],
  ['never', () => autoCompact({ atTokens: Infinity })],
  ['an undefined option', () => snipHistory({ ...{ highTokens: undefined as never } })],
])('accepted: %s', (_, make) => expect(make).not.toThrow());

function thrownBy(make: () => unknown): unknown {
  try {
    make();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}
