// Options of sessions and of their operatives that make no sense: told before anything is dialled, with their name.

import { describe, expect, test } from 'vitest';
import { connectRealtime } from '../../src/realtime/connect.ts';
import { createRealtimeOperative } from '../../src/realtime/operative.ts';
import { openaiRealtime } from '../../src/realtime/openai/model.ts';
import { FakeWire, openSession } from './fake-wire.ts';

const connect = (options: unknown, wire = new FakeWire()) => connectRealtime(wire, options as object);

describe('a session', () => {
  test.each<[string, unknown]>([
    ['deadlines.responseMs', { deadlines: { responseMs: Number.NaN } }],
    ['deadlines.connectMs', { deadlines: { connectMs: -1 } }],
    ['deadlines.speechMs', { deadlines: { speechMs: '5' } }],
    ['deadlines', { deadlines: 5 }],
    ['deadlines', { deadlines: null }],
    ['keepAlive', { keepAlive: 'on' }],
    ['keepAlive.everyMs', { keepAlive: { everyMs: 0 } }],
    ['keepAlive.answerMs', { keepAlive: { answerMs: Number.NaN } }],
    ['backpressure', { backpressure: null }],
    ['backpressure.microphoneMs', { backpressure: { microphoneMs: Number.NaN } }],
    ['history', { history: 'x' }],
    ['history', { history: [null] }],
    ['history', { history: [{ role: 'user', content: [null] }] }],
    ['history', { history: [{ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'n', args: 1n }] }] }],
    ['playback', { playback: {} }],
    ['signal', { signal: {} }],
    ['host', { host: null }],
    ['host', { host: { now: 5 } }],
    ['microphone', { microphone: [] }],
    ['inspect', { inspect: 5 }],
    ['onListenerError', { onListenerError: 'x' }],
    ['inputFormat', { inputFormat: { type: 'mp3' } }],
    ['outputFormat', { outputFormat: { type: 'pcm16', rate: 0 } }],
  ])('with a wrong %s is refused by name', async (name, options) => {
    const wire = new FakeWire();
    await expect(connect(options, wire)).rejects.toMatchObject({
      name: 'TurnchartError',
      code: 'options.invalid',
      message: expect.stringContaining(`"${name}"`),
    });
    expect(wire.dials).toBe(0);
  });

  test.each<[string, unknown]>([
    ['tools', { tools: [null] }],
    ['systemPrompt', { systemPrompt: 'You are kind.' }],
    ['turnDetection', { turnDetection: { mode: 'server_vad' } }],
    ['inputTranscription', { inputTranscription: null }],
    ['speed', { speed: Number.NaN }],
  ])('with a wrong %s, which can change later, is refused as a change would be', async (name, options) => {
    await expect(connect(options)).rejects.toMatchObject({
      code: 'options.invalid',
      message: expect.stringContaining(`${name} must be`),
    });
  });

  test('without an object of options is refused', async () => {
    await expect(connect(null)).rejects.toMatchObject({ code: 'options.invalid' });
  });

  test('next to a call is refused before the call is answered', async () => {
    const asked: unknown[] = [];
    const client = { baseURL: 'http://x', apiKey: 'k', realtime: { calls: { accept: () => asked.push(1) } } };
    const model = openaiRealtime({ model: 'm', client: client as never });
    await expect(model.connectForCall({ callId: 'c' }, { deadlines: { connectMs: Number.NaN } })).rejects.toMatchObject(
      { code: 'options.invalid' },
    );
    expect(asked).toEqual([]);
  });

  test('with what is only the provider’s to know, undefined and no bounds is made', async () => {
    const fake = await openSession(
      {},
      {
        voice: 'x',
        deadlines: { responseMs: Infinity, connectMs: 1 },
        keepAlive: { everyMs: Infinity },
        inputFormat: { type: 'g711Ulaw' },
      },
    );
    expect(fake.session.phase).toBe('ready');
  });
});

describe('an operative', () => {
  test.each<[string, unknown]>([
    ['tools', { tools: 'x' }],
    ['approve', { approve: 5 }],
    ['toolTimeoutMs', { toolTimeoutMs: Number.NaN }],
    ['maxParallelTools', { maxParallelTools: 0 }],
    ['onBargeIn', { onBargeIn: 'drop' }],
    ['cancelGraceMs', { cancelGraceMs: -1 }],
    ['announceTasks', { announceTasks: 'shout' }],
    ['onListenerError', { onListenerError: 5 }],
  ])('with a wrong %s is refused by name', async (name, options) => {
    const { session } = await openSession();
    expect(() => createRealtimeOperative(session, options as object)).toThrow(`The option "${name}" must be`);
  });

  test('without an object of options is refused', async () => {
    const { session } = await openSession();
    expect(() => createRealtimeOperative(session, null as unknown as object)).toThrow(
      'A realtime operative takes an object of options, got null',
    );
  });
});
