// Opening a session over a real WebSocket, and every way in which that fails.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { openaiRealtime } from '../../../src/realtime/openai/model.ts';
import type { OpenSocket } from '../../../src/realtime/openai/socket.ts';
import { simulatedHost } from '../../../src/testing/simulated-host.ts';
import { greet, takeItem } from './dialogue.ts';
import { listen } from './listen.ts';
import { startWireServer, type Peer, type WireServer } from './wire-server.ts';

const key = 'sk-test-0123456789abcdef';

afterEach(() => {
  vi.doUnmock('ws');
  vi.resetModules();
  vi.unstubAllEnvs();
});

const modelAt = ({ url }: WireServer) => openaiRealtime({ model: 'gpt-realtime', apiKey: key, baseURL: url });

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Error)) throw new Error('it did not fail');
  return thrown;
}

/** Everything of an error that may be printed or logged. */
function printed(error: unknown): string {
  const parts: string[] = [];
  for (let part: unknown = error; part instanceof Error; part = part.cause) {
    parts.push(String(part), part.stack ?? '', JSON.stringify(part, Object.getOwnPropertyNames(part)));
  }
  return parts.join('\n');
}

describe('a session', () => {
  test('opens with its model, key and settings', async () => {
    await using server = await startWireServer({ script: async (peer) => void (await greet(peer)) });
    await using session = await modelAt(server).connect({
      voice: 'cedar',
      systemPrompt: [{ type: 'text', text: 'Be brief.' }],
    });
    const [peer] = server.peers;
    expect(peer?.path).toBe('/v1/realtime?model=gpt-realtime');
    expect(peer?.headers.authorization).toBe(`Bearer ${key}`);
    expect(peer?.received).toMatchObject([
      {
        type: 'session.update',
        event_id: expect.stringMatching(/^\w{1,32}$/) as string,
        session: { type: 'realtime', instructions: 'Be brief.', audio: { output: { voice: 'cedar' } } },
      },
    ]);
    expect(session).toMatchObject({ id: 'sess_1', phase: 'ready' });
    expect([...session.capabilities].toSorted()).toEqual(
      [
        'audioInProcess',
        'imageInput',
        'interrupt',
        'manualTurns',
        'midSessionUpdate',
        'outOfBandResponses',
        'outputTruncation',
        'serverTurnDetection',
        'textInput',
        'toolCalling',
        'transcripts',
        'usageReports',
      ].toSorted(),
    );
  });

  test('has the model’s voice unless its own options name one', async () => {
    await using server = await startWireServer({ script: async (peer) => void (await greet(peer)) });
    const model = openaiRealtime({ model: 'm', apiKey: key, baseURL: server.url, voice: 'marin' });
    await using _first = await model.connect();
    await using _second = await model.connect({ voice: 'cedar' });
    expect(server.peers.map(({ received }) => received[0])).toMatchObject([
      { session: { audio: { output: { voice: 'marin' } } } },
      { session: { audio: { output: { voice: 'cedar' } } } },
    ]);
  });

  test('speaks the former generation’s shapes to a server that announces itself in them', async () => {
    await using server = await startWireServer({
      async script(peer) {
        peer.send({
          type: 'session.created',
          session: { id: 's', input_audio_format: 'pcm16', modalities: ['audio'] },
        });
        await peer.next('session.update');
        peer.send({ type: 'session.updated', session: { id: 's', input_audio_format: 'pcm16' } });
        await takeItem(peer);
      },
    });
    await using session = await modelAt(server).connect({ voice: 'alloy', turnDetection: { mode: 'manual' } });
    expect(server.peers[0]?.received[0]).toMatchObject({ session: { voice: 'alloy', turn_detection: null } });
    await session.send({ type: 'text.send', text: 'hi', role: 'assistant', respond: 'never' });
    expect(server.peers[0]?.received[1]).toMatchObject({ item: { content: [{ type: 'text', text: 'hi' }] } });
  });

  test('closes with 1000 and says so once', async () => {
    await using server = await startWireServer({ script: async (peer) => void (await greet(peer)) });
    const session = await modelAt(server).connect();
    const ear = listen(session);
    await session.close();
    await session.close();
    const events = await ear.end;
    expect(events.map(({ type }) => type)).toEqual(['session.ready', 'session.closed']);
    expect(events[1]).toEqual({ type: 'session.closed', reason: 'requested', code: 1000 });
    expect((await server.peers[0]?.closed)?.code).toBe(1000);
  });

  test('goes over a socket of the app’s own', async () => {
    const requests: unknown[] = [];
    const socket: OpenSocket = (request, listener) => {
      requests.push(request);
      const tell = (event: object): void => queueMicrotask(() => listener.text(JSON.stringify(event)));
      queueMicrotask(() => listener.opened());
      tell({ type: 'session.created', session: { id: 'own' } });
      return {
        send: (text) => {
          if (text.includes('session.update')) tell({ type: 'session.updated', session: { id: 'own' } });
        },
        bufferedBytes: 0,
        tellsWritten: false,
        close: () => queueMicrotask(() => listener.closed(1000, '')),
        terminate: () => undefined,
      };
    };
    const model = openaiRealtime({ model: 'm', apiKey: key, socket, headers: { 'x-a': 'b' } });
    await using session = await model.connect();
    expect(session.id).toBe('own');
    expect(requests).toMatchObject([
      { url: 'wss://api.openai.com/v1/realtime?model=m', headers: { Authorization: `Bearer ${key}`, 'x-a': 'b' } },
    ]);
  });
});

