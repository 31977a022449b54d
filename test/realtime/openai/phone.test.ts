// A telephone call from the webhook to its end, with the real SDK against a local server: verified, each call once,
// answered in time or refused, steered outside the socket, interrupted by clearing the provider's own buffer.

import { OpenAI } from 'openai';
import { describe, expect, test } from 'vitest';
import type { RealtimeSession } from '../../../src/contracts/realtime.ts';
import { openaiRealtime, receiveCalls, type ReceiveCallsOptions } from '../../../src/realtime/openai/index.ts';
import { simulatedHost } from '../../../src/testing/simulated-host.ts';
import { begin, finish, serverVad, userSpeaks } from './dialogue.ts';
import { listen } from './listen.ts';
import { incomingCall, signed, webhookSecret } from './webhook.ts';
import { startWireServer, type Peer, type RestAnswer, type RestRequest, type WireServer } from './wire-server.ts';

const ok: RestAnswer = { status: 200 };

/** Takes the configuration of a side socket, whose server speaks second. */
async function attach(peer: Peer): Promise<void> {
  await peer.next('session.update');
  peer.send({
    type: 'session.updated',
    session: { type: 'realtime', audio: { input: { turn_detection: serverVad } } },
  });
}

const restOf = (server: WireServer): readonly string[] =>
  server.requests.map(({ path }) => path.replace('/v1/realtime/calls/', ''));

/** A receiver at the server. */
function receiverAt(server: WireServer, options: Partial<ReceiveCallsOptions> = {}) {
  const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url, maxRetries: 0 });
  const sessions: RealtimeSession[] = [];
  const errors: unknown[] = [];
  const attached = Promise.withResolvers<RealtimeSession>();
  const failed = Promise.withResolvers<unknown>();
  const receiver = receiveCalls({
    model: 'gpt-realtime',
    voice: 'marin',
    client,
    secret: webhookSecret,
    decide: () => ({ accept: {} }),
    onSession: (session) => {
      sessions.push(session);
      attached.resolve(session);
    },
    onError: (error) => {
      errors.push(error);
      failed.resolve(error);
    },
    ...options,
  });
  return { receiver, sessions, errors, attached: attached.promise, failed: failed.promise };
}

