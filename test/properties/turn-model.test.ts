// The bare turn against its reference model: whatever happens at whatever microtask, they tell the same story.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userMessage } from '../../src/conversation/message.ts';
import { arbitrarySetups } from './arbitrary-moves.ts';
import { ReferenceRun } from './reference-run.ts';
import { Histories } from './side-by-side.ts';
import { RealTurn, turnCommands } from './turn-commands.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

// However far the program came: cancel ends the turn within its grace time, nothing is left behind, and the
// conversation can be used again.
async function finish(real: RealTurn): Promise<void> {
  if (real.end === undefined) {
    void real.run.cancel({ graceMs: 50 });
    await real.world.host.advance(50);
  }
  expect(real.end).toBeDefined();
  expect(real.world.host.pendingTimers()).toBe(0);
  const before = real.conversation.messages.length;
  for (const gate of ['tool', 'transformer', 'approval'] as const) {
    for (let open = 0; open < 8; open++) real.world.release(gate, 0, 'other');
  }
  real.world.answer({ text: true, calls: [], stop: 'natural' });
  await real.world.host.settle();
  expect(real.conversation.messages).toHaveLength(before);
  real.conversation.messages.push(userMessage('again'));
  const next = real.world.engine.run(real.conversation);
  await next.cancel();
  await real.world.host.settle();
  expect(unhandled).toEqual([]);
}

test('every program of commands gives the turn the reference model predicts', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitrarySetups,
      fc.commands(turnCommands, { maxCommands: 16, size: '+1' }),
      async (setup, commands) => {
        const real = new RealTurn(setup);
        await fc.asyncModelRun(
          () => ({ model: new Histories(() => new ReferenceRun(setup, ['u:first'])), real }),
          commands,
        );
        await finish(real);
      },
    ),
    { numRuns: 1_000 * runs },
  );
});
