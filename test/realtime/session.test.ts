// A session on one link: connecting, its phases, what it takes and what it refuses, its time, its history, its calls.

import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import type { RealtimeDeadlines, RealtimeInput } from '../../src/contracts/realtime.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { connectRealtime } from '../../src/realtime/connect.ts';
import { simulatedHost } from '../../src/testing/index.ts';
import { audioOf, dialSession, everyCapability, FakeWire, openSession, responseEnd, speech } from './fake-wire.ts';

describe('connecting', () => {
  test('resolves with a session that is ready', async () => {
    const wire = new FakeWire();
    const connected = connectRealtime(wire, { host: simulatedHost() });
    await Promise.resolve();
    wire.give(
      { type: 'wire.opened' },
      { type: 'session.created', sessionId: 'sess_9', settings: { expiresAt: 5_000 } },
    );
    const session = await connected;
    expect({ id: session.id, phase: session.phase }).toEqual({ id: 'sess_9', phase: 'ready' });
    expect([...session.capabilities]).toEqual(everyCapability);
    await session.close();
  });

  test('rejects with the error of the link', async () => {
    const wire = new FakeWire();
    const connected = connectRealtime(wire, { host: simulatedHost() });
    const error = new ModelError('model.unauthorized', 'no key', { retryable: false });
    wire.give({ type: 'wire.closed', code: 1006, error });
    await expect(connected).rejects.toBe(error);
  });

  test.each([
    ['the link', []],
    ['the session', [{ type: 'wire.opened' }]],
    ['the configuration', [{ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} }]],
    [
      'the history',
      [
        { type: 'wire.opened' },
        { type: 'session.created', sessionId: 's', settings: {} },
        { type: 'session.configured', settings: {} },
      ],
    ],
  ] as const)('rejects when %s does not come in time', async (_, facts) => {
    const host = simulatedHost();
    const wire = new FakeWire({ acknowledges: false });
    const connected = connectRealtime(wire, { host, history: [userMessage('hi')] });
    wire.give(...facts);
    const caught = connected.catch((error: unknown) => error);
    await host.advance(15_000);
    expect(await caught).toMatchObject({ code: 'model.connection', retryable: true });
    expect(host.pendingTimers()).toBe(0);
  });

  test('a deadline that is undefined is the default', async () => {
    const host = simulatedHost();
    const deadlines = { connectMs: undefined } as unknown as RealtimeDeadlines; // as untyped programs write it
    const connected = connectRealtime(new FakeWire(), { host, deadlines }).catch((error: unknown) => error);
    await host.advance(15_000);
    expect(await connected).toMatchObject({ code: 'model.connection' });
  });

  test('rejects when the configuration is refused', async () => {
    const wire = new FakeWire({ acknowledges: false });
    const connected = connectRealtime(wire, { host: simulatedHost(), voice: 'nobody' });
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    const causedBy = wire.sent('session.configure')[0]?.eventId ?? '';
    wire.give({ type: 'error', kind: 'request', code: 'invalid_voice', message: 'no such voice', causedBy });
    await expect(connected).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'invalid_voice' });
  });

  test('rejects at once when the configuration is refused by a server that names no event', async () => {
    const wire = new FakeWire({ acknowledges: false });
    const connected = connectRealtime(wire, { host: simulatedHost(), voice: 'nobody' });
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    wire.give({ type: 'error', kind: 'request', code: 'invalid_voice', message: 'no such voice' });
    await expect(connected).rejects.toMatchObject({ code: 'model.rejected', providerCode: 'invalid_voice' });
  });

  test('an item of the history that is refused without a name is the oldest that waits', async () => {
    const fake = dialSession({ acknowledges: false }, { history: [userMessage('a'), userMessage('b')] });
    fake.wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    fake.wire.give({ type: 'session.configured', settings: {} });
    const [first, second] = fake.wire.sent('item.create');
    fake.wire.give({ type: 'error', kind: 'request', code: 'bad', message: 'no' });
    fake.wire.give({ type: 'item.added', itemId: second?.itemId ?? '' });
    await fake.session.ready;
    await fake.settle();
    expect(fake.told('error')).toMatchObject([{ code: 'bad', causedBy: first?.eventId }]);
  });

  test('of a server that failed and then kept silent the last words are reported', async () => {
    const host = simulatedHost();
    const wire = new FakeWire({ acknowledges: false });
    const connected = connectRealtime(wire, { host }).catch((error: unknown) => error);
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    wire.give({ type: 'error', kind: 'session', code: 'server_error', message: 'the voice is out' });
    await host.advance(15_000);
    expect(await connected).toMatchObject({
      code: 'model.connection',
      message: expect.stringContaining('did not answer in time. It said: the voice is out') as string,
    });
  });

  test('rejects at once when it is aborted, before and while it connects', async () => {
    const before = connectRealtime(new FakeWire(), { host: simulatedHost(), signal: AbortSignal.abort('enough') });
    await expect(before).rejects.toMatchObject({ code: 'model.connection', retryable: false, cause: 'enough' });
    const controller = new AbortController();
    const wire = new FakeWire();
    const during = connectRealtime(wire, { host: simulatedHost(), signal: controller.signal });
    controller.abort();
    await expect(during).rejects.toMatchObject({ code: 'model.connection' });
    expect(wire.closes).toBe(1);
  });

  test('an abort later closes the session', async () => {
    const controller = new AbortController();
    const fake = await openSession({}, { signal: controller.signal });
    controller.abort();
    await fake.settle();
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'aborted' }]);
  });

  test('the configuration is what was asked for, without what is not the server’s', async () => {
    const fake = await openSession({}, { voice: 'marin', deadlines: { closeMs: 1 }, playback: 'estimate' });
    expect(fake.wire.sent('session.configure')).toMatchObject([{ configuration: { voice: 'marin' } }]);
    expect(Object.keys(fake.wire.sent('session.configure')[0]?.configuration ?? {})).toEqual(['voice']);
  });
});

