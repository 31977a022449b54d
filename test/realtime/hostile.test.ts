// Whatever comes, in whatever order, and whatever user code does: a session goes on, or ends once and says so.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RealtimeEvent, RealtimeInput, RealtimeSession } from '../../src/contracts/realtime.ts';
import { connectRealtime } from '../../src/realtime/connect.ts';
import { createRealtimeOperative } from '../../src/realtime/operative.ts';
import type { WireFact } from '../../src/realtime/wire.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { audioOf, FakeWire, openSession, responseEnd, speech, type FakeSession } from './fake-wire.ts';

const id = fc.constantFrom('a', 'b', 'c', '');
const text = fc.constantFrom('', 'x', 'xy', '\ud800');
const index = fc.constantFrom(0, 1, -1, Number.NaN);

/** Any fact with any ids, and some that are none. */
const facts: fc.Arbitrary<WireFact> = fc.oneof(
  fc.record({ type: fc.constant('response.created' as const), responseId: id, requestId: id, outOfBand: fc.boolean() }),
  fc.record({
    type: fc.constant('response.done' as const),
    responseId: id,
    status: fc.constantFrom('completed', 'cancelled', 'incomplete', 'failed'),
    error: fc.constantFrom(undefined, { code: 'c', message: 'm' }) as fc.Arbitrary<{ code: string; message: string }>,
    calls: fc.array(fc.record({ callId: id, itemId: id, name: id, rawArgs: text }), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('audio.delta' as const),
    responseId: id,
    itemId: id,
    contentIndex: index,
    audio: fc.constantFrom(new Uint8Array(0), new Uint8Array(1), audioOf(50)),
  }),
  fc.record({ type: fc.constant('audio.done' as const), responseId: id, itemId: id, contentIndex: index }),
  fc.record({
    type: fc.constantFrom('transcript.delta' as const),
    role: fc.constantFrom('user', 'assistant'),
    responseId: id,
    itemId: id,
    contentIndex: index,
    text,
  }),
  fc.record({
    type: fc.constant('transcript.done' as const),
    role: fc.constantFrom('user', 'assistant'),
    responseId: id,
    itemId: id,
    contentIndex: index,
    transcript: text,
  }),
  fc.record({
    type: fc.constantFrom('text.delta', 'text.done'),
    responseId: id,
    itemId: id,
    contentIndex: index,
    text,
  }),
  fc.record({
    type: fc.constant('toolCall.requested' as const),
    responseId: id,
    callId: id,
    itemId: id,
    name: id,
    rawArgs: text,
  }),
  fc.record({ type: fc.constant('toolCall.cancelled' as const), callIds: fc.array(id) }),
  fc.record({ type: fc.constantFrom('speech.started', 'speech.stopped'), itemId: id }),
  fc.record({ type: fc.constantFrom('input.committed', 'item.added', 'item.truncated', 'item.deleted'), itemId: id }),
  fc.constantFrom<WireFact>(
    { type: 'input.cleared' },
    { type: 'input.idle' },
    { type: 'output.started' },
    { type: 'output.stopped' },
    { type: 'output.cleared' },
    { type: 'wire.opened' },
    { type: 'session.created', sessionId: 's2', settings: {} },
    { type: 'session.configured', settings: { interruptsResponse: false } },
    { type: 'session.expiring', inMs: 1, source: 'server' },
    { type: 'call.dtmf', digit: '1' },
    { type: 'raw', event: null },
  ),
  fc.record({
    type: fc.constant('error' as const),
    kind: fc.constantFrom('benign', 'request', 'session'),
    code: id,
    message: text,
    causedBy: id,
    activeResponseId: id,
  }),
  // No facts at all.
  fc
    .constantFrom(null, undefined, 7, {}, { type: 'nonsense' }, { type: 'toolCall.cancelled' }, { type: 'audio.delta' })
    .map((value) => value as unknown as WireFact),
) as fc.Arbitrary<WireFact>;

const inputs = fc.constantFrom<RealtimeInput[]>(
  { type: 'text.send', text: 'x' },
  { type: 'response.request' },
  { type: 'response.interrupt' },
  { type: 'activity.start' },
  { type: 'activity.end' },
  { type: 'audio.append', audio: audioOf(10) },
  { type: 'audio.commit' },
  { type: 'audio.clear' },
  { type: 'toolResult.send', callId: 'a', result: 'r' },
  { type: 'toolResult.send', callId: 'b', result: 'r', respond: 'now' },
  { type: 'playback.report', itemId: 'a', playedMs: 5 },
  { type: 'playback.report', mark: 3 },
  { type: 'raw.send', payload: { type: 'response.cancel' } },
);

describe('facts in any order', () => {
  test('property: nothing throws, each beginning has one end, and the session closes once', async () => {
    const program = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: facts.map((fact) => ({ fact })) },
        { weight: 2, arbitrary: inputs.map((input) => ({ input })) },
        { weight: 1, arbitrary: fc.constant({ wait: 300 }) },
        { weight: 1, arbitrary: fc.constant({ wait: 11_000 }) },
      ),
      { minLength: 5, maxLength: 60, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(
        program,
        fc.constantFrom<('client' | 'server')[]>('client', 'server'),
        async (moves, playedBy) => {
          const fake = await openSession({ playedBy });
          const sends: Promise<unknown>[] = [];
          for (const move of moves) {
            if ('fact' in move) fake.wire.give(move.fact);
            else if ('input' in move) sends.push(fake.send(move.input).catch(() => undefined));
            else await fake.host.advance(move.wait);
          }
          const closed = fake.session.close();
          for (const move of moves) if ('fact' in move) fake.wire.give(move.fact); // and all of it again, after the end
          await closed;
          await Promise.all(sends);
          await fake.settle();
          const { events } = fake;
          expect(events.filter(({ type }) => type === 'session.closed')).toHaveLength(1);
          expect(events.at(-1)?.type).toBe('session.closed');
          const ids = (type: RealtimeEvent['type']) =>
            events
              .flatMap((event) => (event.type === type && 'responseId' in event ? [event.responseId] : []))
              .toSorted();
          expect(ids('response.completed')).toEqual(ids('response.started'));
          const asked = fake.told('toolCall.requested').map(({ call }) => call.id);
          expect(
            fake
              .told('toolCall.resultSent')
              .map(({ callId }) => callId)
              .toSorted(),
          ).toEqual(asked.toSorted());
          expect(fake.host.pendingTimers()).toBe(0);
        },
      ),
      { numRuns: 100 * Number(process.env['TURNCHART_RUNS'] ?? 1) },
    );
  });
});

