import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anthropic, type AnthropicOptions } from '../../../src/adapters/anthropic/index.ts';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { answering } from '../answering.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import type { SeenRequest } from '../recordings.ts';
import { messageEnd, messageStart, text } from './events.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });
const whole = [messageStart, ...text(0, 'Hello'), ...messageEnd('end_turn')].join('');

async function sentBy(options: Partial<AnthropicOptions>): Promise<SeenRequest | undefined> {
  const { fetch, requests } = answering(whole);
  await collect(anthropic({ model: 'claude-test', apiKey: 'sk-ant-none', fetch, ...options }).stream(request, call()));
  expect(requests).toHaveLength(1);
  return requests[0];
}

afterEach(() => {
  vi.doUnmock('@anthropic-ai/sdk');
  vi.resetModules();
  vi.unstubAllEnvs();
});

describe('what is sent', () => {
  test('a streaming request of the SDK, to its address and with its key', async () => {
    const sent = await sentBy({});
    expect(sent?.url).toBe('https://api.anthropic.com/v1/messages');
    expect(sent?.headers.get('authorization')).toBe('Bearer sk-ant-none');
    expect(sent?.headers.has('anthropic-version')).toBe(true);
    expect(sent?.body).toEqual({
      model: 'claude-test',
      max_tokens: 32_000,
      stream: true,
      cache_control: { type: 'ephemeral' },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    });
  });

  test('base URL, headers and betas', async () => {
    const sent = await sentBy({
      baseURL: 'http://localhost:1/x',
      headers: { 'x-team': 'a' },
      betas: ['one-2026-01-01', 'two-2026-01-01'],
    });
    expect(sent?.url).toBe('http://localhost:1/x/v1/messages');
    expect(sent?.headers.get('x-team')).toBe('a');
    expect(sent?.headers.get('anthropic-beta')).toBe('one-2026-01-01,two-2026-01-01');
  });

  test('a model that checks what stands before its thinking is asked to drop what does not fit, only at Anthropic', async () => {
    const sent = await sentBy({ model: 'claude-fable-5-1', betas: ['one-2026-01-01'] });
    expect(sent?.headers.get('anthropic-beta')).toBe('one-2026-01-01,thinking-binding-controls-2026-08-01');
    expect(sent?.body).toMatchObject({ thinking: { block_binding: { prefix_mismatch_behavior: 'drop_block' } } });

    const elsewhere = await sentBy({ model: 'claude-fable-5-1', baseURL: 'https://proxy.example' });
    expect(elsewhere?.headers.has('anthropic-beta')).toBe(false);
    expect(elsewhere?.body).not.toHaveProperty('thinking');
    expect((await sentBy({ thinking: { type: 'adaptive' } }))?.headers.has('anthropic-beta')).toBe(false);
  });

  test.each([
    { 'Anthropic-Beta': 'own-2026-01-01, more-2026-01-01' },
    new Headers({ 'anthropic-beta': 'own-2026-01-01,more-2026-01-01' }),
    [['anthropic-beta', 'own-2026-01-01,more-2026-01-01']] as [string, string][],
  ])('the betas of a passed client are kept beside those that are added (%#)', async (defaultHeaders) => {
    const { fetch, requests } = answering(whole);
    const client = new Anthropic({ apiKey: 'none', fetch, defaultHeaders });
    const model = anthropic({ model: 'claude-fable-5-1', client, headers: { 'ANTHROPIC-BETA': 'two-2026-01-01' } });
    await collect(model.stream(request, call()));
    expect(requests[0]?.headers.get('anthropic-beta')).toBe(
      'own-2026-01-01,more-2026-01-01,two-2026-01-01,thinking-binding-controls-2026-08-01',
    );
  });

  test('thinking, effort, server tools, extra body', async () => {
    const sent = await sentBy({
      cache: 'off',
      thinking: { type: 'adaptive' },
      effort: 'high',
      serverTools: [{ type: 'web_search_20260318', name: 'web_search' }],
      extraBody: { metadata: { user_id: 'u' } },
    });
    expect(sent?.body).toEqual({
      model: 'claude-test',
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      tools: [{ type: 'web_search_20260318', name: 'web_search' }],
      metadata: { user_id: 'u' },
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    });
  });
});