describe('phase', () => {
  test('says in one word what the regions do together', async () => {
    const fake = dialSession();
    const { wire, session } = fake;
    const phases = [session.phase];
    const note = () => phases.push(session.phase);
    wire.give({ type: 'wire.opened' }, { type: 'session.created', sessionId: 's', settings: {} });
    note();
    await fake.send({ type: 'audio.append', audio: audioOf(20) });
    note();
    wire.give({ type: 'speech.started' });
    note();
    wire.give({ type: 'speech.stopped' }, { type: 'response.created', responseId: 'r1' });
    note();
    wire.give(speech('r1', 'i1', 200));
    await fake.host.advance(50);
    void fake.send({ type: 'response.interrupt' });
    note();
    wire.give(responseEnd('r1', { status: 'cancelled' }));
    wire.give({ type: 'response.created', responseId: 'r2' });
    wire.give({ type: 'toolCall.requested', responseId: 'r2', callId: 'c', itemId: 'i', name: 't', rawArgs: '' });
    wire.give(responseEnd('r2'));
    note();
    void session.close({ drainMs: 100 });
    note();
    await fake.host.advance(100);
    note();
    expect(phases).toEqual([
      'connecting',
      'ready',
      'listening',
      'userSpeaking',
      'responding',
      'interrupting',
      'toolRunning',
      'draining',
      'closed',
    ]);
  });

  test('a lost link ends in closed, and says why', async () => {
    const fake = await openSession();
    fake.wire.drop({ code: 1001, reason: 'going away' });
    await fake.settle();
    expect(fake.session.phase).toBe('closed');
    expect(fake.told('session.closed')).toEqual([
      { type: 'session.closed', reason: 'connectionLost', code: 1001, message: 'going away' },
    ]);
  });
});