describe('after the end', () => {
  test('everything is refused, closing again is not another end, and nothing is sent', async () => {
    const fake = await openSession();
    await Promise.all([fake.session.close(), fake.session.close(), fake.session[Symbol.asyncDispose]()]);
    const sent = fake.wire.commands.length;
    await expect(fake.send({ type: 'text.send', text: 'x' })).rejects.toMatchObject({
      code: 'operative.closed',
      message: expect.stringContaining('(requested)'),
    });
    await expect(fake.send({ type: 'audio.append', audio: audioOf(10) })).rejects.toMatchObject({
      code: 'operative.closed',
    });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 10));
    await fake.session.close();
    await fake.settle();
    expect(fake.wire.commands).toHaveLength(sent);
    expect(fake.told('session.closed')).toHaveLength(1);
    expect(fake.told('response.started')).toEqual([]);
  });
});

describe('readers', () => {
  test('two get the same events', async () => {
    const fake = await openSession();
    const second: string[] = [];
    void (async () => {
      for await (const { type } of fake.session.events) second.push(type);
    })();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, responseEnd('r1'));
    await fake.session.close();
    await fake.settle();
    expect(second).toEqual(['response.started', 'response.completed', 'session.closed']);
    expect(fake.events.map(({ type }) => type).slice(1)).toEqual(second);
  });

  test('one that throws harms nobody', async () => {
    const fake = await openSession();
    const broken = (async () => {
      for await (const event of fake.session.events) throw new Error(event.type);
    })();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    await expect(broken).rejects.toThrow('response.started');
    fake.wire.give(responseEnd('r1'));
    await fake.settle();
    expect(fake.told('response.completed')).toHaveLength(1);
  });
});

describe('a player that can be asked, and acts when it is', () => {
  /** A session whose player does something once, when it is asked for the second time: with the second delta. */
  async function acting(act: (session: RealtimeSession) => Promise<void>): Promise<FakeSession> {
    let asked = 0;
    const fake: FakeSession = await openSession(
      {},
      {
        playback: {
          playedMs: () => {
            asked++;
            if (asked === 1) void act(fake.session);
            return 5;
          },
        },
      },
    );
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 100), speech('r1', 'i1', 100));
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await fake.settle();
    return fake;
  }

  test('interrupts: the delta for which it was asked does not come through', async () => {
    const { events, wire } = await acting((session) => session.send({ type: 'response.interrupt' }));
    expect(events.map(({ type }) => type).slice(1)).toEqual([
      'response.started',
      'audio.delta',
      'response.interrupted',
      'response.completed',
    ]);
    expect(wire.sent('item.truncate')).toMatchObject([{ itemId: 'i1', audioEndMs: 5 }]);
  });

  test('closes the session: nothing comes after its end', async () => {
    const { events } = await acting((session) => session.close());
    expect(events.map(({ type }) => type).slice(1)).toEqual([
      'response.started',
      'audio.delta',
      'response.interrupted',
      'response.completed',
      'session.closed',
    ]);
  });
});

