// Events of the server that never come: nothing in a session waits for one forever. What bounds each wait is on the
// chart, and here is each of them by itself.

import { describe, expect, test } from 'vitest';
import type { RealtimeInput } from '../../src/contracts/realtime.ts';
import type { WireFact } from '../../src/realtime/wire.ts';
import { audioOf, openSession, responseEnd, speech, type FakeSession } from './fake-wire.ts';

/** The user speaks, and a reply is owed meanwhile. */
async function speakingAndOwing(options: Parameters<typeof openSession> = []): Promise<FakeSession> {
  const fake = await openSession(...options);
  fake.wire.give({ type: 'speech.started', itemId: 'u1' });
  void fake.send({ type: 'text.send', text: 'hi' });
  await fake.settle();
  expect({ phase: fake.session.phase, asked: asked(fake) }).toEqual({ phase: 'userSpeaking', asked: 0 });
  return fake;
}

const asked = ({ wire }: FakeSession): number => wire.sent('response.create').length;

const serverVad = { settings: { detection: 'server_vad', createsResponse: false, interruptsResponse: true } } as const;

describe('the end of the user’s speech is never reported', () => {
  test('an owed reply is asked for after a minute, and the session says why', async () => {
    const fake = await speakingAndOwing();
    await fake.host.advance(59_999);
    expect(asked(fake)).toBe(0);
    await fake.host.advance(1);
    expect(asked(fake)).toBe(1);
    expect(fake.told('error')).toMatchObject([{ recoverable: true, code: 'speech.timeout' }]);
  });

  test('how long is an option', async () => {
    const fake = await speakingAndOwing([{}, { deadlines: { speechMs: 500 } }]);
    await fake.host.advance(500);
    expect(asked(fake)).toBe(1);
  });

  test('a speech that begins after it has its own time', async () => {
    const fake = await speakingAndOwing();
    await fake.host.advance(40_000);
    fake.wire.give({ type: 'speech.started', itemId: 'u2' });
    await fake.host.advance(59_999);
    expect(asked(fake)).toBe(0);
    await fake.host.advance(1);
    expect(asked(fake)).toBe(1);
  });

  test.each<[string, WireFact]>([
    ['the server committed it', { type: 'input.committed', itemId: 'u1' }],
    ['the server cleared it', { type: 'input.cleared' }],
    ['turn detection was switched off', { type: 'session.configured', settings: { detection: 'off' } }],
    ['another turn detection listens', { type: 'session.configured', settings: { detection: 'semantic_vad' } }],
  ])('%s: the reply is asked for at once', async (_, fact) => {
    const fake = await speakingAndOwing([serverVad]);
    fake.wire.give(fact);
    expect(asked(fake)).toBe(1);
  });

  test('the server waited for the user in vain: the reply is requested once the server has had its chance', async () => {
    const fake = await speakingAndOwing([serverVad]);
    fake.wire.give({ type: 'input.idle' });
    await fake.host.advance(1_000);
    expect(asked(fake)).toBe(1);
  });

  test('the settings changed otherwise: the user speaks still', async () => {
    const fake = await speakingAndOwing([serverVad]);
    fake.wire.give({ type: 'session.configured', settings: { detection: 'server_vad' } });
    expect({ phase: fake.session.phase, asked: asked(fake) }).toEqual({ phase: 'userSpeaking', asked: 0 });
  });

  test('the server answers: what comes up meanwhile is asked for after its answer', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'speech.started', itemId: 'u1' }, { type: 'response.created', responseId: 'r1' });
    void fake.send({ type: 'response.request' });
    fake.wire.give(responseEnd('r1'));
    expect(asked(fake)).toBe(1);
  });

  test('an answer that was asked for crosses the speech: the user speaks still', async () => {
    const fake = await openSession({ settings: { interruptsResponse: false } });
    void fake.send({ type: 'response.request' });
    const [create] = fake.wire.sent('response.create');
    fake.wire.give(
      { type: 'speech.started', itemId: 'u1' },
      { type: 'response.created', responseId: 'r1', requestId: create?.eventId ?? '' },
    );
    expect(fake.session.phase).toBe('userSpeaking');
  });

  test.each<[string, RealtimeInput]>([
    ['commits what was said', { type: 'audio.commit' }],
    ['commits it by hand', { type: 'raw.send', payload: { type: 'input.commit' } }],
    ['clears it', { type: 'audio.clear' }],
    ['clears it by hand', { type: 'raw.send', payload: { type: 'input.clear' } }],
  ])('the application %s: no word of the server’s is needed', async (_, input) => {
    const fake = await speakingAndOwing([{ ...serverVad, acknowledges: false }]);
    void fake.send(input);
    expect(asked(fake)).toBe(1);
    expect(fake.wire.commands.map(({ type }) => type).slice(-2)).toEqual([
      expect.stringMatching(/^audio\.(commit|clear)$/),
      'response.create',
    ]);
  });
});