describe('inputs', () => {
  test.each([
    [{ type: 'audio.play' }, 'There is no input "audio.play"'],
    [{ type: 'toString' }, 'There is no input "toString"'],
    [undefined, 'An input must be an object'],
    [{ type: 'audio.append', audio: 'AAAA' }, 'audio must be a Uint8Array'],
    [{ type: 'text.send' }, 'text must be a text'],
    [{ type: 'text.send', text: 'x', respond: 'maybe' }, 'respond must be one of auto, now, never'],
    [{ type: 'playback.report', itemId: 'i', playedMs: Number.NaN }, 'playedMs must be a number'],
    [{ type: 'toolResult.send', callId: 'c' }, 'result must be text'],
    [{ type: 'toolResult.send', callId: 'c', result: 'x' }, 'No call "c" waits for a result'],
    [{ type: 'call.hangup' }, 'it lacks the capability "callControl"'],
    [{ type: 'raw.send', json: '{' }, 'is not JSON'],
    [{ type: 'raw.send', json: '{"type":"nonsense"}' }, 'no client event "nonsense"'],
    [{ type: 'raw.send' }, 'either json (a text) or payload'],
    [
      Object.defineProperty({}, 'type', {
        get() {
          throw new Error('trap');
        },
      }),
      'could not be read: trap',
    ],
  ])('that are invalid are refused: %#', async (input, message) => {
    const fake = await openSession();
    await expect(fake.send(input as unknown as RealtimeInput)).rejects.toMatchObject({
      code: 'message.invalid',
      message: expect.stringContaining(message),
    });
    expect(fake.session.phase).toBe('ready');
  });

  test('a refusal nobody looks at is not an unhandled rejection', async () => {
    const fake = await openSession();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    void fake.send({ type: 'nonsense' } as unknown as RealtimeInput);
    void fake.send({ type: 'response.request' });
    await fake.session.close();
    void fake.send({ type: 'audio.clear' });
    await fake.settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('text is an item, with or without a reply', async () => {
    const fake = await openSession();
    await fake.send({ type: 'text.send', text: 'know this', role: 'system', respond: 'never' });
    expect(fake.wire.sent('item.create')).toMatchObject([
      { item: { kind: 'message', role: 'system', content: [{ type: 'text', text: 'know this' }] } },
    ]);
    expect(fake.wire.sent('response.create')).toEqual([]);
    await fake.send({ type: 'text.send', text: 'and this' });
    expect(fake.wire.sent('response.create')).toHaveLength(1);
  });

  test('a text the server refuses owes no reply', async () => {
    const fake = await openSession({ acknowledges: false });
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const sent = fake.send({ type: 'text.send', text: 'x' });
    const causedBy = fake.wire.sent('item.create')[0]?.eventId ?? '';
    fake.wire.give({ type: 'error', kind: 'request', code: 'bad', message: 'no', causedBy }, responseEnd('r1'));
    await expect(sent).rejects.toMatchObject({ code: 'model.rejected' });
    expect(fake.wire.sent('response.create')).toEqual([]);
  });

  test('an image is an item with its words', async () => {
    const fake = await openSession();
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } } as const;
    await fake.send({ type: 'image.send', image, text: 'what is this?' });
    expect(fake.wire.sent('item.create')).toMatchObject([
      { item: { role: 'user', content: [{ type: 'text', text: 'what is this?' }, image] } },
    ]);
  });

  test('an update is taken when the server says so', async () => {
    const fake = await openSession();
    await fake.send({ type: 'session.update', voice: 'cedar' });
    expect(fake.wire.sent('session.update')).toMatchObject([{ changes: { voice: 'cedar' } }]);
    await fake.settle();
    expect(fake.told('session.updated')).toHaveLength(1);
  });

  test('manual turns: the answer is asked for after the commit', async () => {
    const fake = await openSession();
    await fake.send({ type: 'activity.start' });
    expect(fake.session.phase).toBe('userSpeaking');
    await fake.send({ type: 'audio.append', audio: audioOf(200) });
    const ended = fake.send({ type: 'activity.end' });
    expect(fake.wire.commands.slice(1).map(({ type }) => type)).toEqual([
      'audio.append',
      'audio.commit',
      'response.create',
    ]);
    const requestId = fake.wire.sent('response.create')[0]?.eventId ?? '';
    fake.wire.give(
      { type: 'input.committed', itemId: 'u1' },
      { type: 'response.created', responseId: 'r1', requestId },
    );
    await ended;
  });

  test('manual turns: the beginning of an activity interrupts what is said', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 300));
    await fake.host.advance(100);
    const started = fake.send({ type: 'activity.start' });
    expect(fake.wire.sent('response.cancel')).toMatchObject([{ responseId: 'r1' }]);
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ audioEndMs: 100 }]);
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await started;
  });

  test('audio that is thrown away is gone, also what waited', async () => {
    const fake = await openSession({ writes: 'later' }, { backpressure: { highWaterBytes: 100 } });
    for (let index = 0; index < 3; index++) await fake.send({ type: 'audio.append', audio: audioOf(10) });
    await fake.send({ type: 'audio.clear' });
    fake.wire.writeAll();
    expect(fake.wire.commands.slice(1).map(({ type }) => type)).toEqual(['audio.append', 'audio.clear']);
  });
});

