// A server that is gone without a word, on virtual time: when it is asked for a sign of life, what counts as one, and how a
// session ends that gets none.

import { describe, expect, test } from 'vitest';
import type { RealtimeSessionOptions } from '../../src/contracts/realtime.ts';
import { audioOf, dialSession, openSession, type FakeSession } from './fake-wire.ts';

interface Pinged {
  readonly fake: FakeSession;
  /** When each ping was sent. */
  readonly at: number[];
  /** How each is answered. */
  readonly answers: (() => void)[];
}

/** A session whose link can ping. */
async function pinged(options: RealtimeSessionOptions = {}): Promise<Pinged> {
  const at: number[] = [];
  const answers: (() => void)[] = [];
  const fake: FakeSession = await openSession(
    {
      ping: (answered) => {
        at.push(fake.host.now());
        answers.push(answered);
      },
    },
    options,
  );
  return { fake, at, answers };
}

const lost = { type: 'session.closed', reason: 'connectionLost', message: expect.stringContaining('a ping was not') };

describe('a link over which nothing comes', () => {
  test('is pinged after 20 seconds, and lost when no answer comes within 10', async () => {
    const { fake, at } = await pinged();
    const waits = fake.send({ type: 'response.request' }).catch((error: unknown) => error);
    await fake.host.advance(29_999);
    expect({ at, phase: fake.session.phase }).toEqual({ at: [20_000], phase: 'ready' });
    await fake.host.advance(1);
    expect(fake.events.at(-1)).toMatchObject(lost);
    expect({ phase: fake.session.phase, terminations: fake.wire.terminations }).toEqual({
      phase: 'closed',
      terminations: 1,
    });
    expect(await waits).toMatchObject({ providerCode: 'response.timeout' }); // of its own time limit, before
    await expect(fake.send({ type: 'audio.clear' })).rejects.toMatchObject({
      code: 'operative.closed',
      cause: { code: 'model.connection', retryable: true },
    });
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('lives while pings are answered', async () => {
    const { fake, at, answers } = await pinged();
    for (let round = 0; round < 5; round++) {
      await fake.host.advance(25_000);
      answers.at(-1)?.();
    }
    expect(at).toEqual([20_000, 45_000, 70_000, 95_000, 120_000]);
    expect(fake.session.phase).toBe('ready');
  });

  test('times are options', async () => {
    const { fake, at } = await pinged({ keepAlive: { everyMs: 100, answerMs: 50 } });
    await fake.host.advance(150);
    expect(at).toEqual([100]);
    expect(fake.events.at(-1)).toMatchObject(lost);
  });

  test('is not looked after when that is switched off', async () => {
    const { fake, at } = await pinged({ keepAlive: 'off' });
    await fake.host.advance(10_000_000);
    expect({ at, phase: fake.session.phase, timers: fake.host.pendingTimers() }).toEqual({
      at: [],
      phase: 'ready',
      timers: 0,
    });
  });

  test('is not looked after when it cannot ping', async () => {
    const fake = await openSession();
    await fake.host.advance(10_000_000);
    expect({ phase: fake.session.phase, timers: fake.host.pendingTimers() }).toEqual({ phase: 'ready', timers: 0 });
  });
});

describe('a sign of life', () => {
  test('is whatever comes: a busy link is not pinged', async () => {
    const { fake, at } = await pinged();
    for (let round = 0; round < 10; round++) {
      await fake.host.advance(15_000);
      fake.wire.give({ type: 'raw', event: { type: 'rate_limits.updated' } });
    }
    expect(at).toEqual([]);
    await fake.host.advance(20_000);
    expect(at).toEqual([170_000]);
  });

  test('is whatever comes after a ping, if the server does not answer pings', async () => {
    const { fake, at } = await pinged();
    await fake.host.advance(25_000);
    fake.wire.give({ type: 'raw', event: { type: 'rate_limits.updated' } });
    await fake.host.advance(20_000);
    expect({ at, phase: fake.session.phase }).toEqual({ at: [20_000, 45_000], phase: 'ready' });
  });

  test('is not an answer to a ping before the last', async () => {
    const { fake, answers } = await pinged();
    await fake.host.advance(25_000);
    answers[0]?.();
    await fake.host.advance(20_000);
    answers[0]?.();
    await fake.host.advance(10_000);
    expect(fake.events.at(-1)).toMatchObject(lost);
  });

  test('is asked for again when this process slept over the answer', async () => {
    const { fake, at, answers } = await pinged();
    await fake.host.advance(20_000);
    const { now } = fake.host;
    // The machine was asleep: by its clock much time has passed, and its timers are late.
    fake.host.now = () => now() + 3_600_000;
    await fake.host.advance(10_000);
    expect({ pings: at.length, phase: fake.session.phase }).toEqual({ pings: 2, phase: 'ready' });
    answers.at(-1)?.();
    await fake.host.advance(10_000);
    expect(fake.session.phase).toBe('ready');
  });
});

test('a clock that is put back keeps nobody waiting for long', async () => {
  const { fake, at } = await pinged();
  const { now } = fake.host;
  fake.wire.give({ type: 'response.created', responseId: 'r1' });
  fake.host.now = () => now() - 3_600_000;
  await fake.host.advance(50_000);
  expect(at).toHaveLength(1);
  expect(fake.events.at(-1)).toMatchObject(lost);
});

test('a session that drains is over when nobody answers, and its end is the one that was asked for', async () => {
  const { fake } = await pinged();
  fake.wire.give(
    { type: 'response.created', responseId: 'r1' },
    { type: 'audio.delta', responseId: 'r1', itemId: 'i1', contentIndex: 0, audio: audioOf(100) },
  );
  const closed = fake.session.close({ drainMs: 1_000_000 });
  await fake.host.advance(30_000);
  await closed;
  expect(fake.events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'requested' });
  expect(fake.host.pendingTimers()).toBe(0);
});

test('a session that closes pings nobody', async () => {
  const { fake, at } = await pinged({ deadlines: { closeMs: 100_000 } });
  fake.wire.closesByItself = false;
  void fake.session.close();
  await fake.host.advance(99_999);
  expect({ at, phase: fake.session.phase }).toEqual({ at: [], phase: 'draining' });
});

test('a session that connects pings nobody: each of its steps has a deadline', async () => {
  const at: number[] = [];
  const fake = dialSession({ ping: () => at.push(0) }, { deadlines: { connectMs: 100_000 } });
  fake.wire.give({ type: 'wire.opened' });
  await fake.host.advance(99_999);
  expect({ at, phase: fake.session.phase }).toEqual({ at: [], phase: 'connecting' });
});

test('a ping that throws is reported to whoever asked for it, and the session continues without', async () => {
  const thrown: unknown[] = [];
  const fake = await openSession(
    {
      ping: () => {
        throw new Error('no ping');
      },
    },
    { onListenerError: (error) => thrown.push(error) },
  );
  await fake.host.advance(1_000_000);
  expect({ thrown: thrown.map(String), phase: fake.session.phase, timers: fake.host.pendingTimers() }).toEqual({
    thrown: ['Error: no ping'],
    phase: 'ready',
    timers: 0,
  });
});

test('a link that answers before its ping has returned lives', async () => {
  const fake = await openSession({ ping: (answered) => answered() });
  await fake.host.advance(1_000_000);
  expect({ phase: fake.session.phase, timers: fake.host.pendingTimers() }).toEqual({ phase: 'ready', timers: 1 });
});
