// A server that interrupts, stalls, breaks off, expires and lies, over a real WebSocket: what the session tells the
// application, and what it tells the server.

import { describe, expect, test } from 'vitest';
import type { RealtimeSession, RealtimeSessionOptions } from '../../../src/contracts/realtime.ts';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import { simulatedHost, type SimulatedHost } from '../../../src/testing/simulated-host.ts';
import { begin, callTool, finish, greet, place, say, takeItem, userSpeaks, userStops } from './dialogue.ts';
import { listen, type Listener } from './listen.ts';
import { startWireServer, type Peer, type WireEvent, type WireServer } from './wire-server.ts';

interface Scene extends AsyncDisposable {
  readonly server: WireServer;
  readonly session: RealtimeSession;
  readonly ear: Listener;
  readonly host: SimulatedHost;
  readonly peer: Peer;
  /** Everything the client sent after its configuration, without audio. */
  sent(): readonly WireEvent[];
}

/** A session with a server that plays the script once the session is configured. */
async function scene(
  script: (peer: Peer) => Promise<void> | void,
  options: RealtimeSessionOptions & { readonly echo?: Parameters<typeof greet>[1] } = {},
): Promise<Scene> {
  const { echo = {}, ...session } = options;
  const host = simulatedHost({ startAt: 1_000_000 });
  const server = await startWireServer({
    async script(peer) {
      await greet(peer, echo);
      await script(peer);
    },
  });
  const opened = await openaiRealtime({ model: 'm', apiKey: 'none', baseURL: server.url }).connect({
    host,
    keepAlive: 'off', // virtual hours pass at once: no real pong could come meanwhile
    ...session,
  });
  const ear = listen(opened);
  const [peer] = server.peers;
  if (peer === undefined) throw new Error('nobody connected');
  return {
    server,
    session: opened,
    ear,
    host,
    peer,
    sent: () => peer.received.slice(1).filter(({ type }) => type !== 'input_audio_buffer.append'),
    async [Symbol.asyncDispose]() {
      opened.close().catch(() => undefined);
      peer.drop();
      await ear.end;
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Lets virtual time pass until the work is done: sockets are real, deadlines are not. */
async function within(host: SimulatedHost, work: Promise<unknown>, stepMs = 1000): Promise<void> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  for (let step = 0; !isDone && step < 1000; step++) await host.advance(stepMs);
  await work;
}

const types = (events: readonly WireEvent[]): readonly string[] => events.map(({ type }) => type);

describe('an interruption by the user’s voice', () => {
  test('truncates what was heard, sends no cancel, and lets nothing late through', async () => {
    await using the = await scene(
      async (peer) => {
        userSpeaks(peer, 'u1');
        userStops(peer, 'u1', 900);
        begin(peer, 'r1');
        say(peer, 'r1', 'i1', 400);
        await peer.next('input_audio_buffer.clear'); // the test’s mark: it has heard that
        userSpeaks(peer, 'u2', 2000);
        say(peer, 'r1', 'i1', 100); // was on its way
        finish(peer, 'r1', { status: 'cancelled', reason: 'turn_detected' });
        const { item_id: itemId, audio_end_ms: ms } = await peer.next('conversation.item.truncate');
        peer.send({ type: 'conversation.item.truncated', item_id: itemId, content_index: 0, audio_end_ms: ms });
        userStops(peer, 'u2', 2500);
        begin(peer, 'r2');
        say(peer, 'r2', 'i2', 100);
        finish(peer, 'r2');
      },
      { playback: { playedMs: (itemId) => (itemId === 'i1' ? 250.7 : 0) } },
    );
    await the.ear.next('audio.delta');
    void the.session.send({ type: 'audio.clear' });
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(the.ear.all('response.interrupted')).toEqual([
      {
        type: 'response.interrupted',
        cause: 'speech',
        responseId: 'r1',
        itemId: 'i1',
        playedMs: 250,
        receivedMs: 400,
        estimated: false,
      },
    ]);
    expect(the.ear.all('audio.delta').map(({ itemId, audio }) => [itemId, audio.length / 48])).toEqual([
      ['i1', 400],
      ['i2', 100],
    ]);
    expect(the.sent().slice(1)).toEqual([
      {
        type: 'conversation.item.truncate',
        event_id: expect.any(String) as string,
        item_id: 'i1',
        content_index: 0,
        audio_end_ms: 250,
      },
    ]);
    expect(the.ear.all('error')).toEqual([]);
  });

  test('while nothing plays truncates and cancels nothing', async () => {
    await using the = await scene((peer) => {
      userSpeaks(peer, 'u1');
      userStops(peer, 'u1', 900);
      begin(peer, 'r1');
      finish(peer, 'r1');
    });
    await the.ear.next('response.completed');
    expect(the.sent()).toEqual([]);
    expect(the.ear.all('response.interrupted')).toEqual([]);
  });

  test('after the answer was generated and before it was played still truncates', async () => {
    await using the = await scene(
      async (peer) => {
        begin(peer, 'r1');
        say(peer, 'r1', 'i1', 1000);
        finish(peer, 'r1');
        await peer.next('input_audio_buffer.clear');
        userSpeaks(peer, 'u1');
      },
      { playback: { playedMs: () => 300 } },
    );
    await the.ear.next('response.completed');
    void the.session.send({ type: 'audio.clear' });
    expect(await the.ear.next('response.interrupted')).toMatchObject({ playedMs: 300, receivedMs: 1000 });
    await the.peer.next('conversation.item.truncate');
    expect(the.sent().at(-1)).toMatchObject({ item_id: 'i1', audio_end_ms: 300 });
  });
});

describe('case 30: an interruption later than the audio lasts', () => {
  test('truncates no more than was received', async () => {
    await using the = await scene((peer) => {
      begin(peer, 'r1');
      say(peer, 'r1', 'i1', 400);
    });
    await the.ear.next('audio.delta');
    await the.host.advance(900); // nobody reports: the wall clock says 900
    void the.session.send({ type: 'response.interrupt' });
    const { audio_end_ms: told } = await the.peer.next('conversation.item.truncate');
    expect(told).toBeLessThanOrEqual(400);
    expect(the.ear.all('response.interrupted')).toMatchObject([{ playedMs: 400, receivedMs: 400, estimated: true }]);
  });

  test('truncates nothing when all of it was heard and no more comes', async () => {
    await using the = await scene((peer) => {
      begin(peer, 'r1');
      say(peer, 'r1', 'i1', 400);
      peer.send({ type: 'response.output_audio.done', ...place('r1', 'i1') });
      finish(peer, 'r1');
    });
    await the.ear.next('response.completed');
    await the.host.advance(900);
    await the.session.send({ type: 'response.interrupt' });
    expect(the.sent()).toEqual([]);
  });
});

describe('case 31: a new answer is asked for while one is being cancelled', () => {
  test('its create waits for the end of the old one, and several become one', async () => {
    const cancelled = Promise.withResolvers<void>();
    await using the = await scene(async (peer) => {
      begin(peer, 'r1', await peer.next('response.create'));
      const { response_id: id } = await peer.next('response.cancel');
      expect(id).toBe('r1');
      await cancelled.promise;
      finish(peer, 'r1', { status: 'cancelled', reason: 'client_cancelled' });
      await takeItem(peer);
      await takeItem(peer);
      begin(peer, 'r2', await peer.next('response.create'));
      finish(peer, 'r2');
    });
    await the.session.send({ type: 'response.request' });
    const stopping = the.session.send({ type: 'response.interrupt' });
    const asking = Promise.all([
      the.session.send({ type: 'text.send', text: 'one' }),
      the.session.send({ type: 'text.send', text: 'two' }),
    ]);
    await the.peer.seen('conversation.item.create');
    expect(types(the.sent()).filter((type) => type === 'response.create')).toHaveLength(1);
    cancelled.resolve();
    await stopping;
    await asking;
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(types(the.sent()).filter((type) => type === 'response.create')).toHaveLength(2);
  });

  test.each([
    ['names the request', true],
    ['names and echoes nothing', false],
  ])('a server that says that one is active is asked again when that one is done: it %s', async (_, isNamed) => {
    await using the = await scene(async (peer) => {
      const { event_id: id } = await peer.next('response.create');
      const error = {
        type: 'invalid_request_error',
        code: 'conversation_already_has_active_response',
        message: 'Conversation already has an active response in progress: r9. Wait until the response is finished.',
        event_id: isNamed ? id : null,
      };
      peer.send({ type: 'error', error });
      finish(peer, 'r9');
      const again = await peer.next('response.create');
      begin(peer, 'r2', isNamed ? again : undefined);
      finish(peer, 'r2');
    });
    await the.session.send({ type: 'response.request' });
    await the.ear.next('response.completed');
    expect(the.ear.all('error')).toEqual([]);
    expect(the.ear.all('response.started')).toMatchObject([{ responseId: 'r2', origin: 'client' }]);
  });
});

describe('a cancel that comes too late', () => {
  test('is not an error, and the session continues', async () => {
    await using the = await scene(async (peer) => {
      begin(peer, 'r1', await peer.next('response.create'));
      const { event_id: id } = await peer.next('response.cancel');
      finish(peer, 'r1');
      const message = 'Cancellation failed: no active response found';
      peer.send({ type: 'error', error: { code: 'response_cancel_not_active', message, event_id: id } });
      begin(peer, 'r2', await peer.next('response.create'));
      finish(peer, 'r2');
    });
    await the.session.send({ type: 'response.request' });
    await the.session.send({ type: 'response.interrupt' });
    await the.session.send({ type: 'response.request' });
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(the.ear.all('error')).toEqual([]);
  });
});

describe('a server that never', () => {
  test('acknowledges a cancel is not waited for forever', async () => {
    await using the = await scene(async (peer) => {
      begin(peer, 'r1', await peer.next('response.create'));
    });
    await the.session.send({ type: 'response.request' });
    await within(the.host, the.session.send({ type: 'response.interrupt' }));
    expect(the.ear.all('error')).toMatchObject([{ code: 'response.timeout', recoverable: true }]);
    expect(the.ear.all('response.completed')).toMatchObject([{ responseId: 'r1', status: 'cancelled' }]);
  });

  test('begins an answer leaves the session usable', async () => {
    await using the = await scene(async (peer) => {
      await peer.next('response.create');
      begin(peer, 'r2', await peer.next('response.create'));
      finish(peer, 'r2');
    });
    const asked = the.session.send({ type: 'response.request' });
    await within(
      the.host,
      asked.catch(() => undefined),
    );
    await expect(asked).rejects.toMatchObject({ code: 'model.rejected' });
    await the.session.send({ type: 'response.request' });
    await the.ear.next('response.completed');
  });

  test('closes is left behind', async () => {
    await using the = await scene((peer) => peer.stall());
    await within(the.host, the.session.close());
    expect(the.ear.all('session.closed')).toMatchObject([{ reason: 'requested' }]);
  });
});

describe('a stalled socket', () => {
  test('drops the oldest microphone audio, says so, and drops no command', async () => {
    await using the = await scene((peer) => peer.stall(), {
      backpressure: { microphoneMs: 1000, highWaterBytes: 64_000 },
    });
    const second = new Uint8Array(48_000);
    for (let n = 0; n < 600; n++) void the.session.send({ type: 'audio.append', audio: second }); // as a microphone does
    await the.host.settle();
    await the.host.advance(2000);
    const congestion = the.ear.all('congestion').filter(({ direction }) => direction === 'input');
    expect(congestion.length).toBeGreaterThan(0);
    const dropped = congestion.reduce((sum, { droppedMs }) => sum + droppedMs, 0);
    expect(dropped).toBeGreaterThan(100_000);
    expect(Math.max(...congestion.map(({ queuedMs }) => queuedMs))).toBeLessThanOrEqual(1000);
  });
});

describe('an end', () => {
  test.each([
    ['in the middle of audio', (peer: Peer) => peer.drop(), 1006],
    ['with 1001', (peer: Peer) => peer.close(1001, 'going away'), 1001],
    ['with 1011', (peer: Peer) => peer.close(1011, 'oops'), 1011],
    ['with 4000 and words', (peer: Peer) => peer.close(4000, 'server_error.internal'), 4000],
  ])('%s settles the answer, what was heard and everything that waits', async (_, end, code) => {
    await using the = await scene(async (peer) => {
      begin(peer, 'r1');
      say(peer, 'r1', 'i1', 300);
      await peer.next('session.update');
      end(peer);
    });
    await the.ear.next('audio.delta');
    await the.host.advance(100);
    const update = the.session.send({ type: 'session.update', voice: 'cedar' });
    await expect(update).rejects.toMatchObject({ name: 'TurnchartError' });
    const events = await the.ear.end;
    expect(the.ear.all('response.interrupted')).toMatchObject([{ cause: 'close', playedMs: 100, receivedMs: 300 }]);
    expect(the.ear.all('response.completed')).toMatchObject([{ responseId: 'r1', status: 'cancelled' }]);
    expect(events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'connectionLost', code });
    expect(the.session.phase).toBe('closed');
    expect(the.host.pendingTimers()).toBe(0);
    await expect(the.session.send({ type: 'audio.clear' })).rejects.toMatchObject({ code: 'operative.closed' });
  });

  test('half a base64 sample before it is passed as it is', async () => {
    await using the = await scene((peer) => {
      begin(peer, 'r1');
      peer.send({ type: 'response.output_audio.delta', ...place('r1', 'i1'), delta: 'AQID' });
      peer.send('{"type":"response.output_audio.delta","response_id":"r1","item_id":"i1","delta":"AQI');
      peer.drop();
    });
    await the.ear.end;
    expect(the.ear.all('audio.delta').map(({ audio }) => audio.length)).toEqual([3]);
    expect(the.ear.all('error')).toMatchObject([{ code: 'malformed_frame', recoverable: true }]);
  });

  test('whose reason quotes the key is reported without it', async () => {
    await using the = await scene((peer) => peer.close(1000, 'bye sk-proj-abcdef1234567890'));
    const events = await the.ear.end;
    expect(events.at(-1)).toMatchObject({ type: 'session.closed', message: 'bye [redacted]' });
  });

  test('by the session’s own clock is announced, and named', async () => {
    await using the = await scene(
      async (peer) => {
        await peer.next('input_audio_buffer.clear');
        const error = { code: 'session_expired', message: 'Your session hit the maximum duration of 60 minutes.' };
        peer.send({ type: 'error', error });
        peer.close(1001);
      },
      { echo: { expires_at: 1000 + 3600 } },
    );
    expect(await the.ear.next('session.ready')).toMatchObject({ expiresAt: 4_600_000 });
    await the.host.advance(3540_000);
    expect(await the.ear.next('session.expiring')).toMatchObject({ inMs: 60_000, source: 'timer' });
    void the.session.send({ type: 'audio.clear' });
    const events = await the.ear.end;
    expect(the.ear.all('error')).toMatchObject([{ code: 'session_expired', recoverable: false }]);
    expect(events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'expired' });
  });
});

