// The operative against its reference model, commands coming from inside listeners of every event and from user code.

import fc from 'fast-check';
import { test } from 'vitest';
import { livesProperty } from './check-lives.ts';
import { eventPlaces, lifeCommands } from './life-commands.ts';
import { fates, outcomes, states, Tally } from './tally.ts';
import { expectNothingUnhandled } from './unhandled.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

expectNothingUnhandled();

test(
  'commands from inside listeners, tools, transformers, approvals, models, reloads, frames and engine functions have the answers the reference model predicts',
  {
    timeout,
  },
  async () => {
    const tally = new Tally();
    await fc.assert(livesProperty(lifeCommands, tally), { numRuns: 1_200 * runs });
    const reached = tally.expectEach([
      ...outcomes.map((name) => `outcome ${name}`),
      ...fates.map((name) => `delivery ${name}`),
      ...eventPlaces,
      ...states.map((name) => `state ${name}`),
      ...['true', 'false', 'operative.closed'].map((answer) => `compacted ${answer}`),
      'claimed while compacting',
    ]);
    console.log(`submits also from inside: ${reached}`);
  },
);
