// The kit on the real runtime: whatever scripts, tools, steers and cancels do, logs keep the grammar and transcripts pair.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EngineEvent, OperativeEvent } from '../../src/contracts/events.ts';
import type { Operative } from '../../src/contracts/operative.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import { simulatedHost, verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { engineOf, worlds, type World } from './worlds.ts';

const runs = Number(process.env['TURNCHART_RUNS'] ?? 1);
/** A bound for hangs: a turn takes some milliseconds of real time. */
const timeout = 30_000 * Math.max(1, runs);

interface Played {
  readonly events: readonly OperativeEvent[];
  readonly hasEnded: boolean;
  readonly conversation: Conversation;
}

const ticks = fc.record({
  do: fc.constant('advance' as const),
  ms: fc.constantFrom(0, 1, 5, 50, 1_000, 200_000),
});
const cancels = fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(0, 10) });

const turnMoves = fc.array(
  fc.oneof(
    { arbitrary: ticks, weight: 6 },
    { arbitrary: fc.record({ do: fc.constant('steer' as const) }), weight: 3 },
    { arbitrary: cancels, weight: 1 },
  ),
  { maxLength: 12 },
);

async function playTurn(
  given: World,
  moves: typeof turnMoves extends fc.Arbitrary<infer Moves> ? Moves : never,
): Promise<Played> {
  const host = simulatedHost();
  const conversation = createConversation({ messages: [userMessage('hi')] });
  const run = engineOf(given, host).run(conversation);
  const events: EngineEvent[] = [];
  let hasEnded = false;
  void (async () => {
    for await (const event of run) events.push(event);
    hasEnded = true;
  })();
  const pause = given.schedule.start();
  for (const move of moves) {
    await pause();
    if (move.do === 'advance') await host.advance(move.ms);
    else if (move.do === 'steer') run.steer('more');
    else void run.cancel({ graceMs: move.graceMs });
  }
  // Only a model that stalls is still at it.
  await host.advance(10_000_000);
  if (!hasEnded) void run.cancel();
  await host.advance(10_000);
  return { events, hasEnded, conversation };
}

test('logs of arbitrary turns keep the event grammar, and their transcripts pair', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(worlds, turnMoves, async (given, moves) => {
      const { events, hasEnded, conversation } = await playTurn(given, moves);
      expect(hasEnded).toBe(true);
      verifyEvents(events);
      verifyTranscript(conversation);
    }),
    { numRuns: 200 * runs },
  );
});

const operativeMoves = fc.array(
  fc.oneof(
    { arbitrary: ticks, weight: 6 },
    {
      arbitrary: fc.record({
        do: fc.constant('submit' as const),
        policy: fc.constantFrom('steer', 'queue', 'reject', 'preempt'),
      }),
      weight: 5,
    },
    { arbitrary: fc.record({ do: fc.constant('withdraw' as const) }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('resume' as const) }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('compact' as const) }), weight: 1 },
    { arbitrary: cancels, weight: 1 },
  ),
  { minLength: 1, maxLength: 16 },
);

const lives = fc.record({
  lateMessages: fc.constantFrom('hold', 'start'),
  reload: fc.constantFrom('none', 'same', 'older', 'fails'),
});

async function playLife(
  given: World,
  life: typeof lives extends fc.Arbitrary<infer Life> ? Life : never,
  moves: typeof operativeMoves extends fc.Arbitrary<infer Moves> ? Moves : never,
): Promise<Played> {
  const host = simulatedHost();
  const conversation = createConversation();
  const reload = async () => {
    if (life.reload === 'fails') throw new Error('no store');
    const messages = life.reload === 'older' ? conversation.messages.slice(0, -2) : conversation.messages;
    return createConversation({ messages });
  };
  const operative: Operative = createOperative({
    engine: engineOf(given, host),
    conversation,
    lateMessages: life.lateMessages,
    ...(life.reload === 'none' ? {} : { reloadBeforeStart: reload }),
  });
  const events: OperativeEvent[] = [];
  operative.subscribe((event) => events.push(event));
  const pause = given.schedule.start();
  for (const [index, move] of moves.entries()) {
    await pause();
    if (move.do === 'advance') await host.advance(move.ms);
    else if (move.do === 'submit')
      void operative.submit(userMessage('more', { id: `u${index}` }), { policy: move.policy });
    else if (move.do === 'withdraw') operative.withdraw(`u${index - 1}`);
    else if (move.do === 'resume') void operative.resume();
    else if (move.do === 'compact') void operative.compact();
    else void operative.cancel({ graceMs: move.graceMs });
  }
  await host.advance(10_000_000);
  let hasEnded = false;
  void operative.close().then(() => {
    hasEnded = true;
  });
  await host.advance(10_000);
  return { events, hasEnded, conversation };
}

test(
  "logs of an operative's arbitrary life keep the event grammar, and its transcript pairs",
  { timeout },
  async () => {
    await fc.assert(
      fc.asyncProperty(worlds, lives, operativeMoves, async (given, life, moves) => {
        const { events, hasEnded, conversation } = await playLife(given, life, moves);
        expect(hasEnded).toBe(true);
        expect(events.at(-1)).toEqual({ type: 'operative.closed' });
        verifyEvents(events);
        verifyTranscript(conversation);
      }),
      { numRuns: 200 * runs },
    );
  },
);