describe('a refusal', () => {
  test.each([
    [401, { code: 'invalid_api_key', message: `Incorrect API key provided: ${key}` }, 'model.unauthorized', false],
    [404, { code: 'model_not_found', message: 'no such model' }, 'model.notFound', false],
    [429, { code: 'rate_limit_exceeded', message: 'slow down' }, 'model.rateLimited', true],
    [503, { message: 'busy' }, 'model.overloaded', true],
  ])('with HTTP %i is a ModelError that quotes no key', async (status, error, code, retryable) => {
    await using server = await startWireServer({ refuse: { status, body: JSON.stringify({ error }) } });
    const thrown = await failureOf(modelAt(server).connect());
    expect(thrown).toMatchObject({ name: 'ModelError', code, retryable, status });
    expect(printed(thrown)).not.toContain(key);
  });

  test('with a page instead of JSON is one too', async () => {
    await using server = await startWireServer({ refuse: { status: 502, body: '<html>bad gateway</html>' } });
    expect(await failureOf(modelAt(server).connect())).toMatchObject({
      code: 'model.failed',
      status: 502,
      retryable: true,
    });
  });

  test('by a close with the reason’s words', async () => {
    await using server = await startWireServer({
      script: (peer) => peer.close(4000, 'invalid_request_error.invalid_api_key'),
    });
    expect(await failureOf(modelAt(server).connect())).toMatchObject({ code: 'model.unauthorized', retryable: false });
  });

  test('by an error event before the session is ready', async () => {
    await using server = await startWireServer({
      script(peer) {
        const error = { type: 'invalid_request_error', code: 'insufficient_quota', message: `pay, ${key}` };
        peer.send({ type: 'error', error });
      },
    });
    const thrown = await failureOf(modelAt(server).connect());
    expect(thrown).toMatchObject({ name: 'ModelError' });
    expect(thrown.message).toContain('pay');
    expect(printed(thrown)).not.toContain(key);
  });

  test('of the configuration', async () => {
    await using server = await startWireServer({
      async script(peer) {
        peer.send({ type: 'session.created', session: { id: 's' } });
        const { event_id: id } = await peer.next('session.update');
        peer.send({ type: 'error', error: { code: 'invalid_value', message: 'no such voice', event_id: id } });
      },
    });
    const thrown = await failureOf(modelAt(server).connect({ voice: 'nobody' }));
    expect(thrown.message).toContain('no such voice');
  });

  test.each([true, false])(
    'of the settings is reported in the server’s words, its event named: %s',
    async (isNamed) => {
      await using server = await startWireServer({
        async script(peer) {
          peer.send({ type: 'session.created', session: { id: 'sess_1', type: 'realtime' } });
          const { event_id: id } = await peer.next('session.update');
          const error = { type: 'invalid_request_error', code: 'invalid_value', message: 'Unknown voice: nobody.' };
          peer.send({ type: 'error', error: { ...error, event_id: isNamed ? id : null } });
        },
      });
      const thrown = await failureOf(modelAt(server).connect({ voice: 'nobody' }));
      expect(thrown).toMatchObject({ code: 'model.rejected', providerCode: 'invalid_value' });
      expect(thrown.message).toContain('Unknown voice: nobody.');
    },
  );

  test.each([
    ['invalid_api_key', 'model.unauthorized'],
    ['model_not_found', 'model.notFound'],
    ['insufficient_quota', 'model.rejected'],
  ])('that comes as an event once the socket is open (%s) is the error it is before', async (code, expected) => {
    await using server = await startWireServer({
      script: (peer) =>
        peer.send({ type: 'error', error: { type: 'invalid_request_error', code, message: `No: ${key}` } }),
    });
    const thrown = await failureOf(modelAt(server).connect());
    expect(thrown).toMatchObject({ code: expected, retryable: false, providerCode: code });
    expect(printed(thrown)).not.toContain(key);
  });

  test('of settings that are not JSON comes before anything is sent', async () => {
    await using server = await startWireServer({ script: async (peer) => void (await greet(peer)) });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const thrown = await failureOf(modelAt(server).connect({ providerOptions: circle as never }));
    expect(thrown.message).toMatch(/JSON/);
    expect(server.peers[0]?.received).toEqual([]);
  });
});

