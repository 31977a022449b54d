// The operative against its reference model: outcome and fate of every message, order, events and state.

import fc from 'fast-check';
import { test } from 'vitest';
import { livesProperty } from './check-lives.ts';
import { outerCommands } from './life-commands.ts';
import { fates, outcomes, states, Tally } from './tally.ts';
import { expectNothingUnhandled } from './unhandled.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

expectNothingUnhandled();

test('every program of commands gives the operative the reference model predicts', { timeout }, async () => {
  const tally = new Tally();
  await fc.assert(livesProperty(outerCommands, tally), { numRuns: 1_200 * runs });
  const reached = tally.expectEach([
    ...outcomes.map((name) => `outcome ${name}`),
    ...fates.map((name) => `delivery ${name}`),
    ...states.map((name) => `state ${name}`),
    ...['true', 'false', 'operative.closed'].map((answer) => `compacted ${answer}`),
    'claimed while compacting',
  ]);
  console.log(`submits from outside: ${reached}`);
});