describe('a report of the player', () => {
  test.each<RealtimeInput>([
    { type: 'playback.report', itemId: 'ghost', playedMs: 5 },
    { type: 'playback.report', itemId: 'ghost', playedBytes: 5 },
    { type: 'playback.report', mark: 7 },
    { type: 'playback.report', mark: 0 },
  ])('of what never came (%j) does not count: the clock still says what was heard', async (input) => {
    const fake = await openSession();
    await fake.send(input);
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 100), responseEnd('r1'));
    await fake.host.advance(100);
    expect(fake.session.phase).toBe('ready');
  });

  test('of what was heard before is one: the player is waited for', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 100), responseEnd('r1'));
    await fake.host.advance(100);
    await fake.send({ type: 'playback.report', itemId: 'i1', playedMs: 100 });
    fake.wire.give({ type: 'response.created', responseId: 'r2' }, speech('r2', 'i2', 100), responseEnd('r2'));
    await fake.host.advance(100_000);
    expect(fake.session.phase).toBe('responding');
  });
});

describe('user code that rejects where nobody waits', () => {
  const rejector = () => Promise.reject(new Error('later'));

  test('is reported to whoever asked for it, and is not an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const thrown: string[] = [];
    const fake = await openSession(
      {},
      {
        inspect: rejector as unknown as () => void,
        playback: { playedMs: rejector as unknown as () => number },
        onListenerError: (error) => {
          thrown.push(error instanceof Error ? error.message : '');
          return rejector() as unknown as void;
        },
      },
    );
    const operative = createRealtimeOperative(fake.session, {
      tools: [defineTool({ name: 'look', description: 't', parameters: { type: 'object' }, execute: rejector })],
      onBargeIn: rejector as unknown as () => 'keep',
      onListenerError: rejector as unknown as () => void,
    });
    void operative.run();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 100), speech('r1', 'i1', 100));
    fake.wire.give(
      { type: 'toolCall.requested', responseId: 'r1', callId: 'c1', itemId: 'f1', name: 'look', rawArgs: '{}' },
      { type: 'speech.started' },
      responseEnd('r1', { status: 'cancelled' }),
    );
    await fake.host.advance(1_000);
    await fake.session.close();
    await fake.settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(new Set(thrown)).toEqual(
      new Set(['later', 'The playback clock returned a promise; it must return its answer at once.']),
    );
  });
});

describe('what a server says that makes no sense here', () => {
  test('that it plays, where audio is heard through this process: nothing is played', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'output.started' });
    expect(fake.session.phase).toBe('ready');
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 500), responseEnd('r1'));
    fake.wire.give({ type: 'output.stopped' });
    expect(fake.session.phase).toBe('responding');
  });

  test('a call without an id is left out, and reported', async () => {
    const fake = await openSession();
    fake.wire.give(
      { type: 'response.created', responseId: 'r1' },
      { type: 'toolCall.requested', responseId: 'r1', callId: '', itemId: 'f1', name: 'look', rawArgs: '{}' },
      responseEnd('r1'),
    );
    await fake.settle();
    expect(fake.session.phase).toBe('ready');
    expect(fake.told('error')).toMatchObject([{ code: 'toolCall.withoutId', recoverable: true }]);
  });
});

describe('an input with a wrong field', () => {
  test.each<[string, unknown]>([
    ['tools', { type: 'session.update', tools: [null] }],
    ['systemPrompt', { type: 'session.update', systemPrompt: 'x' }],
    ['turnDetection', { type: 'session.update', turnDetection: { mode: 'server_vad' } }],
    ['inputTranscription', { type: 'session.update', inputTranscription: null }],
    ['noiseReduction', { type: 'session.update', noiseReduction: 'loud' }],
    ['speed', { type: 'session.update', speed: Number.NaN }],
    ['voice', { type: 'session.update', voice: {} }],
    ['instructions', { type: 'response.request', instructions: 5 }],
    ['toolChoice', { type: 'response.request', toolChoice: {} }],
    ['tools', { type: 'response.request', tools: [{ name: 'x' }] }],
    ['modalities', { type: 'response.request', modalities: ['smell'] }],
    ['maxOutputTokens', { type: 'response.request', maxOutputTokens: -1 }],
    ['outOfBand', { type: 'response.request', outOfBand: 'yes' }],
    ['image', { type: 'image.send', image: { type: 'image', source: null } }],
    ['image', { type: 'image.send', image: { type: 'image', source: { type: 'base64', data: 5 } } }],
    ['text', { type: 'image.send', image: { type: 'image', source: { type: 'url', url: 'x' } }, text: 5 }],
  ])('%s is refused by name, and nothing is sent', async (name, input) => {
    const fake = await openSession();
    const before = fake.wire.commands.length;
    await expect(fake.send(input as RealtimeInput)).rejects.toMatchObject({
      code: 'message.invalid',
      message: expect.stringContaining(`${name} must be`),
    });
    expect(fake.wire.commands).toHaveLength(before);
  });
});