describe('what makes no sense', () => {
  test('is reported and survived: text that is not an event, binary frames, ten megabytes, unknown ids, things said twice', async () => {
    await using the = await scene((peer) => {
      peer.send('hello');
      peer.send('[1,2]');
      peer.send(Uint8Array.of(1, 2, 3));
      peer.send({ type: 'something.new', blob: 'x'.repeat(10_000_000) });
      say(peer, 'nobody', 'i0', 100);
      finish(peer, 'never-began');
      begin(peer, 'r1');
      begin(peer, 'r1');
      say(peer, 'r1', 'i1', 100);
      finish(peer, 'r1');
      finish(peer, 'r1');
      say(peer, 'r1', 'i1', 100);
      begin(peer, 'r2');
      finish(peer, 'r2');
    });
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(the.ear.all('error').map(({ code }) => code)).toEqual(Array(3).fill('malformed_frame'));
    expect(the.ear.all('raw')).toHaveLength(2); // the new event, and the end of an answer that never began
    expect(the.ear.all('response.started').map(({ responseId }) => responseId)).toEqual(['r1', 'r2']);
    expect(the.ear.all('response.completed').map(({ responseId }) => responseId)).toEqual(['r1', 'r2']);
    expect(the.ear.all('audio.delta')).toHaveLength(1);
  });

  test('a call reported twice is offered to the application once', async () => {
    await using the = await scene((peer) => {
      const call = { id: 'c1', name: 'look', args: '{}' };
      callTool(peer, 'r1', [call]);
      callTool(peer, 'r2', [call]);
    });
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(the.ear.all('toolCall.requested').map(({ call }) => call.id)).toEqual(['c1']);
  });
});