describe('a call', () => {
  test('is accepted, and steered by a socket of its own', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    const host = simulatedHost();
    const { receiver, attached, errors } = receiverAt(server, { host });
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toEqual({
      status: 200,
      outcome: 'accepted',
      callId: 'rtc_1',
    });
    await using session = await attached;
    expect(host.pendingTimers()).toBe(0);
    expect(restOf(server)).toEqual(['rtc_1/accept']);
    expect(server.requests[0]?.body).toMatchObject({ model: 'gpt-realtime', audio: { output: { voice: 'marin' } } });
    expect(server.peers[0]?.path).toBe('/v1/realtime?call_id=rtc_1');
    expect(server.peers[0]?.headers.authorization).toBe('Bearer sk-1');
    expect(session.id).toBe('rtc_1');
    expect(session.capabilities.has('callControl')).toBe(true);
    expect(session.capabilities.has('audioInProcess')).toBe(false);
    expect(await listen(session).next('call.answered')).toEqual({ type: 'call.answered', callId: 'rtc_1' });
    expect(errors).toEqual([]);
  });

  test('that is reported several times at once is answered once', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    const { receiver, attached } = receiverAt(server);
    const told = [0, 1, 2].map((n) => receiver.receive(signed(incomingCall('rtc_1'), { id: `wh_${n}` })));
    const outcomes = (await Promise.all(told)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['accepted', 'duplicate', 'duplicate']);
    await using _session = await attached;
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'duplicate', status: 200 });
    expect(restOf(server)).toEqual(['rtc_1/accept']);
  });

  test('is decided about by who calls', async () => {
    await using server = await startWireServer({ rest: () => ok });
    const { receiver } = receiverAt(server, {
      decide: ({ from }) => ({ reject: from?.includes('+49') === true ? 486 : 603 }),
    });
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'rejected' });
    expect(server.requests).toMatchObject([{ path: '/v1/realtime/calls/rtc_1/reject', body: { status_code: 486 } }]);
  });

  test('whose decision takes too long is refused as busy', async () => {
    const host = simulatedHost();
    await using server = await startWireServer({ rest: () => ok });
    const { receiver } = receiverAt(server, { host, deadlineMs: 3000, decide: () => new Promise(() => undefined) });
    const told = receiver.receive(signed(incomingCall('rtc_1')));
    while (host.pendingTimers() === 0) await host.settle();
    await host.advance(3000);
    expect(await told).toMatchObject({ status: 200, outcome: 'failed', why: 'not answered within 3000 ms' });
    expect(server.requests).toMatchObject([{ path: '/v1/realtime/calls/rtc_1/reject', body: { status_code: 486 } }]);
    expect(host.pendingTimers()).toBe(0);
  });

  test('whose answer the server never takes is refused, and hung up should it have arrived', async () => {
    const host = simulatedHost();
    const isAsked = Promise.withResolvers<void>();
    await using server = await startWireServer({
      rest({ path }: RestRequest) {
        if (!path.endsWith('/accept')) return path.endsWith('/reject') ? { status: 409 } : ok;
        isAsked.resolve();
        return 'never';
      },
    });
    const { receiver } = receiverAt(server, { host });
    const told = receiver.receive(signed(incomingCall('rtc_1')));
    await isAsked.promise;
    await host.advance(8000);
    expect(await told).toMatchObject({ outcome: 'failed' });
    expect(restOf(server)).toEqual(['rtc_1/accept', 'rtc_1/reject', 'rtc_1/hangup']);
  });

  test('whose decision throws is declined', async () => {
    await using server = await startWireServer({ rest: () => ok });
    const failure = new Error('no idea');
    const { receiver, errors } = receiverAt(server, { decide: () => Promise.reject(failure) });
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'failed', why: 'no idea' });
    expect(errors).toEqual([failure]);
    expect(server.requests).toMatchObject([{ body: { status_code: 603 } }]);
  });

  test.each([undefined, null, 'yes', {}])(
    'about which %j is decided is declined, and what was expected is said',
    async (decision) => {
      await using server = await startWireServer({ rest: () => ok });
      const { receiver, errors } = receiverAt(server, { decide: () => decision as never });
      expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'failed' });
      expect(errors).toMatchObject([{ code: 'options.invalid', message: expect.stringContaining('decide') as string }]);
      expect(server.requests).toMatchObject([{ body: { status_code: 603 } }]);
    },
  );

  test('whose settings make no sense is declined: nobody is answered by a session that cannot be', async () => {
    await using server = await startWireServer({ rest: () => ok });
    const accept = { deadlines: { connectMs: Number.NaN } };
    const { receiver, errors } = receiverAt(server, { decide: () => ({ accept }) });
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'failed' });
    expect(errors).toMatchObject([{ code: 'options.invalid' }]);
    expect(restOf(server)).toEqual(['rtc_1/reject']);
  });

  test('whose side socket cannot be opened is hung up: nobody would run its tools', async () => {
    await using server = await startWireServer({ rest: () => ok, refuse: { status: 404, body: '{}' } });
    const { receiver, failed, sessions } = receiverAt(server);
    expect(await receiver.receive(signed(incomingCall('rtc_1')))).toMatchObject({ outcome: 'accepted' });
    expect(await failed).toMatchObject({ name: 'ModelError', status: 404 });
    while (server.requests.length < 2) await simulatedHost().settle();
    expect(restOf(server)).toEqual(['rtc_1/accept', 'rtc_1/hangup']);
    expect(sessions).toEqual([]);
  });

  test('whose session the app does not want is hung up', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    const { receiver, failed } = receiverAt(server, { onSession: () => Promise.reject(new Error('no agent free')) });
    await receiver.receive(signed(incomingCall('rtc_1')));
    expect(await failed).toMatchObject({ message: 'no agent free' });
    await server.peers[0]?.closed;
    expect(restOf(server)).toEqual(['rtc_1/accept', 'rtc_1/hangup']);
  });

  test.each([
    [
      'forged',
      { ...signed(incomingCall('rtc_1')), body: incomingCall('rtc_2') },
      { status: 400, outcome: 'unverified' },
    ],
    [
      'of another kind',
      signed('{"type":"live.call.incoming","data":{"session_id":"s"}}'),
      { status: 200, outcome: 'ignored' },
    ],
  ])('reported by a webhook that is %s does not count', async (_, request, answer) => {
    await using server = await startWireServer({ rest: () => ok });
    expect(await receiverAt(server).receiver.receive(request)).toMatchObject(answer);
    expect(server.requests).toEqual([]);
  });

  test.each([0, -1, NaN, Infinity])('cannot have a deadline of %f', async (deadlineMs) => {
    await using server = await startWireServer({});
    expect(() => receiverAt(server, { deadlineMs })).toThrow(/deadlineMs/);
  });
});

