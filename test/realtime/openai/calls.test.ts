// The REST half with the real SDK against a local server: calls, client secrets, webhooks.

import { OpenAI } from 'openai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  acceptCall,
  answerCall,
  createClientSecret,
  hangupCall,
  referCall,
  rejectCall,
  verifyWebhook,
} from '../../../src/realtime/openai/index.ts';
import { incomingCall, signed, webhookSecret } from './webhook.ts';
import { startWireServer } from './wire-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const ok = () => ({ status: 200 });

describe('a ringing call', () => {
  test('is accepted with the session’s settings', async () => {
    await using server = await startWireServer({ rest: ok });
    await acceptCall('rtc_1', {
      model: 'gpt-realtime',
      apiKey: 'sk-1',
      baseURL: server.url,
      session: {
        systemPrompt: [{ type: 'text', text: 'Be brief.' }],
        voice: 'marin',
        turnDetection: { mode: 'server', threshold: 0.9, silenceMs: 5, interruptResponse: true },
      },
    });
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/realtime/calls/rtc_1/accept',
        headers: { authorization: 'Bearer sk-1' },
        body: {
          type: 'realtime',
          model: 'gpt-realtime',
          instructions: 'Be brief.',
          audio: { output: { voice: 'marin' } },
        },
      },
    ]);
    expect(server.requests[0]?.body).toHaveProperty('audio.input.turn_detection', {
      type: 'server_vad',
      interrupt_response: true,
    });
  });

  test.each([
    ['declined', {}, 603],
    ['busy', { statusCode: 486 }, 486],
  ])('is refused as %s', async (_, options, statusCode) => {
    await using server = await startWireServer({ rest: ok });
    await rejectCall('rtc_1', { apiKey: 'sk-1', baseURL: server.url, ...options });
    expect(server.requests).toMatchObject([
      { path: '/v1/realtime/calls/rtc_1/reject', body: { status_code: statusCode } },
    ]);
  });

  test('whose id holds a slash stays one segment', async () => {
    await using server = await startWireServer({ rest: ok });
    await hangupCall('a/../b', { apiKey: 'sk-1', baseURL: server.url });
    expect(server.requests[0]?.path).toBe('/v1/realtime/calls/a%2F..%2Fb/hangup');
  });

  test('without an id is a misuse', async () => {
    await expect(hangupCall('', { apiKey: 'sk-1' })).rejects.toMatchObject({ code: 'options.invalid' });
  });
});

test('a call is ended and transferred', async () => {
  await using server = await startWireServer({ rest: ok });
  const client = new OpenAI({ apiKey: 'sk-1', baseURL: server.url });
  await referCall('rtc_1', { client, targetUri: 'tel:+14155550123' });
  await hangupCall('rtc_1', { client });
  expect(server.requests).toMatchObject([
    { path: '/v1/realtime/calls/rtc_1/refer', body: { target_uri: 'tel:+14155550123' } },
    { path: '/v1/realtime/calls/rtc_1/hangup' },
  ]);
});

describe('a failure', () => {
  test('says what the server said, and whether it may pass', async () => {
    await using server = await startWireServer({
      rest: () => ({ status: 404, body: { error: { message: 'No such call', code: 'call_not_found' } } }),
    });
    await expect(acceptCall('rtc_1', { model: 'm', apiKey: 'sk-1', baseURL: server.url })).rejects.toMatchObject({
      code: 'model.notFound',
      retryable: false,
      message: expect.stringContaining('No such call') as string,
    });
  });

  test('quotes no key', async () => {
    const key = 'sk-proj-0123456789abcdef';
    await using server = await startWireServer({
      rest: () => ({ status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } }),
    });
    const failure: unknown = await hangupCall('rtc_1', { apiKey: key, baseURL: server.url }).catch(
      (thrown: unknown) => thrown,
    );
    expect(failure).toMatchObject({ code: 'model.unauthorized' });
    expect(JSON.stringify(failure) + String(failure) + String((failure as Error).cause)).not.toContain(key);
  });

  test('by an abort rejects with the abort’s reason', async () => {
    await using server = await startWireServer({ rest: () => 'never' });
    const stop = new AbortController();
    const ending = hangupCall('rtc_1', { apiKey: 'sk-1', baseURL: server.url, signal: stop.signal });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(ending).rejects.toBe(reason);
  });

  test('of an invalid client names what is expected', async () => {
    await expect(hangupCall('rtc_1', { client: { baseURL: 'x' } })).rejects.toMatchObject({
      code: 'options.invalid',
      message: expect.stringContaining('realtime.calls') as string,
    });
  });

  test('without a key says so', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    await expect(hangupCall('rtc_1', {})).rejects.toMatchObject({ code: 'options.invalid' });
  });
});

describe('a client secret', () => {
  test('is minted for model and settings', async () => {
    await using server = await startWireServer({
      rest: () => ({ status: 200, body: { value: 'ek_1', expires_at: 1_750_000_600, session: {} } }),
    });
    const secret = await createClientSecret({
      model: 'gpt-realtime',
      apiKey: 'sk-1',
      baseURL: server.url,
      expiresAfterSeconds: 60,
      session: { voice: 'cedar' },
    });
    expect(secret).toEqual({ value: 'ek_1', expiresAt: 1_750_000_600_000 });
    expect(server.requests).toMatchObject([
      {
        path: '/v1/realtime/client_secrets',
        body: {
          expires_after: { anchor: 'created_at', seconds: 60 },
          session: { type: 'realtime', model: 'gpt-realtime', audio: { output: { voice: 'cedar' } } },
        },
      },
    ]);
  });
});