describe('the end of an answer is never reported', () => {
  test('it counts as ended when nothing came of it for two minutes, and what is owed is asked for', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    void fake.send({ type: 'response.request' });
    await fake.host.advance(100_000);
    fake.wire.give(speech('r1', 'i1', 100));
    await fake.host.advance(119_999);
    expect(asked(fake)).toBe(0);
    await fake.host.advance(1);
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'r1' }]);
    expect(fake.told('response.completed')).toMatchObject([
      { responseId: 'r1', status: 'incomplete', reason: 'the server never ended it' },
    ]);
    expect(fake.told('error')).toMatchObject([{ recoverable: true, code: 'response.timeout' }]);
    expect(asked(fake)).toBe(1);
  });

  test('a clock that is put back gives it its time once more, and no hour', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const { now } = fake.host;
    fake.host.now = () => now() - 3_600_000;
    await fake.host.advance(240_000);
    expect(fake.told('response.completed')).toMatchObject([{ responseId: 'r1', status: 'incomplete' }]);
  });

  test('events without a neutral form are signs of life', async () => {
    const fake = await openSession({}, { deadlines: { answerMs: 1_000 } });
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    for (let round = 0; round < 5; round++) {
      await fake.host.advance(900);
      fake.wire.give({ type: 'raw', event: { type: 'response.function_call_arguments.delta' } });
    }
    expect(fake.session.phase).toBe('responding');
  });

  test('the user who goes on speaking does not count', async () => {
    const fake = await openSession({ settings: { interruptsResponse: false } }, { deadlines: { answerMs: 1_000 } });
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    for (let round = 0; round < 5; round++) {
      fake.wire.give({ type: 'speech.started', itemId: `u${round}` }, { type: 'speech.stopped', itemId: `u${round}` });
      await fake.host.advance(300);
    }
    expect(fake.told('response.completed')).toMatchObject([{ responseId: 'r1', status: 'incomplete' }]);
  });

  test('the model speaks of the results of its calls', async () => {
    const fake = await openSession();
    fake.wire.give(
      { type: 'response.created', responseId: 'r1' },
      { type: 'toolCall.requested', responseId: 'r1', callId: 'c1', itemId: 'f1', name: 'look', rawArgs: '{}' },
    );
    await fake.send({ type: 'toolResult.send', callId: 'c1', result: 'seen' });
    await fake.host.advance(120_000);
    expect(asked(fake)).toBe(1);
  });

  test('another one begins: the model speaks of the results of its calls after that', async () => {
    const fake = await openSession();
    fake.wire.give(
      { type: 'response.created', responseId: 'r1' },
      { type: 'toolCall.requested', responseId: 'r1', callId: 'c1', itemId: 'f1', name: 'look', rawArgs: '{}' },
      { type: 'response.created', responseId: 'r2' },
    );
    await fake.send({ type: 'toolResult.send', callId: 'c1', result: 'seen' });
    fake.wire.give(responseEnd('r2'));
    await fake.settle();
    expect(fake.told('response.completed')[0]).toMatchObject({ responseId: 'r1', status: 'incomplete' });
    expect(asked(fake)).toBe(1);
  });

  test('one that continues at the server is waited for, and the request is not repeated over and over', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    void fake.send({ type: 'response.request' });
    await fake.host.advance(120_000);
    const refusal = (): WireFact => ({
      type: 'error',
      kind: 'request',
      code: 'conversation_already_has_active_response',
      message: 'r1 is active',
      causedBy: fake.wire.sent('response.create').at(-1)?.eventId ?? '',
      activeResponseId: 'r1',
    });
    fake.wire.give(refusal());
    expect(asked(fake)).toBe(1);
    fake.wire.give(responseEnd('r1', { status: 'cancelled', usage: { inputTokens: 3, outputTokens: 4 } }));
    expect(asked(fake)).toBe(2);
    await fake.settle();
    expect(fake.told('response.completed')).toHaveLength(1);
    expect(fake.told('usage')).toMatchObject([{ delta: { inputTokens: 3 }, total: { outputTokens: 4 } }]);
  });

  test('a request that crossed it is waited for, and given up in its own time', async () => {
    const fake = await openSession();
    const sent = fake.send({ type: 'response.request' });
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const second = fake.send({ type: 'response.request', instructions: 'more' });
    await fake.host.advance(120_000);
    expect(asked(fake)).toBe(1);
    await fake.host.advance(10_000);
    expect(asked(fake)).toBe(2);
    await fake.host.advance(10_000);
    await expect(sent).rejects.toMatchObject({ providerCode: 'response.timeout' });
    await expect(second).rejects.toMatchObject({ providerCode: 'response.timeout' });
  });

  test('a server that still counts one as active whose end it reported is asked again at once, and then every ten seconds', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, responseEnd('r1'));
    void fake.send({ type: 'response.request' });
    for (let refused = 0; refused < asked(fake); refused++) {
      fake.wire.give({
        type: 'error',
        kind: 'request',
        code: 'conversation_already_has_active_response',
        message: 'r1 is active',
        causedBy: fake.wire.sent('response.create').at(-1)?.eventId ?? '',
        activeResponseId: 'r1',
      });
    }
    expect(asked(fake)).toBe(2);
    await fake.host.advance(10_000);
    expect(asked(fake)).toBe(3);
  });

  test('one outside the conversation is given up as well, and stopped', async () => {
    const fake = await openSession({}, { deadlines: { answerMs: 1_000 } });
    void fake.send({ type: 'response.request', outOfBand: true });
    const [create] = fake.wire.sent('response.create');
    fake.wire.give({ type: 'response.created', responseId: 'o1', requestId: create?.eventId ?? '', outOfBand: true });
    await fake.host.advance(900);
    fake.wire.give({ type: 'text.delta', responseId: 'o1', itemId: 'i1', contentIndex: 0, text: 'x' });
    await fake.host.advance(900);
    expect(fake.told('response.completed')).toEqual([]);
    await fake.host.advance(100);
    expect(fake.told('response.completed')).toMatchObject([{ responseId: 'o1', status: 'incomplete' }]);
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'o1' }]);
    expect(fake.host.pendingTimers()).toBe(0);
  });
});