describe('the session next to a call', () => {
  /** A session on a call that somebody else has answered. */
  async function onCall(server: WireServer): Promise<RealtimeSession> {
    const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url, maxRetries: 0 });
    return openaiRealtime({ model: 'gpt-realtime', client }).connectForCall({ callId: 'rtc_1', accept: false });
  }

  test('accepts the call first unless configured otherwise', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url });
    const model = openaiRealtime({ model: 'gpt-realtime', client, voice: 'cedar' });
    await using _session = await model.connectForCall({ callId: 'rtc_1' });
    expect(server.requests).toMatchObject([
      { path: '/v1/realtime/calls/rtc_1/accept', body: { audio: { output: { voice: 'cedar' } } } },
    ]);
  });

  test('needs the id of a call', async () => {
    const connecting = openaiRealtime({ model: 'm', apiKey: 'sk-1' }).connectForCall({ callId: '', accept: false });
    await expect(connecting).rejects.toMatchObject({ code: 'options.invalid' });
  });

  test('hangs up what it may have accepted when it is aborted', async () => {
    const stop = new AbortController();
    await using server = await startWireServer({
      rest({ path }: RestRequest) {
        if (!path.endsWith('/accept')) return ok;
        stop.abort(new Error('enough'));
        return 'never';
      },
    });
    const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url, maxRetries: 0 });
    const model = openaiRealtime({ model: 'gpt-realtime', client });
    await expect(model.connectForCall({ callId: 'rtc_1' }, { signal: stop.signal })).rejects.toThrow('enough');
    expect(restOf(server)).toEqual(['rtc_1/accept', 'rtc_1/hangup']);
  });

  test('hangs up what it has accepted when it cannot attach', async () => {
    await using server = await startWireServer({ rest: () => ok, script: (peer) => peer.close(1011) });
    const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url, maxRetries: 0 });
    const connecting = openaiRealtime({ model: 'gpt-realtime', client }).connectForCall({ callId: 'rtc_1' });
    await expect(connecting).rejects.toMatchObject({ name: 'ModelError' });
    expect(restOf(server)).toEqual(['rtc_1/accept', 'rtc_1/hangup']);
  });

  test('brings the tuning of the turn detection that the answer must not have', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url });
    const turnDetection = { mode: 'server', threshold: 0.8 } as const;
    await using _session = await openaiRealtime({ model: 'm', client }).connectForCall(
      { callId: 'rtc_1' },
      { turnDetection },
    );
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('threshold');
    expect(server.peers[0]?.received[0]).toMatchObject({
      session: { audio: { input: { turn_detection: { threshold: 0.8 } } } },
    });
  });

  test('transfers and hangs up', async () => {
    await using server = await startWireServer({ rest: () => ok, script: attach });
    await using session = await onCall(server);
    await session.send({ type: 'call.refer', targetUri: 'sip:agent@example.com' });
    await session.send({ type: 'call.hangup' });
    expect(server.requests).toMatchObject([
      { path: '/v1/realtime/calls/rtc_1/refer', body: { target_uri: 'sip:agent@example.com' } },
      { path: '/v1/realtime/calls/rtc_1/hangup' },
    ]);
  });

  test('says that a transfer was refused', async () => {
    await using server = await startWireServer({
      rest: () => ({ status: 400, body: { error: { message: 'no such target' } } }),
      script: attach,
    });
    await using session = await onCall(server);
    await expect(session.send({ type: 'call.refer', targetUri: 'tel:+1' })).rejects.toMatchObject({
      name: 'ModelError',
      message: expect.stringContaining('no such target') as string,
    });
  });

  test('reports the keys the caller presses, and cannot press any itself', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await attach(peer);
        for (const event of ['4', '#'])
          peer.send({ type: 'input_audio_buffer.dtmf_event_received', event, received_at: 1 });
      },
    });
    await using session = await onCall(server);
    const ear = listen(session);
    await ear.next('call.dtmf', ({ digit }) => digit === '#');
    expect(ear.all('call.dtmf').map(({ digit }) => digit)).toEqual(['4', '#']);
    await expect(session.send({ type: 'call.dtmf', digits: '1' })).rejects.toThrow(/cannot send tones/);
  });

  test('takes no audio: it goes between caller and provider', async () => {
    await using server = await startWireServer({ script: attach });
    await using session = await onCall(server);
    await expect(session.send({ type: 'audio.append', audio: new Uint8Array(4) })).rejects.toMatchObject({
      code: 'message.invalid',
    });
  });

  test('is interrupted by clearing the provider’s buffer, with nothing truncated', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await attach(peer);
        begin(peer, 'r1', await peer.next('response.create'));
        peer.send({ type: 'output_audio_buffer.started', response_id: 'r1' });
        await peer.next('response.cancel');
        finish(peer, 'r1', { status: 'cancelled', reason: 'client_cancelled' });
        await peer.next('output_audio_buffer.clear');
        peer.send({ type: 'output_audio_buffer.cleared', response_id: 'r1' });
      },
    });
    await using session = await onCall(server);
    const ear = listen(session);
    await session.send({ type: 'response.request' });
    await session.send({ type: 'response.interrupt' });
    expect(ear.all('response.interrupted')).toEqual([
      { type: 'response.interrupted', cause: 'request', responseId: 'r1', estimated: false },
    ]);
    const sent = server.peers[0]?.received.map(({ type }) => type) ?? [];
    expect(sent).toContain('output_audio_buffer.clear');
    expect(sent.filter((type) => type.startsWith('conversation.item'))).toEqual([]);
  });

  test('ends with the call', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await attach(peer);
        await peer.next('output_audio_buffer.clear');
        peer.close(1000);
      },
    });
    const session = await onCall(server);
    const ear = listen(session);
    await session.send({ type: 'raw.send', json: '{"type":"output_audio_buffer.clear"}' });
    const events = await ear.end;
    expect(events.slice(-2)).toMatchObject([
      { type: 'call.ended', callId: 'rtc_1' },
      { type: 'session.closed', reason: 'callEnded' },
    ]);
  });

  test('leaves the buffer to the provider when the caller speaks', async () => {
    await using server = await startWireServer({
      async script(peer) {
        await attach(peer);
        begin(peer, 'r1');
        peer.send({ type: 'output_audio_buffer.started', response_id: 'r1' });
        userSpeaks(peer, 'u1');
        peer.send({ type: 'output_audio_buffer.cleared', response_id: 'r1' });
        finish(peer, 'r1', { status: 'cancelled', reason: 'turn_detected' });
      },
    });
    await using session = await onCall(server);
    const ear = listen(session);
    await ear.next('response.completed');
    expect(ear.all('response.interrupted')).toMatchObject([{ cause: 'speech', responseId: 'r1' }]);
    expect(server.peers[0]?.received.map(({ type }) => type)).toEqual(['session.update']);
  });
});