describe('raw', () => {
  test('a result in it is the result of its call', async () => {
    const fake = await openSession();
    const call = { callId: 'c1', itemId: 'i1', name: 'look', rawArgs: '{}' };
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, responseEnd('r1', { calls: [call] }));
    await fake.send({ type: 'raw.send', payload: { type: 'result', callId: 'c1' } });
    await fake.settle();
    expect(fake.wire.sent('raw')).toHaveLength(1);
    expect(fake.session.phase).toBe('ready');
    await fake.session.close();
    await fake.settle();
    expect(fake.told('toolCall.resultSent')).toMatchObject([{ callId: 'c1', delivered: 'sent' }]);
  });

  test('a request goes through the response region', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' });
    const sent = fake.send({ type: 'raw.send', json: '{"type":"response.create","modalities":["text"]}' });
    expect(fake.wire.sent('response.create')).toEqual([]);
    fake.wire.give(responseEnd('r1'));
    expect(fake.wire.sent('response.create')).toMatchObject([{ raw: { modalities: ['text'] } }]);
    const requestId = fake.wire.sent('response.create')[0]?.eventId ?? '';
    fake.wire.give({ type: 'response.created', responseId: 'r2', requestId });
    await sent;
  });

  test('a cancel interrupts: what was heard is reported', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 300));
    await fake.host.advance(100);
    const sent = fake.send({ type: 'raw.send', payload: { type: 'response.cancel' } });
    fake.wire.give(responseEnd('r1', { status: 'cancelled' }));
    await sent;
    expect(fake.wire.sent('item.truncate')).toMatchObject([{ audioEndMs: 100 }]);
  });

  test('audio keeps its place, and everything else goes out as it is', async () => {
    const fake = await openSession();
    for (const type of ['input.append', 'input.commit', 'input.clear', 'other']) {
      void fake.send({ type: 'raw.send', payload: { type } });
    }
    expect(fake.wire.commands.slice(1).map(({ type }) => type)).toEqual([
      'audio.append',
      'audio.commit',
      'audio.clear',
      'raw',
    ]);
    expect(fake.session.phase).toBe('listening');
  });

  test('a server event without a neutral form comes through as it is', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'raw', event: { type: 'rate_limits.updated' } });
    await fake.settle();
    expect(fake.told('raw')).toEqual([{ type: 'raw', provider: 'fake', event: { type: 'rate_limits.updated' } }]);
  });

  test('the end of an answer that never began comes through', async () => {
    const fake = await openSession();
    fake.wire.give(responseEnd('ghost'));
    await fake.settle();
    expect(fake.told('raw')).toMatchObject([{ event: { type: 'response.done', responseId: 'ghost' } }]);
  });
});

