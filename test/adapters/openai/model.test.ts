import OpenAI from 'openai';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openai, type OpenAIOptions } from '../../../src/adapters/openai/index.ts';
import type { Model, ModelRequest } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { answering } from '../answering.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import type { SeenRequest } from '../recordings.ts';
import { wholeChat, wholeResponse } from './wire-events.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });
const bodies = { responses: wholeResponse.join(''), chat: wholeChat.join('') };
const wholeOf = (url: string): string => (url.endsWith('/responses') ? bodies.responses : bodies.chat);
const hello = [{ type: 'text', text: 'Hello' }];

async function sentBy(options: Partial<OpenAIOptions>): Promise<SeenRequest | undefined> {
  const { fetch, requests } = answering(wholeOf);
  const { content } = await collect(openai({ model: 'm', fetch, ...options }).stream(request, call()));
  expect(content).toMatchObject(hello);
  expect(requests).toHaveLength(1);
  return requests[0];
}

afterEach(() => {
  vi.doUnmock('openai');
  vi.resetModules();
  vi.unstubAllEnvs();
});

describe('where it goes', () => {
  test('to the Responses API of OpenAI', async () => {
    const sent = await sentBy({ apiKey: 'sk-none' });
    expect(sent?.url).toBe('https://api.openai.com/v1/responses');
    expect(sent?.headers.get('authorization')).toBe('Bearer sk-none');
    expect(sent?.body).toMatchObject({ model: 'm', stream: true, store: false });
  });

  test('another base URL is asked for chat completions', async () => {
    expect((await sentBy({ baseURL: 'http://localhost:11434/v1' }))?.url).toBe(
      'http://localhost:11434/v1/chat/completions',
    );
  });

  test('`api` decides over both', async () => {
    expect((await sentBy({ apiKey: 'k', api: 'chat' }))?.url).toBe('https://api.openai.com/v1/chat/completions');
    expect((await sentBy({ apiKey: 'k', api: 'responses', baseURL: 'http://localhost:1/v1' }))?.url).toBe(
      'http://localhost:1/v1/responses',
    );
  });

  test('OPENAI_BASE_URL counts as a base URL', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://localhost:8000/v1');
    expect((await sentBy({ apiKey: 'k' }))?.url).toBe('http://localhost:8000/v1/chat/completions');
  });

  test('OpenAI on Azure and its regional hosts are OpenAI', async () => {
    for (const baseURL of ['https://eu.api.openai.com/v1', 'https://x.openai.azure.com/openai/v1/']) {
      expect((await sentBy({ apiKey: 'k', baseURL }))?.url).toMatch(/\/responses$/);
    }
  });

  test('headers of its own', async () => {
    expect((await sentBy({ apiKey: 'k', headers: { 'x-team': 'a' } }))?.headers.get('x-team')).toBe('a');
  });
});

describe('keys', () => {
  test('the environment’s key goes to OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    expect((await sentBy({}))?.headers.get('authorization')).toBe('Bearer sk-env');
  });

  test('the environment’s key never goes to another base URL', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    for (const baseURL of [
      'http://localhost:1/v1',
      'https://api.openai.com.evil.example/v1',
      'http://api.openai.com/v1',
    ]) {
      expect((await sentBy({ baseURL }))?.headers.get('authorization')).not.toContain('sk-env');
    }
  });

  test('a server without keys needs none', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    expect(await sentBy({ baseURL: 'http://localhost:1/v1' })).toBeDefined();
  });

  test('no key for OpenAI is model.unauthorized and says where to put it', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    const { fetch, requests } = answering(wholeOf);
    const { thrown } = await collectUntilThrow(openai({ model: 'm', fetch }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.unauthorized', retryable: false });
    expect((thrown as Error).message).toContain('OPENAI_API_KEY');
    expect(requests).toHaveLength(0);
  });

  test('a key the server echoes is not quoted', async () => {
    const body =
      '{"error":{"message":"Incorrect API key provided: my-own-key-7. See …","type":"invalid_request_error","code":"invalid_api_key"}}';
    const { fetch } = answering(body, { status: 401, headers: { 'content-type': 'application/json' } });
    const { thrown } = await collectUntilThrow(
      openai({ model: 'm', apiKey: 'my-own-key-7', fetch }).stream(request, call()),
    );
    expect(thrown).toMatchObject({ code: 'model.unauthorized', status: 401, providerCode: 'invalid_api_key' });
    expect((thrown as Error).message).not.toContain('my-own-key-7');
  });
});

