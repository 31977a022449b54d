// Bugs of other runtimes, from their public trackers, as one test each: what goes wrong there must not go wrong here.

import { expect, test } from 'vitest';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { OperativeOptions } from '../../src/contracts/operative.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage } from '../../src/conversation/message.ts';
import { createEngine, createOperative } from '../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { GatedWorld, logOf, shapeOf } from './gated-world.ts';
import { plain, type Answer, type TurnSetup } from './world-terms.ts';

const textAnswer: Answer = { text: true, calls: [], stop: 'natural' };
const m = (id: string) => userMessage(id, { id });

function life(setup: Partial<TurnSetup> = {}, options: Partial<OperativeOptions> = {}) {
  const world = new GatedWorld({ ...plain, ...setup });
  const conversation = options.conversation ?? createConversation();
  const operative = createOperative({ engine: world.engine, ...options, conversation });
  const events: OperativeEvent[] = [];
  operative.subscribe((event) => events.push(event));
  return { world, operative, events, conversation, shapes: () => conversation.messages.map(shapeOf) };
}

test('case 1 (jsmestad/minga#675): a message after the last text and before the end of the turn is in one more model call', async () => {
  const { world, operative, events, shapes } = life();
  await operative.submit(m('m1'));
  world.say();
  await world.host.settle();
  const second = await operative.submit(m('m2'));
  expect(second.outcome).toBe('injected');
  world.answer(textAnswer);
  await world.host.settle();
  expect(world.requests).toEqual(['u:m1', 'u:m1 a:1 u:m2~']);
  world.answer(textAnswer);
  await world.host.settle();
  expect(await second.delivery).toMatchObject({ status: 'answered', iteration: 2 });
  expect(shapes()).toEqual(['u:m1', 'a:1', 'u:m2~', 'a:2']);
  verifyEvents(events);
});

test('case 1, after sealing: the message is appended once, reported as queued and answered by resume', async () => {
  const { world, operative, events, shapes } = life({ stages: { ...plain.stages, afterTurn: ['gated'] } });
  await operative.submit(m('m1'));
  world.answer(textAnswer);
  await world.host.settle();
  expect(operative.state).toBe('settling');
  const second = await operative.submit(m('m2'));
  expect(second.outcome).toBe('queued');
  world.release('transformer', 0, 'other');
  await world.host.settle();
  expect(await second.delivery).toEqual({ status: 'queued' });
  expect(events.flatMap((event) => logOf(event) ?? []).slice(-3)).toEqual([
    'message.appended u:m2',
    'message.queued m2',
    'turn.completed completed',
  ]);
  expect((await operative.resume()).outcome).toBe('startedTurn');
  await world.host.settle();
  expect(world.requests.at(-1)).toBe('u:m1 a:1 u:m2');
  world.answer(textAnswer);
  await world.host.settle();
  world.release('transformer', 0, 'ok');
  await world.host.settle();
  expect(shapes()).toEqual(['u:m1', 'a:1', 'u:m2', 'a:2']);
  verifyEvents(events);
});

test('case 2 (dp-archive/archive#176): a message steered in at the iteration cap stands in the transcript, is reported as queued and answered by resume', async () => {
  const { world, operative, events, shapes } = life({ maxIterations: 1 });
  const { events: read } = await operative.submit(m('m1'));
  world.answer({ text: false, calls: ['slow'], stop: 'natural' });
  await world.host.settle();
  const second = await operative.submit(m('m2'));
  expect(second.outcome).toBe('injected');
  world.release('tool', 0, 'ok');
  const told: string[] = [];
  for await (const event of read) told.push(...[logOf(event) ?? []].flat());
  expect(told.slice(-2)).toEqual(['message.queued m2', 'turn.completed maxIterations']);
  expect(await second.delivery).toEqual({ status: 'queued' });
  expect(shapes()).toEqual(['u:m1', 'a:[slow]', 't:completed', 'u:m2']);
  await operative.resume();
  await world.host.settle();
  expect(world.requests.at(-1)).toBe('u:m1 a:[slow] t:completed u:m2');
  world.answer(textAnswer);
  await world.host.settle();
  expect(shapes().at(-1)).toBe('a:2');
  verifyEvents(events);
});

test('case 2, just after the end: the message starts a turn of its own', async () => {
  const { world, operative } = life({ maxIterations: 1 });
  await operative.submit(m('m1'));
  world.answer(textAnswer);
  await world.host.settle();
  expect((await operative.submit(m('m2'))).outcome).toBe('startedTurn');
});

test('case 3 (earendil-works/pi#5115): a submit from the listener of the turn\u2019s end starts one new turn', async () => {
  const { world, operative, events } = life();
  const results: Promise<{ readonly outcome: string }>[] = [];
  operative.subscribe((event) => {
    if (event.type === 'turn.completed' && results.length === 0) results.push(operative.submit(m('m2')));
  });
  await operative.submit(m('m1'));
  world.answer(textAnswer);
  await world.host.settle();
  expect((await results[0])?.outcome).toBe('startedTurn');
  expect(world.requests).toEqual(['u:m1', 'u:m1 a:1 u:m2']);
  world.answer(textAnswer);
  await world.host.settle();
  expect(operative.state).toBe('idle');
  expect(events.filter(({ type }) => type === 'turn.started')).toHaveLength(2);
  verifyEvents(events);
});

