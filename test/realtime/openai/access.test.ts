// Where a session goes and with which key: options, client and environment.

import { AzureOpenAI, OpenAI } from 'openai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { socketRequest } from '../../../src/realtime/openai/address.ts';
import { accessOf } from '../../../src/realtime/openai/client.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('access', () => {
  test('takes key and address of the options', async () => {
    expect(await accessOf({ apiKey: 'sk-1', baseURL: 'ws://127.0.0.1:1/v1' })).toEqual({
      baseURL: 'ws://127.0.0.1:1/v1',
      key: 'sk-1',
    });
  });

  test('takes the environment’s key for OpenAI itself', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    vi.stubEnv('OPENAI_ORG_ID', 'org-1');
    expect(await accessOf({})).toMatchObject({
      baseURL: 'https://api.openai.com/v1',
      key: 'sk-env',
      organization: 'org-1',
    });
  });

  test('sends the environment’s key and organisation to no other address', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    vi.stubEnv('OPENAI_ORG_ID', 'org-1');
    const access = await accessOf({ baseURL: 'https://api.openai.com.example/v1' });
    expect(JSON.stringify(access)).not.toMatch(/sk-env|org-1/);
  });

  test('says in one sentence that the key is missing', async () => {
    vi.stubEnv('OPENAI_API_KEY', '');
    await expect(accessOf({})).rejects.toMatchObject({
      code: 'options.invalid',
      message: 'openaiRealtime(…) has no key. Pass `apiKey` or `client`, or set OPENAI_API_KEY.',
    });
  });

  test('takes everything from a client', async () => {
    const client = new OpenAI({
      apiKey: 'sk-2',
      baseURL: 'http://127.0.0.1:1/v1',
      organization: 'org-2',
      project: 'p',
    });
    expect(await accessOf({ client, apiKey: 'sk-other' })).toEqual({
      baseURL: 'http://127.0.0.1:1/v1',
      key: 'sk-2',
      organization: 'org-2',
      project: 'p',
    });
  });

  test('asks a client’s key function again each time', async () => {
    let asked = 0;
    const client = new OpenAI({ apiKey: () => Promise.resolve(`sk-${++asked}`) });
    expect([(await accessOf({ client })).key, (await accessOf({ client })).key]).toEqual(['sk-1', 'sk-2']);
  });

  test('refuses what is not a client', async () => {
    await expect(accessOf({ client: {} })).rejects.toMatchObject({ code: 'options.invalid' });
  });
});

describe('address', () => {
  const key = { key: 'sk-1' };

  test.each([
    ['https://api.openai.com/v1', 'wss://api.openai.com/v1/realtime?model=gpt-realtime'],
    ['http://127.0.0.1:8080/v1/', 'ws://127.0.0.1:8080/v1/realtime?model=gpt-realtime'],
    ['wss://host/v1?intent=x&tenant=1#part', 'wss://host/v1/realtime?tenant=1&model=gpt-realtime'],
  ])('%s leads to %s', (baseURL, url) => {
    expect(socketRequest(baseURL, { model: 'gpt-realtime' }, key).url).toBe(url);
  });

  test('of a call names the call and no model', () => {
    expect(socketRequest('https://api.openai.com/v1', { callId: 'rtc_a/b' }, key).url).toBe(
      'wss://api.openai.com/v1/realtime?call_id=rtc_a%2Fb',
    );
  });

  test('holds no key; headers and subprotocols do', () => {
    const request = socketRequest(
      'https://api.openai.com/v1',
      { model: 'm' },
      { ...key, organization: 'o', project: 'p' },
    );
    expect(request.url).not.toContain('sk-1');
    expect(request.headers).toEqual({
      Authorization: 'Bearer sk-1',
      'OpenAI-Organization': 'o',
      'OpenAI-Project': 'p',
    });
    expect(request.protocols).toEqual([
      'realtime',
      'openai-insecure-api-key.sk-1',
      'openai-organization.o',
      'openai-project.p',
    ]);
  });

  test('shows Azure its own header', async () => {
    const client = new AzureOpenAI({ apiKey: 'azure-1', endpoint: 'https://here.openai.azure.com', apiVersion: 'v1' });
    const access = await accessOf({ client });
    expect(socketRequest(access.baseURL, { model: 'deployment' }, access)).toMatchObject({
      url: 'wss://here.openai.azure.com/openai/v1/realtime?model=deployment',
      headers: { 'api-key': 'azure-1' },
    });
  });

  test('shows Azure a token as everybody', async () => {
    const client = new AzureOpenAI({
      azureADTokenProvider: () => Promise.resolve('token-1'),
      endpoint: 'https://here.openai.azure.com',
      apiVersion: 'v1',
    });
    const access = await accessOf({ client });
    const { headers } = socketRequest(access.baseURL, { model: 'deployment' }, access);
    expect(headers).toEqual({ Authorization: 'Bearer token-1' });
  });

  test('lets headers of the app win', () => {
    const { headers } = socketRequest(
      'https://h/v1',
      { model: 'm' },
      { ...key, headers: { Authorization: 'Bearer x' } },
    );
    expect(headers['Authorization']).toBe('Bearer x');
  });

  test.each(['', 'api.openai.com', 'ftp://host/v1', 'https://'])('refuses %j', (baseURL) => {
    expect(() => socketRequest(baseURL, { model: 'm' }, key)).toThrow(/expects an address/);
  });
});