describe('a passed client', () => {
  test('is used as it is', async () => {
    const { fetch, requests } = answering(wholeOf);
    const client = new OpenAI({
      apiKey: 'sk-client',
      baseURL: 'http://client.test/v1',
      fetch,
      defaultHeaders: { 'x-own': '1' },
    });
    await collect(
      openai({ model: 'm', client, apiKey: 'sk-other', baseURL: 'http://other.test/v1' }).stream(request, call()),
    );
    expect(requests[0]?.url).toBe('http://client.test/v1/chat/completions');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-client');
    expect(requests[0]?.headers.get('x-own')).toBe('1');
  });

  test.each(['responses', 'chat'] as const)(
    'any object with the endpoint of %s will do, as older SDKs have it',
    async (api) => {
      const create = () => ({
        asResponse: () =>
          Promise.resolve(new Response(bodies[api], { headers: { 'content-type': 'text/event-stream' } })),
      });
      const client = api === 'responses' ? { responses: { create } } : { chat: { completions: { create } } };
      expect((await collect(openai({ model: 'm', api, client }).stream(request, call()))).content).toMatchObject(hello);
    },
  );

  test('one without the endpoint asked for says so', async () => {
    const client = { chat: { completions: { create: () => undefined } } };
    const { thrown } = await collectUntilThrow(
      openai({ model: 'm', api: 'responses', client }).stream(request, call()),
    );
    expect(thrown).toMatchObject({ code: 'options.invalid' });
  });

  test('an option that it does not have is refused', () => {
    expect(() => openai({ model: 'm', apikey: 'sk-secret' } as object as Parameters<typeof openai>[0])).toThrow(
      expect.objectContaining({
        code: 'options.invalid',
        message: expect.stringMatching(/^openai has no option "apikey"; it has model, /) as string,
      }) as Error,
    );
  });

  test.each([[{}], [null], ['client'], [{ chat: {} }], [() => undefined]])('%j is not a client', (client) => {
    expect(() => openai({ model: 'm', client })).toThrow(expect.objectContaining({ code: 'options.invalid' }));
  });
});

describe('without what it needs', () => {
  test('no model id, or an unknown API, is a mistake in the set-up', () => {
    expect(() => openai({ model: '' })).toThrow(expect.objectContaining({ code: 'options.invalid' }));
    expect(() => openai({ model: 'm', api: 'completions' as 'chat' })).toThrow(
      expect.objectContaining({ code: 'options.invalid' }),
    );
  });

  test('a missing SDK is peer.missing at the first call, not before', async () => {
    vi.doMock('openai', () => {
      throw Object.assign(new Error("Cannot find package 'openai'"), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    const { openai: fresh } = await import('../../../src/adapters/openai/index.ts');
    const { thrown } = await collectUntilThrow(fresh({ model: 'm', apiKey: 'k' }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'peer.missing' });
    expect((thrown as Error).message).toContain('npm install openai');
  });
});

describe('what comes back', () => {
  const json = { headers: { 'content-type': 'application/json; charset=utf-8' } };
  const modelWith = (body: string, init: ResponseInit, api: 'responses' | 'chat'): Model =>
    openai({ model: 'm', api, apiKey: 'k', fetch: answering(body, init).fetch });

  test.each(['responses', 'chat'] as const)('%s: an error object with status 200 is a ModelError', async (api) => {
    const body = '{"error":{"code":"context_length_exceeded","message":"too long"}}';
    const { thrown } = await collectUntilThrow(modelWith(body, json, api).stream(request, call()));
    expect(thrown).toMatchObject({
      code: 'model.contextOverflow',
      retryable: false,
      providerCode: 'context_length_exceeded',
    });
  });

  test('a web page is reported as one', async () => {
    const { thrown } = await collectUntilThrow(
      modelWith('<html>', { headers: { 'content-type': 'text/html' } }, 'chat').stream(request, call()),
    );
    expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: false });
    expect((thrown as Error).message).toContain('/v1');
  });
});

test('facts about the model', () => {
  expect(openai({ model: 'gpt-x' })).toMatchObject({
    id: 'openai:gpt-x',
    info: { input: ['text', 'image', 'document', 'audio'] },
  });
});