test('case 4 (NousResearch/hermes-agent#64934): a second message during a slow beforeTurn transformer is injected into the one turn', async () => {
  const world = new GatedWorld(plain);
  const engine = createEngine({
    ...world.options(),
    transformers: [
      {
        name: 'slow',
        beforeTurn: () => new Promise<void>((resolve) => void world.host.setTimeout(resolve, 200)),
      },
    ],
  });
  const operative = createOperative({ engine });
  await operative.submit(m('a'));
  await world.host.advance(50);
  const second = await operative.submit(m('b'));
  expect(second.outcome).toBe('injected');
  await world.host.advance(150);
  expect(world.requests).toEqual(['u:a u:b~']);
  world.answer(textAnswer);
  await world.host.settle();
  expect(await second.delivery).toMatchObject({ status: 'answered', iteration: 1 });
  expect(operative.conversation.messages.map(shapeOf)).toEqual(['u:a', 'u:b~', 'a:1']);
  expect(world.requests).toHaveLength(1);
});

test('case 5 (anthropics/claude-code#3003, pi#4189): cancel with one of two tools done keeps its result, and the next request is accepted', async () => {
  const { world, operative, events, conversation, shapes } = life();
  await operative.submit(m('m1'));
  world.answer({ text: false, calls: ['quick', 'slow'], stop: 'natural' });
  await world.host.settle();
  const ended = operative.cancel();
  await world.host.advance(1_000);
  expect((await ended)?.reason).toBe('aborted');
  await operative.submit(m('go on'));
  await world.host.settle();
  expect(world.requests.at(-1)).toBe('u:m1 a:[quick,slow] t:completed,interrupted u:go on');
  world.release('tool', 0, 'ok');
  world.answer(textAnswer);
  await world.host.settle();
  expect(shapes()).toEqual(['u:m1', 'a:[quick,slow]', 't:completed,interrupted', 'u:go on', 'a:2']);
  verifyEvents(events);
  verifyTranscript(conversation);
});

test('case 5, stored in the middle of a turn: the conversation is repaired before it is used', async () => {
  const stored: Conversation = createConversation({
    messages: [
      m('m1'),
      assistantMessage([
        { type: 'toolCall', id: 't1', name: 'quick', args: {} },
        { type: 'toolCall', id: 't2', name: 'slow', args: {} },
      ]),
      {
        id: 'results',
        role: 'tool',
        content: [{ type: 'toolResult', callId: 't1', status: 'completed', content: [{ type: 'text', text: 'done' }] }],
      },
      assistantMessage(''),
    ],
  });
  const { world, operative, shapes } = life({}, { conversation: stored });
  expect(shapes()).toEqual(['u:m1', 'a:[quick,slow]', 't:completed,interrupted']);
  expect((await operative.resume()).outcome).toBe('startedTurn');
  await world.host.settle();
  expect(world.requests).toEqual(['u:m1 a:[quick,slow] t:completed,interrupted']);
});

test('case 6 (sudoprivacy/sudocode#550): a tool that never settles and ignores its signal does not hold up a cancel', async () => {
  const { world, operative, shapes } = life();
  await operative.submit(m('m1'));
  world.answer({ text: false, calls: ['slow'], stop: 'natural' });
  await world.host.advance(50);
  const before = world.host.now();
  const ended = operative.cancel();
  await world.host.advance(100);
  expect((await ended)?.reason).toBe('aborted');
  expect(world.host.now() - before).toBe(100);
  expect(shapes()).toEqual(['u:m1', 'a:[slow]', 't:interrupted']);
  world.release('tool', 0, 'ok');
  await world.host.settle();
  expect(shapes()).toEqual(['u:m1', 'a:[slow]', 't:interrupted']);
});

// ── rewrites and reloads (design, section 4)

test('a message that is late during an afterTurn rewrite comes after it, once', async () => {
  const { world, operative, shapes } = life({ stages: { ...plain.stages, afterTurn: ['gated'] } });
  await operative.submit(m('m1'));
  world.answer(textAnswer);
  await world.host.settle();
  await operative.submit(m('m2'));
  world.release('transformer', 0, 'other');
  await world.host.settle();
  expect(shapes()).toEqual(['u:m1', 'a:1', 'u:m2']);
});

test('late messages held in memory survive a reload that lacks them', async () => {
  let stored: Conversation | undefined;
  const { world, operative, shapes } = life(
    { stages: { ...plain.stages, afterTurn: ['gated'] } },
    { reloadBeforeStart: () => stored ?? createConversation() },
  );
  await operative.submit(m('m1'));
  await world.host.settle();
  world.answer(textAnswer);
  await world.host.settle();
  stored = createConversation({ messages: operative.conversation.messages });
  await operative.submit(m('m2'));
  world.release('transformer', 0, 'ok');
  await world.host.settle();
  await operative.submit(m('m3'));
  await world.host.settle();
  expect(world.requests.at(-1)).toBe('u:m1 a:1 u:m2 u:m3');
  expect(shapes()).toEqual(['u:m1', 'a:1', 'u:m2', 'u:m3']);
});

test('a message the host stored before it submitted it is there once', async () => {
  const { world, operative, shapes } = life(
    {},
    { reloadBeforeStart: () => createConversation({ messages: [m('m1')] }) },
  );
  await operative.submit(m('m1'));
  await world.host.settle();
  expect(world.requests).toEqual(['u:m1']);
  world.answer(textAnswer);
  await world.host.settle();
  expect(shapes()).toEqual(['u:m1', 'a:1']);
});
