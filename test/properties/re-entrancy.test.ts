// Calls from inside user code that property tests found to go wrong: each has its defined answer, and nothing follows the end.

import { expect, test, vi } from 'vitest';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createOperative } from '../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { GatedWorld, shapeOf } from './gated-world.ts';
import { plain, type TurnSetup } from './world-terms.ts';

function start(setup: Partial<TurnSetup> = {}) {
  const world = new GatedWorld({ ...plain, ...setup });
  const conversation = createConversation();
  const operative = createOperative({ engine: world.engine, conversation });
  const events: OperativeEvent[] = [];
  operative.subscribe((event) => events.push(event));
  return { world, operative, events, conversation };
}

for (const type of [
  'turn.started',
  'message.start',
  'text.delta',
  'text.end',
  'message.end',
  'message.appended',
  'assistant.settled',
  'toolCall.started',
  'toolCall.settled',
  'toolResults.settled',
  'stream.retrying',
  'stream.reset',
  'transcript.replaced',
  'transformer.applied',
  'transformer.failed',
  'message.injected',
] as const) {
  test(`a cancel and a submit from a listener of ${type}: the grammar holds, and the message is answered by its own turn or reported as queued`, async () => {
    const { world, operative, events, conversation } = start({
      retries: 1,
      stages: { ...plain.stages, afterIteration: ['gated', 'throws'] },
    });
    let hasHeard = false;
    let isFirst = true;
    operative.subscribe((event) => {
      // Not the user's own message, with which a turn begins.
      if (event.type === 'message.appended' && isFirst) isFirst = false;
      else if (event.type === type && !hasHeard) {
        hasHeard = true;
        void operative.cancel({ graceMs: 0 });
        void operative.submit(userMessage('next', { id: 'next' }));
      }
    });
    void operative.submit(userMessage('hi', { id: 'hi' }));
    await world.host.settle();
    void operative.submit(userMessage('more', { id: 'more' }));
    world.say();
    world.fail('lost');
    await world.host.advance(1_000);
    world.say();
    world.answer({ text: true, calls: ['quick', 'slow'], stop: 'natural' });
    await world.host.settle();
    world.release('transformer', 0, 'other');
    await world.host.settle();
    world.release('tool', 0, 'ok');
    await world.host.settle();
    world.answer({ text: true, calls: [], stop: 'natural' });
    await world.host.settle();
    world.release('transformer', 0, 'ok');
    await world.host.advance(1_000);
    await operative.close();
    expect(hasHeard).toBe(true);
    verifyEvents(events);
    verifyTranscript(conversation);
    expect(conversation.messages.filter(({ id }) => id === 'next')).toHaveLength(1);
    expect(world.faults).toEqual([]);
  });
}

test('a turn cancelled by a listener of the appended answer has answered its messages and not those of the next turn', async () => {
  const { world, operative, events, conversation } = start();
  operative.subscribe((event) => {
    if (event.type !== 'message.appended' || event.message.role !== 'assistant') return;
    void operative.cancel();
    void operative
      .submit(userMessage('next', { id: 'next' }))
      .then(({ delivery }) => delivery.then(({ status }) => fates.push(`next ${status}`)));
  });
  const fates: string[] = [];
  const { delivery } = await operative.submit(userMessage('hi', { id: 'hi' }));
  void delivery.then(({ status }) => fates.push(`hi ${status}`));
  world.answer({ text: true, calls: ['slow'], stop: 'natural' });
  await world.host.settle();
  expect(conversation.messages.map(shapeOf)).toEqual(['u:hi', 'a:1[slow]', 't:notStarted', 'u:next']);
  expect(fates).toEqual(['hi answered']);
  verifyEvents(events, { complete: false });
  await operative.close();
  await world.host.settle();
  expect(fates).toEqual(['hi answered', 'next unanswered']);
});

test('every listener hears the same order, also of what the first of them causes', async () => {
  const world = new GatedWorld(plain);
  const operative = createOperative({ engine: world.engine });
  const heard: string[][] = [[], []];
  operative.subscribe((event) => {
    heard[0]?.push(event.type);
    if (event.type === 'message.start') void operative.submit('later', { policy: 'queue' });
    if (event.type === 'text.delta') void operative.cancel();
  });
  operative.subscribe((event) => heard[1]?.push(event.type));
  await operative.submit('hi');
  world.say();
  await world.host.settle();
  await operative.close();
  expect(heard[0]).toContain('turn.completed');
  expect(heard[1]).toEqual(heard[0]);
});

test('a transformer that cancels its own turn changes nothing any more, not even on a conversation that is used again', async () => {
  const world = new GatedWorld({
    ...plain,
    stages: { ...plain.stages, beforeTurn: ['gated', 'rewrites', 'rewrites'] },
  });
  const conversation = createConversation({ messages: [userMessage('hi', { id: 'hi' })] });
  const run = world.engine.run(conversation);
  let called = 0;
  world.onHit = () => {
    called++;
    void run.cancel();
    conversation.messages.push(userMessage('by hand', { id: 'by hand' }));
  };
  const { messages } = conversation;
  const before = messages[0];
  world.release('transformer', 0, 'ok');
  expect((await run.result).reason).toBe('aborted');
  expect(called).toBe(1);
  expect(conversation.messages.map(shapeOf)).toEqual(['u:hi', 'u:by hand']);
  expect(conversation.messages[0]).toBe(before);
});

test('an approval that cancels its own turn is not announced as pending', async () => {
  const { world, operative, events } = start({ approve: 'gated' });
  let asked = 0;
  world.onHit = (place) => {
    if (place === 'approval' && ++asked === 2) void operative.cancel();
  };
  await operative.submit('hi');
  world.answer({ text: false, calls: ['quick', 'alone'], stop: 'natural' });
  await world.host.settle();
  world.release('approval', 0, 'ok');
  await world.host.advance(1_000);
  world.release('approval', 0, 'throws');
  await world.host.settle();
  verifyEvents(events);
  expect(events.filter(({ type }) => type === 'toolCall.awaitingApproval')).toHaveLength(1);
  expect(operative.conversation.messages.map(shapeOf).at(-1)).toBe('t:completed,notStarted');
});

test('a tool cancelled by a listener of its start is not run', async () => {
  const { world, operative, events } = start();
  let ran = 0;
  world.onHit = (place) => void (place === 'tool' && ran++);
  operative.subscribe((event) => {
    if (event.type === 'toolCall.started' && event.call.name === 'alone') void operative.cancel({ graceMs: 0 });
  });
  await operative.submit('hi');
  world.answer({ text: false, calls: ['slow', 'alone'], stop: 'natural' });
  await world.host.settle();
  world.release('tool', 0, 'ok');
  await world.host.advance(1_000);
  expect(ran).toBe(1);
  verifyEvents(events);
  expect(operative.conversation.messages.map(shapeOf).at(-1)).toBe('t:completed,interrupted');
});

test('preempt and close from the listener of a turn that has begun are silent: nothing is sent to an actor that has ended', async () => {
  using warned = vi.spyOn(console, 'warn');
  const { operative, events } = start();
  operative.subscribe((event) => {
    if (event.type !== 'turn.started' || events.length > 1) return;
    void operative.submit('now', { policy: 'preempt' });
    void operative.close();
  });
  void operative.submit('hi');
  await operative.close();
  expect(operative.state).toBe('closed');
  expect(warned).not.toHaveBeenCalled();
  verifyEvents(events);
});