describe('a browser’s offer', () => {
  const sdp = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n';

  test('is answered, and names the call', async () => {
    await using server = await startWireServer({
      rest: () => ({ status: 201, body: 'v=0\r\nanswer', headers: { location: '/v1/realtime/calls/rtc_9?x=1' } }),
    });
    const answer = await answerCall({ sdp, model: 'gpt-realtime', apiKey: 'sk-1', baseURL: server.url });
    expect(answer).toEqual({ sdp: 'v=0\r\nanswer', callId: 'rtc_9' });
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/realtime/calls' });
    expect(server.requests[0]?.body).toContain(sdp);
    expect(server.requests[0]?.body).toContain('"gpt-realtime"');
  });

  test('answered without the name of a call is a failure', async () => {
    await using server = await startWireServer({ rest: () => ({ status: 201, body: 'v=0\r\nanswer' }) });
    await expect(answerCall({ sdp, model: 'm', apiKey: 'sk-1', baseURL: server.url })).rejects.toThrow(/Location/);
  });

  test('that is not an offer is a misuse', async () => {
    await expect(answerCall({ sdp: '{"type":"offer"}', model: 'm', apiKey: 'sk-1' })).rejects.toMatchObject({
      code: 'options.invalid',
    });
  });
});

describe('a webhook', () => {
  const options = { secret: webhookSecret };

  test('reports a call that rings', async () => {
    expect(await verifyWebhook(signed(incomingCall('rtc_1')), options)).toMatchObject({
      verified: true,
      type: 'call.incoming',
      call: {
        callId: 'rtc_1',
        from: '"Ada" <sip:+4915112345@sip.example.com>',
        to: '<sip:+4930123@sip.example.com>',
        createdAt: 1_750_000_000_000,
        sipHeaders: [{ name: 'From' }, { name: 'To' }, { name: 'Call-ID', value: '0xdeadbeef' }],
      },
    });
  });

  test('may come as bytes, with Headers', async () => {
    const { body, headers } = signed(incomingCall('rtc_1'));
    const request = { body: new TextEncoder().encode(body), headers: new Headers(headers) };
    expect(await verifyWebhook(request, options)).toMatchObject({ verified: true, type: 'call.incoming' });
  });

  test('may come over HTTP/2, whose headers hold invalid names', async () => {
    const { body, headers } = signed(incomingCall('rtc_1'));
    const request = { body, headers: { ':path': '/hook', ':method': 'POST', ...headers } };
    expect(await verifyWebhook(request, options)).toMatchObject({ verified: true, type: 'call.incoming' });
  });

  test('whose body was parsed already is a misuse, which is reported', async () => {
    const { body, headers } = signed(incomingCall('rtc_1'));
    await expect(
      verifyWebhook({ body: JSON.parse(body) as unknown as string, headers }, options),
    ).rejects.toMatchObject({
      code: 'options.invalid',
      message: expect.stringContaining('as it was received') as string,
    });
  });

  test('of another kind is passed on', async () => {
    const event = { type: 'response.completed', data: { id: 'resp_1' } };
    expect(await verifyWebhook(signed(JSON.stringify(event)), options)).toEqual({
      verified: true,
      type: 'other',
      event,
    });
  });

  test.each([
    ['changed on the way', () => ({ ...signed(incomingCall('rtc_1')), body: incomingCall('rtc_2') })],
    ['too old', () => signed(incomingCall('rtc_1'), { at: Math.floor(Date.now() / 1000) - 400 })],
    ['too early', () => signed(incomingCall('rtc_1'), { at: Math.floor(Date.now() / 1000) + 400 })],
    ['without a signature', () => ({ body: incomingCall('rtc_1'), headers: {} })],
    ['signed, but no JSON', () => signed('hello')],
    ['signed, but no object', () => signed('[]')],
  ])('%s is not verified', async (_, request) => {
    expect(await verifyWebhook(request(), options)).toEqual({ verified: false, why: expect.any(String) as string });
  });

  test('of a call without an id is not an incoming call', async () => {
    const body = JSON.stringify({ type: 'realtime.call.incoming', data: {} });
    expect(await verifyWebhook(signed(body), options)).toMatchObject({ verified: true, type: 'other' });
  });

  test('takes the secret of the client or of the environment', async () => {
    const client = new OpenAI({ apiKey: 'sk-1', webhookSecret });
    expect(await verifyWebhook(signed(incomingCall('c')), { client })).toMatchObject({ verified: true });
    vi.stubEnv('OPENAI_WEBHOOK_SECRET', webhookSecret);
    expect(await verifyWebhook(signed(incomingCall('c')))).toMatchObject({ verified: true });
  });

  test('without any secret is a misuse', async () => {
    vi.stubEnv('OPENAI_WEBHOOK_SECRET', undefined);
    await expect(verifyWebhook(signed('{}'))).rejects.toMatchObject({ code: 'options.invalid' });
  });
});