test('a server that echoes nothing of ours is understood by order', async () => {
  await using the = await scene(async (peer) => {
    await peer.next('input_audio_buffer.commit');
    peer.send({ type: 'input_audio_buffer.committed', item_id: 'u1' });
    await peer.next('response.create');
    begin(peer, 'r1');
    finish(peer, 'r1');
    userSpeaks(peer, 'u2');
    userStops(peer, 'u2');
    begin(peer, 'r2');
    finish(peer, 'r2');
  });
  await the.session.send({ type: 'audio.append', audio: new Uint8Array(4800) });
  await the.session.send({ type: 'audio.commit' });
  await the.session.send({ type: 'response.request' });
  await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
  expect(the.ear.all('response.started').map(({ origin }) => origin)).toEqual(['client', 'vad']);
});

describe('raw.send', () => {
  test('of a create waits like every other for the end of the active answer, and keeps its own fields', async () => {
    const more = Promise.withResolvers<void>();
    await using the = await scene(async (peer) => {
      begin(peer, 'r1');
      await more.promise;
      finish(peer, 'r1');
      begin(peer, 'r2', await peer.next('response.create'));
      finish(peer, 'r2');
    });
    await the.ear.next('response.started');
    const asked = the.session.send({
      type: 'raw.send',
      json: '{"type":"response.create","event_id":"own","response":{"instructions":"Sing.","metadata":{"a":"b"}}}',
    });
    await the.session.send({ type: 'raw.send', json: '{"type":"conversation.item.retrieve","item_id":"i"}' });
    await the.peer.seen('conversation.item.retrieve');
    expect(types(the.sent())).toEqual(['conversation.item.retrieve']);
    more.resolve();
    await asked;
    await the.ear.next('response.completed', ({ responseId }) => responseId === 'r2');
    expect(the.sent().at(-1)).toMatchObject({ response: { instructions: 'Sing.', metadata: { a: 'b' } } });
    expect(types(the.sent()).filter((type) => type === 'response.create')).toHaveLength(1);
  });

  test('of a cancel interrupts: nothing late comes through, and what was heard is reported', async () => {
    await using the = await scene(
      async (peer) => {
        begin(peer, 'r1');
        say(peer, 'r1', 'i1', 400);
        const { response_id: id } = await peer.next('response.cancel');
        say(peer, 'r1', 'i1', 100);
        finish(peer, String(id), { status: 'cancelled', reason: 'client_cancelled' });
        const { item_id: itemId } = await peer.next('conversation.item.truncate');
        peer.send({ type: 'conversation.item.truncated', item_id: itemId, content_index: 0, audio_end_ms: 120 });
      },
      { playback: { playedMs: () => 120 } },
    );
    await the.ear.next('audio.delta');
    await the.session.send({ type: 'raw.send', payload: { type: 'response.cancel' } });
    expect(the.ear.all('audio.delta')).toHaveLength(1);
    expect(the.ear.all('response.interrupted')).toMatchObject([{ cause: 'request', playedMs: 120 }]);
    expect(the.sent().find(({ type }) => type === 'conversation.item.truncate')).toMatchObject({ audio_end_ms: 120 });
  });

  test.each([
    ['{"type":"response.explode"}', /no client event "response.explode"/],
    ['{"type":', /not JSON/],
    ['"response.create"', /got a string/],
  ])('of %s is refused with a sentence, and nothing is sent', async (json, words) => {
    await using the = await scene(() => undefined);
    await expect(the.session.send({ type: 'raw.send', json })).rejects.toThrow(words);
    expect(the.sent()).toEqual([]);
  });

  test('besides, an invalid input is refused', async () => {
    await using the = await scene(() => undefined);
    await expect(the.session.send({ type: 'audio.explode' } as never)).rejects.toMatchObject({
      code: 'message.invalid',
    });
  });
});