describe('the end of what the provider plays is never reported', () => {
  const call = { playedBy: 'server', callId: 'call', capabilities: ['interrupt', 'textInput'] } as const;

  test('it counts as played after ten minutes', async () => {
    const fake = await openSession(call);
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, { type: 'output.started' }, responseEnd('r1'));
    await fake.host.advance(599_999);
    expect(fake.session.phase).toBe('responding');
    await fake.host.advance(1);
    expect(fake.session.phase).toBe('listening');
    expect(fake.told('error')).toMatchObject([{ code: 'response.timeout' }]);
  });

  test('what is played after it has its own time', async () => {
    const fake = await openSession(call, { deadlines: { playbackMs: 1_000 } });
    fake.wire.give({ type: 'output.started' });
    await fake.host.advance(900);
    fake.wire.give({ type: 'output.started' });
    await fake.host.advance(900);
    expect(fake.session.phase).toBe('responding');
  });

  test('what is played here ends by the clock, however long it is', async () => {
    const fake = await openSession({}, { deadlines: { playbackMs: 1_000 } });
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 5_000), responseEnd('r1'));
    await fake.host.advance(4_999);
    expect(fake.session.phase).toBe('responding');
    await fake.host.advance(1);
    expect(fake.session.phase).toBe('ready');
  });
});

