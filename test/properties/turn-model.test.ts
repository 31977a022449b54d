// The bare turn against its reference model: whatever happens at whatever microtask, they tell the same story.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { userMessage } from '../../src/conversation/message.ts';
import { arbitrarySetups } from './arbitrary-moves.ts';
import { ReferenceRun } from './reference-run.ts';
import { Histories } from './side-by-side.ts';
import { Tally } from './tally.ts';
import { RealTurn, turnCommands } from './turn-commands.ts';
import { expectNothingUnhandled } from './unhandled.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs. */
const timeout = 60_000 * Math.max(1, runs);

expectNothingUnhandled();

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
}

test('every program of commands gives the turn the reference model predicts', { timeout }, async () => {
  const tally = new Tally();
  await fc.assert(
    fc.asyncProperty(
      arbitrarySetups,
      fc.commands(turnCommands, { maxCommands: 20, size: '+1' }),
      async (setup, commands) => {
        const real = new RealTurn(setup);
        await fc.asyncModelRun(
          () => ({ model: new Histories(() => new ReferenceRun(setup, ['u:first'])), real }),
          commands,
        );
        await finish(real);
        count(tally, real);
      },
    ),
    { numRuns: 1_000 * runs },
  );
  const reasons = ['completed', 'maxIterations', 'maxTokens', 'refused', 'contextOverflow', 'aborted', 'failed'];
  const statuses = [
    ...['completed', 'failed', 'invalidArguments', 'unknownTool', 'truncated', 'denied', 'interrupted', 'notStarted'],
  ];
  const reached = tally.expectEach([
    ...reasons.map((name) => `reason ${name}`),
    ...statuses.map((name) => `status ${name}`),
    ...['accepted', 'sealed', 'injected', 'undrained', 'retried', 'reset'].map((name) => `steer or retry ${name}`),
  ]);
  console.log(`bare turns: ${reached}`);
});

function count(tally: Tally, real: RealTurn): void {
  tally.count(`reason ${real.end?.reason}`);
  for (const answer of real.answers) tally.count(`steer or retry ${answer.split(' ')[1]}`);
  for (const event of real.events) {
    if (event.type === 'message.injected') tally.count('steer or retry injected');
    if (event.type === 'stream.retrying') tally.count('steer or retry retried');
    if (event.type === 'stream.reset') tally.count('steer or retry reset');
    if (event.type === 'toolCall.settled') tally.count(`status ${event.result.status}`);
    if (event.type === 'turn.completed' && event.undrained !== undefined) tally.count('steer or retry undrained');
  }
}