describe('history', () => {
  const history: readonly Message[] = [
    userMessage('What is the weather?'),
    assistantMessage([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Let me look.' },
      { type: 'toolCall', id: 'c1', name: 'look', args: { at: 'Rome' } },
    ]),
    {
      id: 'm3',
      role: 'tool',
      content: [{ type: 'toolResult', callId: 'c1', status: 'completed', content: [{ type: 'text', text: 'sunny' }] }],
    },
    assistantMessage([
      { type: 'audio', source: { type: 'url', url: 'https://example.org/a.wav' }, transcript: 'Sunny.' },
    ]),
  ];

  test('is added before the session is ready, calls and results with it', async () => {
    const fake = await openSession({}, { history });
    expect(fake.wire.sent('item.create').map(({ item }) => item)).toEqual([
      { kind: 'message', role: 'user', content: [{ type: 'text', text: 'What is the weather?' }] },
      { kind: 'message', role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }] },
      { kind: 'call', callId: 'c1', name: 'look', rawArgs: '{"at":"Rome"}' },
      { kind: 'result', callId: 'c1', output: 'sunny' },
      { kind: 'message', role: 'assistant', content: [{ type: 'text', text: 'Sunny.' }] },
    ]);
    expect(fake.wire.sent('response.create')).toEqual([]);
  });

  test('that was compacted begins with its summary', async () => {
    const kept = userMessage('and now?', { id: 'kept' });
    const { messages } = createConversation({
      messages: [
        userMessage('long ago'),
        userMessage([{ type: 'boundary', summary: 'We spoke of Rome.', keepFrom: 'kept' }]),
        kept,
      ],
    });
    const fake = await openSession({}, { history: messages });
    expect(fake.wire.sent('item.create').map(({ item }) => item)).toMatchObject([
      { role: 'user', content: [{ text: 'We spoke of Rome.' }] },
      { role: 'user', content: [{ text: 'and now?' }] },
    ]);
  });

  test('an item the server refuses is reported, and the rest still becomes history', async () => {
    const fake = dialSession({ acknowledges: false }, { history: [userMessage('a'), userMessage('b')] });
    fake.wire.give(
      { type: 'wire.opened' },
      { type: 'session.created', sessionId: 's', settings: {} },
      { type: 'session.configured', settings: {} },
    );
    const [first, second] = fake.wire.sent('item.create');
    fake.wire.give({ type: 'error', kind: 'request', code: 'bad', message: 'no', causedBy: first?.eventId ?? '' });
    fake.wire.give({ type: 'item.added', itemId: second?.itemId ?? '' });
    await fake.session.ready;
    await fake.settle();
    expect(fake.told('error')).toHaveLength(1);
  });
});

describe('time', () => {
  test('a session says that it expires, a minute before', async () => {
    const fake = await openSession({ settings: { expiresAt: 3_600_000 } });
    await fake.host.advance(3_539_999);
    expect(fake.told('session.expiring')).toEqual([]);
    await fake.host.advance(1);
    expect(fake.told('session.expiring')).toEqual([{ type: 'session.expiring', inMs: 60_000, source: 'timer' }]);
    await fake.host.advance(60_000);
    fake.wire.drop({ code: 1000 });
    await fake.settle();
    expect(fake.told('session.closed')).toMatchObject([{ reason: 'expired' }]);
    expect(fake.host.pendingTimers()).toBe(0);
  });

  test('a server that says it first is passed on', async () => {
    const fake = await openSession();
    fake.wire.give({ type: 'session.expiring', inMs: 50_000, source: 'goAway' });
    await fake.settle();
    expect(fake.told('session.expiring')).toEqual([{ type: 'session.expiring', inMs: 50_000, source: 'goAway' }]);
  });
});

test('tokens are counted by report and in total, by kind', async () => {
  const fake = await openSession();
  const usage = { inputTokens: 10, outputTokens: 5, inputAudioTokens: 8, outputAudioTokens: 4 };
  fake.wire.give({ type: 'response.created', responseId: 'r1' }, responseEnd('r1', { usage }));
  fake.wire.give({ type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } });
  await fake.settle();
  expect(fake.told('usage').map(({ total }) => total)).toEqual([
    usage,
    { inputTokens: 13, outputTokens: 6, inputAudioTokens: 8, outputAudioTokens: 4 },
  ]);
});

describe('a call', () => {
  const steered = (call: (control: { readonly type: string }) => Promise<void>) =>
    openSession({ playedBy: 'server', callId: 'c', capabilities: ['callControl', 'interrupt'], call });

  test('is hung up, transferred and dialled outside the socket', async () => {
    const controls: unknown[] = [];
    const fake = await steered((control) => Promise.resolve(void controls.push(control)));
    await fake.send({ type: 'call.dtmf', digits: '1#' });
    await fake.send({ type: 'call.refer', targetUri: 'tel:+1' });
    await fake.send({ type: 'call.hangup' });
    expect(controls).toEqual([
      { type: 'call.dtmf', digits: '1#' },
      { type: 'call.refer', targetUri: 'tel:+1' },
      { type: 'call.hangup' },
    ]);
  });

  test('what the provider refuses is refused', async () => {
    const fake = await steered(() => Promise.reject(new Error('404')));
    await expect(fake.send({ type: 'call.hangup' })).rejects.toMatchObject({ code: 'model.rejected' });
    await expect(fake.send({ type: 'audio.append', audio: audioOf(1) })).rejects.toMatchObject({
      code: 'message.invalid',
    });
  });
});