describe('an end', () => {
  test.each([null, { drainMs: Number.NaN }, { drainMs: 'long' }, { drainMs: -1 }])(
    'asked for with %j is one',
    async (options) => {
      const fake = await openSession();
      await fake.session.close(options as { drainMs: number });
      expect(fake.session.phase).toBe('closed');
    },
  );
});

describe('user code that throws', () => {
  const thrower = () => {
    throw new Error('user code');
  };

  test('an inspector, a clock, a listener of errors: the session continues', async () => {
    const fake = await openSession({}, { inspect: thrower, playback: { playedMs: thrower }, onListenerError: thrower });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 100));
    void fake.send({ type: 'response.interrupt' });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await fake.settle();
    expect(fake.wire.sent('item.delete')).toMatchObject([{ itemId: 'i1' }]);
    expect(fake.session.phase).toBe('ready');
  });

  test('a microphone: the session continues without it', async () => {
    const thrown: unknown[] = [];
    const fake = await openSession(
      {},
      {
        microphone: {
          [Symbol.asyncIterator]: thrower,
        },
        onListenerError: (error) => thrown.push(error),
      },
    );
    await fake.settle();
    expect({ phase: fake.session.phase, thrown: thrown.length }).toEqual({ phase: 'ready', thrown: 1 });
  });

  test('a link that cannot send: it counts as lost, whoever waits is informed, and nothing is left', async () => {
    const thrown: unknown[] = [];
    const fake = await openSession({}, { onListenerError: (error) => thrown.push(error) });
    fake.wire.send = thrower;
    const sent = fake.send({ type: 'text.send', text: 'x' });
    await expect(sent).rejects.toMatchObject({
      code: 'operative.closed',
      message: expect.stringContaining('user code'),
    });
    await fake.settle();
    expect(fake.events.at(-1)).toMatchObject({ reason: 'connectionLost', message: 'user code' });
    expect({ told: thrown.length, timers: fake.host.pendingTimers() }).toEqual({ told: 1, timers: 0 });
  });

  test('a link that cannot send the configuration: connecting fails', async () => {
    const wire = new FakeWire();
    const connected = connectRealtime(wire, { host: simulatedHost() });
    wire.send = thrower;
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    await expect(connected).rejects.toMatchObject({
      code: 'model.connection',
      message: expect.stringContaining('user code'),
    });
  });

  test.each(['close', 'terminate'] as const)(
    'a link whose %s throws: the session is closed all the same',
    async (how) => {
      const fake = await openSession();
      fake.wire[how] = thrower;
      const closed = fake.session.close();
      await fake.host.advance(2_000);
      await closed;
      expect(fake.events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'requested' });
      expect({ phase: fake.session.phase, timers: fake.host.pendingTimers() }).toEqual({ phase: 'closed', timers: 0 });
    },
  );

  test('a provider that throws when it is dialled: connecting fails, and says so', async () => {
    const fake = await openSession();
    const wire = new FakeWire();
    wire.dial = thrower;
    const connected = connectRealtime(wire, { host: fake.host }).catch((error: unknown) => error);
    await fake.host.advance(15_000);
    expect(await connected).toMatchObject({ code: 'model.connection' });
  });

  test('a session of somebody else’s: the operative says so and ends', async () => {
    const foreign: RealtimeSession = {
      id: 'x',
      capabilities: new Set(),
      phase: 'ready',
      events: { [Symbol.asyncIterator]: thrower },
      send: thrower,
      close: () => Promise.resolve(),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const tool = defineTool({ name: 't', description: 't', parameters: { type: 'object' }, execute: () => 'x' });
    const operative = createRealtimeOperative(foreign, { tools: [tool] });
    const events: RealtimeEvent[] = [];
    for await (const event of operative.run()) events.push(event);
    expect(events).toMatchObject([{ type: 'error', recoverable: false, message: 'user code' }]);
  });
});
