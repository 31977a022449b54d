import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError, TurnchartError } from '../../src/contracts/errors.ts';
import { backoff, nextTry, type RetryState } from '../../src/services/retry.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';

const runs = 100 * Number(process.env['TURNCHART_RUNS'] ?? 1);
const retry = { attempts: 2, baseDelayMs: 100, maxDelayMs: 1000, maxRetryAfterMs: 5000 };
const models = [scriptedModel([]), scriptedModel([])] as const;
const hostWith = (chance: number) => ({ ...simulatedHost(), random: () => chance });
const stateAt = (modelIndex: number, attempt: number): RetryState => ({
  settings: { models, retry, host: hostWith(0) },
  modelIndex,
  attempt,
});
const failed = (retryable: boolean, retryAfterMs?: number) =>
  new ModelError('model.overloaded', 'busy', { retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

describe('nextTry', () => {
  test('counts retries on one model', () => {
    expect(nextTry(stateAt(0, 0), failed(true))).toEqual({ modelIndex: 0, attempt: 1, delayMs: 50 });
    expect(nextTry(stateAt(0, 1), failed(true))).toEqual({ modelIndex: 0, attempt: 2, delayMs: 100 });
  });

  test('moves on to the next model without a wait when the retries are used up', () => {
    expect(nextTry(stateAt(0, 2), failed(true))).toEqual({ modelIndex: 1, attempt: 0, delayMs: 0 });
  });

  test('moves on at once where a retry makes no sense, or has to wait for too long', () => {
    const next = { modelIndex: 1, attempt: 0, delayMs: 0 };
    expect(nextTry(stateAt(0, 0), failed(false))).toEqual(next);
    expect(nextTry(stateAt(0, 0), new TurnchartError('model.failed', 'no ModelError'))).toEqual(next);
    expect(nextTry(stateAt(0, 0), failed(true, 5001))).toEqual(next);
    expect(nextTry(stateAt(0, 0), failed(true, Number.NaN))).toEqual(next);
  });

  test('is undefined when the last model gave up', () => {
    expect(nextTry(stateAt(1, 2), failed(true))).toBeUndefined();
    expect(nextTry(stateAt(1, 0), failed(false))).toBeUndefined();
  });

  test.each([5000, 51, 49, 1])('waits the %d ms the server wants, longer or shorter than the backoff', (wish) => {
    expect(nextTry(stateAt(0, 0), failed(true, wish))?.delayMs).toBe(wish);
  });

  test.each([0, -10])('waits for the backoff where a server says %d', (wish) => {
    expect(nextTry(stateAt(0, 0), failed(true, wish))?.delayMs).toBe(50);
  });
});

describe('backoff', () => {
  test('lies between half and all of the doubled base, at most the maximum', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), chance, (attempt, random) => {
        const full = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (attempt - 1));
        const delay = backoff(attempt, retry, hostWith(random));
        expect(delay).toBeGreaterThanOrEqual(full / 2);
        expect(delay).toBeLessThanOrEqual(full);
      }),
      { numRuns: runs },
    );
  });

  test('is 0 with a base of 0', () => {
    expect(backoff(5, { ...retry, baseDelayMs: 0 }, hostWith(0.5))).toBe(0);
  });
});
