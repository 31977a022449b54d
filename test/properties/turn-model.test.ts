// The bare turn against its reference model: whatever happens at whatever microtask, they tell the same story.

import fc from 'fast-check';
import { test } from 'vitest';
import { turnsProperty } from './check-turns.ts';
import { Tally } from './tally.ts';
import { expectNothingUnhandled } from './unhandled.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

expectNothingUnhandled();

const reasons = ['completed', 'maxIterations', 'maxTokens', 'refused', 'contextOverflow', 'aborted', 'failed'];
const statuses = [
  ...['completed', 'failed', 'invalidArguments', 'unknownTool', 'truncated', 'denied', 'interrupted', 'notStarted'],
];

test('every program of commands gives the turn the reference model predicts', { timeout }, async () => {
  const tally = new Tally();
  await fc.assert(turnsProperty(tally), { numRuns: 1_000 * runs });
  const reached = tally.expectEach([
    ...reasons.map((name) => `reason ${name}`),
    ...statuses.map((name) => `status ${name}`),
    ...['accepted', 'sealed', 'injected', 'undrained', 'retried', 'reset'].map((name) => `steer or retry ${name}`),
  ]);
  console.log(`bare turns: ${reached}`);
});
