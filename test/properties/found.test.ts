// Counterexamples of the property tests that were bugs, by name, so that each stays found without luck.

import { expect, test } from 'vitest';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Operative } from '../../src/contracts/operative.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createEngine, createOperative } from '../../src/index.ts';
import { verifyEvents } from '../../src/testing/index.ts';
import { GatedWorld, logOf, shapeOf } from './gated-world.ts';
import { plain } from './world-terms.ts';

const m = (id: string) => userMessage(id, { id });

test('a steer that a reload brought, in a turn that is cancelled before it drains it, is reported as queued', async () => {
  const world = new GatedWorld({ ...plain, stages: { ...plain.stages, beforeTurn: ['gated'] } });
  const operative = createOperative({
    engine: world.engine,
    reloadBeforeStart: () => world.gate('reload', () => createConversation({ messages: [m('m2')] })),
  });
  const events: OperativeEvent[] = [];
  operative.subscribe((event) => events.push(event));
  await operative.submit(m('m1'));
  const second = await operative.submit(m('m2'));
  world.release('reload', 0, 'ok');
  await world.host.settle();
  await operative.cancel();
  expect(await second.delivery).toEqual({ status: 'queued' });
  expect(events.flatMap((event) => logOf(event) ?? [])).toEqual([
    'turn.started',
    'turn.reloaded 1',
    'message.appended u:m1',
    'message.queued m2',
    'turn.completed aborted',
  ]);
  verifyEvents(events);
});

test('a submit from the engine function of a resume with nothing to answer, and a store that answers at once: the message is answered', async () => {
  const world = new GatedWorld(plain);
  let isFirst = true;
  const fates: string[] = [];
  const operative = createOperative({
    engine: () => {
      if (isFirst) {
        isFirst = false;
        void operative.submit(m('m1')).then(({ delivery }) => delivery.then(({ status }) => fates.push(status)));
      }
      return world.engine;
    },
    reloadBeforeStart: () => createConversation(),
  });
  const events: OperativeEvent[] = [];
  operative.subscribe((event) => events.push(event));
  expect((await operative.resume()).outcome).toBe('startedTurn');
  await world.host.settle();
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  expect(fates).toEqual(['answered']);
  expect(operative.state).toBe('idle');
  verifyEvents(events);
});

test('a store that answers at once and then later: the turn that a preempt claims waits for its own reload', async () => {
  const world = new GatedWorld(plain);
  let loads = 0;
  const operative = createOperative({
    engine: world.engine,
    reloadBeforeStart: () => {
      loads++;
      if (loads > 1) return world.gate('reload', () => createConversation({ messages: [m('stored')] }));
      void operative.submit(m('m2'), { policy: 'preempt' });
      return createConversation();
    },
  });
  await operative.submit(m('m1'));
  await world.host.settle();
  expect(operative.state).toBe('reloading');
  expect(world.requests).toEqual([]);
  world.release('reload', 0, 'ok');
  await world.host.settle();
  expect(world.requests).toEqual(['u:stored u:m1 u:m2']);
});

test('the events of a known message, submitted while a resume finds nothing to do, end', async () => {
  const world = new GatedWorld(plain);
  const operative: Operative = createOperative({
    engine: world.engine,
    reloadBeforeStart: async () => createConversation({ messages: operative.conversation.messages }),
  });
  await operative.submit(m('m1'));
  await world.host.settle();
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  const resumed = operative.resume();
  const { outcome, events } = await operative.submit(m('m1'));
  expect(outcome).toBe('startedTurn');
  expect((await resumed).outcome).toBe('nothingToDo');
  const read: OperativeEvent[] = [];
  for await (const event of events) read.push(event);
  expect(read).toEqual([]);
  expect(operative.conversation.messages.map(shapeOf)).toEqual(['u:m1', 'a:1']);
});

test('a compaction and a submit from one listener, and a compactor that answers at once: the message is answered', async () => {
  const world = new GatedWorld(plain);
  const engine = createEngine({
    ...world.options(),
    transformers: [{ name: 'compactor', compact: () => ({ append: [boundary] }) }],
  });
  const boundary = { id: 'b', role: 'user', content: [{ type: 'boundary', summary: 's', keepFrom: 'm1' }] } as const;
  const operative = createOperative({ engine });
  const answers: unknown[] = [];
  operative.subscribe((event) => {
    if (event.type !== 'turn.completed' || answers.length > 0) return;
    answers.push('asked');
    void operative.compact().then((gained) => answers.push(gained));
    void operative.submit(m('m2')).then(({ delivery }) => delivery.then(({ status }) => answers.push(status)));
  });
  await operative.submit(m('m1'));
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  expect(answers).toContain('answered');
  expect(operative.state).toBe('idle');
});

test('a resume while a compaction runs and a message has claimed the next turn joins that turn', async () => {
  const world = new GatedWorld(plain);
  const engine = createEngine({
    ...world.options(),
    transformers: [{ name: 'compactor', compact: () => world.gate('transformer', () => undefined) }],
  });
  const operative = createOperative({ engine });
  await operative.submit(m('m1'));
  world.answer({ text: true, calls: [], stop: 'natural' });
  await world.host.settle();
  const compacted = operative.compact();
  expect((await operative.submit(m('m2'))).outcome).toBe('startedTurn');
  expect((await operative.resume()).outcome).toBe('alreadyRunning');
  world.release('transformer', 0, 'ok');
  expect(await compacted).toBe(false);
  await world.host.settle();
  expect(world.requests.at(-1)).toBe('u:m1 a:1 u:m2');
});
