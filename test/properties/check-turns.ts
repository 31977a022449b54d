// The bare turn's property: any program of commands gives what the reference model predicts.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { userMessage } from '../../src/conversation/message.ts';
import { arbitrarySetups } from './arbitrary-moves.ts';
import { ReferenceRun } from './reference-run.ts';
import { Histories } from './side-by-side.ts';
import type { Tally } from './tally.ts';
import { RealTurn, turnCommands } from './turn-commands.ts';

/** A property that fails where the turn does not do what the reference says; what is reached is counted. */
export function turnsProperty(tally: Tally) {
  const programs = fc.commands(turnCommands, { maxCommands: 20, size: '+1' });
  return fc.asyncProperty(arbitrarySetups, programs, async (setup, program) => {
    const real = new RealTurn(setup);
    await fc.asyncModelRun(() => ({ model: new Histories(() => new ReferenceRun(setup, ['u:first'])), real }), program);
    await finish(real);
    count(tally, real);
  });
}

// However far the program came: cancel ends the turn within its grace time, nothing is left behind, what comes late
// changes nothing, and the conversation can be used again.
async function finish(real: RealTurn): Promise<void> {
  const { conversation, world } = real;
  if (real.end === undefined) {
    void real.run.cancel({ graceMs: 50 });
    await world.host.advance(50);
  }
  assert.ok(real.end !== undefined, 'cancel ends the turn within its grace time');
  assert.equal(world.host.pendingTimers(), 0);
  const before = conversation.messages.length;
  for (const gate of ['tool', 'transformer', 'approval'] as const) {
    for (let open = 0; open < 8; open++) world.release(gate, 0, 'other');
  }
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  assert.equal(conversation.messages.length, before);
  conversation.messages.push(userMessage('again'));
  const next = world.engine.run(conversation);
  assert.equal((await next.cancel()).reason, 'aborted');
  await world.host.settle();
}

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