describe('a connection that', () => {
  test('nobody takes names the address and what to check', async () => {
    const model = openaiRealtime({ model: 'm', apiKey: key, baseURL: 'http://127.0.0.1:9/v1' });
    const thrown = await failureOf(model.connect());
    expect(thrown).toMatchObject({ code: 'model.connection', retryable: true });
    expect(thrown.message).toContain('http://127.0.0.1:9/v1');
    expect(printed(thrown)).not.toContain(key);
  });

  test.each([
    ['is lost before the session', (peer: Peer) => peer.drop()],
    ['is closed before the session', (peer: Peer) => peer.close(1013, 'try later')],
  ])('%s may be tried again', async (_, script) => {
    await using server = await startWireServer({ script });
    expect(await failureOf(modelAt(server).connect())).toMatchObject({ code: 'model.connection', retryable: true });
  });

  test('stays silent ends at its deadline', async () => {
    const host = simulatedHost();
    await using server = await startWireServer({});
    const failing = failureOf(modelAt(server).connect({ host, deadlines: { connectMs: 5000 } }));
    while (host.pendingTimers() === 0 || server.peers.length === 0) await host.settle();
    await host.advance(5000);
    await host.advance(5000);
    expect((await failing).message).toContain('did not answer in time');
    expect(host.pendingTimers()).toBe(0);
  });

  test('is aborted while it opens rejects and closes', async () => {
    await using server = await startWireServer({});
    const stop = new AbortController();
    const failing = failureOf(modelAt(server).connect({ signal: stop.signal }));
    while (server.peers.length === 0) await simulatedHost().settle();
    stop.abort();
    expect(await failing).toBeInstanceOf(Error);
    await server.peers[0]?.closed;
  });
});

describe('a misuse', () => {
  test.each([
    [{ model: '' }, 'needs a model id'],
    [{ model: 'm', client: {} }, 'realtime.calls'],
  ])('%j is reported at once', (options, words) => {
    expect(() => openaiRealtime(options)).toThrow(words);
  });

  test('an invalid base URL is reported before anything is dialled', async () => {
    const model = openaiRealtime({ model: 'm', apiKey: key, baseURL: 'api.openai.com' });
    expect(await failureOf(model.connect())).toMatchObject({ code: 'options.invalid' });
  });

  test('no key', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    expect(await failureOf(openaiRealtime({ model: 'm' }).connect())).toMatchObject({ code: 'options.invalid' });
  });

  test('without the package ws one sentence says what to install', async () => {
    vi.resetModules();
    vi.doMock('ws', () => {
      throw new Error('Cannot find package ws');
    });
    const { openaiRealtime: again } = await import('../../../src/realtime/openai/model.ts');
    expect(await failureOf(again({ model: 'm', apiKey: key }).connect())).toMatchObject({
      code: 'peer.missing',
      message: 'openaiRealtime(…) needs the package ws, which could not be loaded. Install it: npm install ws@8',
    });
  });
});
