// The operative's property: any program of commands gives what the reference model predicts. Called by the test files the
// runs are split over.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { arbitraryLives, RealLife, type lifeCommands } from './life-commands.ts';
import { ReferenceOperative } from './reference-operative.ts';
import { Histories } from './side-by-side.ts';
import type { Tally } from './tally.ts';

/** A property that fails where the operative does not do what the reference says; what is reached is counted. */
export function livesProperty(commands: typeof lifeCommands, tally: Tally) {
  return fc.asyncProperty(
    arbitraryLives,
    fc.commands(commands, { maxCommands: 16, size: '+1' }),
    async (life, program) => {
      const real = new RealLife(life);
      await fc.asyncModelRun(() => ({ model: new Histories(() => new ReferenceOperative(life)), real }), program);
      await finish(real);
      for (const { outcome, delivery } of real.calls) {
        tally.count(`outcome ${outcome?.startsWith('rejected') === true ? outcome : outcome?.split(' ')[0]}`);
        tally.count(`delivery ${delivery?.split(' ')[0]}`);
      }
      for (const answer of real.compactions) tally.count(`compacted ${answer}`);
      if (real.claimed > 0) tally.count('claimed while compacting');
      for (const text of real.heard) {
        tally.count(text.split(' ')[0] ?? text);
        tally.count(`state ${text.split('@')[1]}`);
      }
    },
  );
}

// However far the program came: after close everything has its answer, and nothing is left running.
async function finish(real: RealLife): Promise<void> {
  real.act({ do: 'close' });
  await real.advance(1_000);
  await real.look();
  assert.equal(real.operative.state, 'closed');
  for (const call of real.calls) {
    assert.ok(call.outcome !== undefined && call.delivery !== undefined, `${call.id} has an outcome and a fate`);
    assert.equal(call.events?.at(-1), 'end', `the events of ${call.id} end`);
  }
  assert.equal(real.world.host.pendingTimers(), 0);
  assert.equal(real.world.liveCalls(), 0);
}