describe('a passed client', () => {
  test('is used as it is', async () => {
    const { fetch, requests } = answering(whole);
    const client = new Anthropic({
      apiKey: 'sk-ant-client',
      baseURL: 'http://client.test',
      fetch,
      defaultHeaders: { 'x-own': '1' },
    });
    const model = anthropic({ model: 'claude-test', client, apiKey: 'sk-ant-other', baseURL: 'http://other.test' });
    await collect(model.stream(request, call()));
    expect(requests[0]?.url).toBe('http://client.test/v1/messages');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer sk-ant-client');
    expect(requests[0]?.headers.get('x-own')).toBe('1');
  });

  test('of Bedrock or Vertex gets the markers its API knows', async () => {
    for (const baseURL of [
      'https://bedrock-runtime.us-east-1.amazonaws.com',
      'https://us-aiplatform.googleapis.com/v1',
    ]) {
      const { fetch, requests } = answering(whole);
      const client = new Anthropic({ apiKey: 'sk-ant-client', baseURL, fetch });
      await collect(anthropic({ model: 'claude-test', client }).stream(request, call()));
      expect(requests[0]?.body).not.toHaveProperty('cache_control');
      expect(JSON.stringify(requests[0]?.body['messages'])).toContain('cache_control');
    }
  });

  test('any object with messages.create will do', async () => {
    const client = {
      messages: {
        create: () => ({
          asResponse: () => Promise.resolve(new Response(whole, { headers: { 'content-type': 'text/event-stream' } })),
        }),
      },
    };
    expect((await collect(anthropic({ model: 'claude-test', client }).stream(request, call()))).content).toEqual([
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('an option that it does not have is refused', () => {
    expect(() => anthropic({ model: 'm', apikey: 'sk-secret' } as object as Parameters<typeof anthropic>[0])).toThrow(
      expect.objectContaining({
        code: 'options.invalid',
        message: expect.stringMatching(/^anthropic has no option "apikey"; it has model, /) as string,
      }) as Error,
    );
  });

  test.each([[{}], [null], ['client'], [{ messages: {} }], [() => undefined]])('%j is not a client', (client) => {
    expect(() => anthropic({ model: 'claude-test', client })).toThrow(
      expect.objectContaining({ code: 'options.invalid' }),
    );
  });

  test('a client that breaks is a ModelError without its key', async () => {
    const client = {
      apiKey: 'top-secret-key-of-mine',
      messages: {
        create: () => {
          throw new Error('no luck with top-secret-key-of-mine');
        },
      },
    };
    const { thrown } = await collectUntilThrow(anthropic({ model: 'claude-test', client }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.failed', retryable: false });
    expect((thrown as Error).message).not.toContain('top-secret');
  });
});

describe('the environment’s key', () => {
  const sentWithout = async (options: Partial<AnthropicOptions>, variable = 'ANTHROPIC_API_KEY') => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, undefined);
    vi.stubEnv(variable, 'key-of-the-environment');
    const { fetch, requests } = answering(whole);
    await collect(anthropic({ model: 'claude-test', fetch, ...options }).stream(request, call()));
    return JSON.stringify(Object.fromEntries(requests[0]?.headers ?? []));
  };

  test.each([{}, { baseURL: 'https://api.anthropic.com' }])('goes to Anthropic (%o)', async (options) => {
    expect(await sentWithout(options)).toContain('of-the-environment');
  });

  test.each(['http://localhost:4000', 'https://api.anthropic.com.evil.test', 'https://proxy.test/anthropic'])(
    'never goes to %s',
    async (baseURL) => {
      for (const variable of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) {
        expect(await sentWithout({ baseURL }, variable)).not.toContain('the-environment');
      }
    },
  );
});

describe('without what it needs', () => {
  test('no model id is a mistake in the set-up', () => {
    expect(() => anthropic({ model: '' })).toThrow(expect.objectContaining({ code: 'options.invalid' }));
  });

  test('no key is model.unauthorized and says where to put it', async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', '/nowhere');
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nowhere');
    const { fetch, requests } = answering(whole);
    const { thrown } = await collectUntilThrow(anthropic({ model: 'claude-test', fetch }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.unauthorized', retryable: false });
    expect((thrown as Error).message).toContain('ANTHROPIC_API_KEY');
    expect(requests).toHaveLength(0);
  });

  test('a missing SDK is peer.missing at the first call, not before; once it is there, calls work', async () => {
    let isMissing = true;
    vi.doMock('@anthropic-ai/sdk', () => {
      if (isMissing) throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return { Anthropic };
    });
    const { anthropic: fresh } = await import('../../../src/adapters/anthropic/index.ts');
    const { fetch } = answering(whole);
    const model = fresh({ model: 'claude-test', apiKey: 'k', fetch });
    const { thrown } = await collectUntilThrow(model.stream(request, call()));
    expect(thrown).toMatchObject({ code: 'peer.missing' });
    expect((thrown as Error).message).toContain('npm install @anthropic-ai/sdk');
    isMissing = false;
    expect((await collect(model.stream(request, call()))).stopReason).toBe('endTurn');
  });
});

describe('what comes back', () => {
  test('a web page with status 200 is reported as what it is', async () => {
    const page = '<html><style>p{}</style><body><p>Please log in</p></body></html>';
    const { fetch } = answering(page, { headers: { 'content-type': 'text/html; charset=utf-8' } });
    const model = anthropic({ model: 'claude-test', apiKey: 'k', fetch, baseURL: 'http://proxy.test' });
    const { thrown } = await collectUntilThrow(model.stream(request, call()));
    expect(thrown).toMatchObject({ code: 'stream.protocol', retryable: false });
    expect((thrown as Error).message).toMatch(/"Please log in".*http:\/\/proxy\.test/);
  });

  test('a key the SDK found by itself is never quoted', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'found-in-the-environment');
    const refusal = '{"type":"error","error":{"type":"authentication_error","message":"no found-in-the-environment"}}';
    const { fetch } = answering(refusal, { status: 401, headers: { 'content-type': 'application/json' } });
    const { thrown } = await collectUntilThrow(anthropic({ model: 'claude-test', fetch }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.unauthorized' });
    expect((thrown as Error).message).toContain('[redacted]');
    expect((thrown as Error).message).not.toContain('found-in-the-environment');
  });
});

test('facts about the model', () => {
  expect(anthropic({ model: 'claude-x' })).toMatchObject({
    id: 'anthropic:claude-x',
    info: { contextTokens: 200_000, maxOutputTokens: 32_000 },
  });
  expect(anthropic({ model: 'claude-3-haiku-20240307' }).info?.maxOutputTokens).toBe(4096);
  expect(anthropic({ model: 'claude-x', betas: ['context-1m-2025-08-07'] }).info?.contextTokens).toBe(1_000_000);
});