describe('a call that is steered by a server that says nothing', () => {
  const call = (answer: () => Promise<void>) =>
    openSession({ playedBy: 'server', callId: 'c', capabilities: ['callControl'], call: answer });
  const never = () => new Promise<void>(() => undefined);

  test('a transfer is given up after ten seconds', async () => {
    const fake = await call(never);
    const sent = fake.send({ type: 'call.refer', targetUri: 'tel:+1' });
    await fake.host.advance(10_000);
    await expect(sent).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'response.timeout' });
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('the end of the session settles what waits: a call that is hung up is over', async () => {
    const fake = await call(never);
    const refer = fake.send({ type: 'call.refer', targetUri: 'tel:+1' });
    const hangup = fake.send({ type: 'call.hangup' });
    fake.wire.give({ type: 'call.ended' });
    await hangup;
    await expect(refer).rejects.toMatchObject({ code: 'operative.closed' });
    await fake.settle();
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('what it answers in time counts', async () => {
    const fake = await call(() => Promise.resolve());
    await fake.send({ type: 'call.refer', targetUri: 'tel:+1' });
    await fake.settle();
    expect(fake.host.pendingTimers()).toBe(0);
  });
});

describe('an input that is never acknowledged', () => {
  const mute = { acknowledges: false } as const;

  test.each<RealtimeInput>([
    { type: 'audio.commit' },
    { type: 'audio.clear' },
    { type: 'session.update', voice: 'other' },
    { type: 'text.send', text: 'x', respond: 'never' },
    { type: 'raw.send', payload: { type: 'input.commit' } },
  ])('%j is given up after ten seconds', async (input) => {
    const fake = await openSession(mute);
    const sent = fake.send(input);
    await fake.host.advance(10_000);
    await expect(sent).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'response.timeout' });
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('its time begins when it is sent', async () => {
    const fake = await openSession({ ...mute, writes: 'later' }, { backpressure: { highWaterBytes: 1 } });
    for (let index = 0; index < 3; index++) void fake.send({ type: 'audio.append', audio: audioOf(20) });
    let outcome = 'waits';
    void fake.send({ type: 'audio.commit' }).catch(() => (outcome = 'given up'));
    await fake.host.advance(60_000);
    expect({ sent: fake.wire.sent('audio.commit').length, outcome }).toEqual({ sent: 0, outcome: 'waits' });
    for (let index = 0; index < 3; index++) fake.wire.writeAll();
    await fake.host.advance(20_000);
    expect({ sent: fake.wire.sent('audio.commit').length, outcome }).toEqual({ sent: 1, outcome: 'given up' });
  });

  test('while the socket is still sending it has a minute', async () => {
    const fake = await openSession(mute);
    let outcome = 'waits';
    void fake.send({ type: 'text.send', text: 'long', respond: 'never' }).catch(() => (outcome = 'given up'));
    fake.wire.bufferedBytes = 1_000_000;
    await fake.host.advance(59_999);
    expect(outcome).toBe('waits');
    await fake.host.advance(1);
    expect(outcome).toBe('given up');
  });

  test('a message is spoken of all the same', async () => {
    const fake = await openSession(mute);
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    void fake.send({ type: 'text.send', text: 'x' });
    await fake.host.advance(10_000);
    fake.wire.give(responseEnd('r1'));
    expect(asked(fake)).toBe(1);
  });

  test('a result counts as sent, with a word about it', async () => {
    const fake = await openSession(mute);
    fake.wire.give(
      { type: 'response.created', responseId: 'r1' },
      { type: 'toolCall.requested', responseId: 'r1', callId: 'c1', itemId: 'f1', name: 'look', rawArgs: '{}' },
    );
    const sent = fake.send({ type: 'toolResult.send', callId: 'c1', result: 'seen' });
    await fake.host.advance(10_000);
    await expect(sent).rejects.toMatchObject({ providerCode: 'response.timeout' });
    expect(fake.told('toolCall.resultSent')).toMatchObject([
      { callId: 'c1', delivered: 'sent', why: expect.stringContaining('did not answer in time') },
    ]);
  });
});
