import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anthropic, type AnthropicOptions } from '../../../src/adapters/anthropic/index.ts';
import type { Model, ModelRequest } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { checkModel } from '../../../src/testing/index.ts';
import { collect, collectUntilThrow } from '../collect.ts';
import { startFaultServer } from '../fault-server.ts';
import type { SeenRequest } from '../recordings.ts';
import { messageEnd, messageStart, text } from './events.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const call = () => ({ signal: new AbortController().signal });
const whole = [messageStart, ...text(0, 'Hello'), ...messageEnd('end_turn')].join('');

/** A fetch that answers every request in the same way, and what it was asked. */
function answering(body: string = whole, init: ResponseInit = {}): { fetch: typeof fetch; requests: SeenRequest[] } {
  const requests: SeenRequest[] = [];
  return {
    requests,
    fetch: async (input, options) => {
      const sent = new Request(input, options);
      requests.push({
        url: sent.url,
        headers: sent.headers,
        body: JSON.parse(await sent.text()) as Record<string, unknown>,
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' }, ...init });
    },
  };
}

async function sentBy(options: Partial<AnthropicOptions>): Promise<SeenRequest | undefined> {
  const { fetch, requests } = answering();
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
    const { fetch, requests } = answering();
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
    const { fetch, requests } = answering();
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

  test('its retries are off: the turn retries', async () => {
    const { fetch, requests } = answering('{"type":"error","error":{"type":"api_error","message":"no"}}', {
      status: 500,
      headers: { 'content-type': 'application/json' },
    });
    const client = new Anthropic({ apiKey: 'sk-ant-client', fetch, maxRetries: 4 });
    const { thrown } = await collectUntilThrow(anthropic({ model: 'claude-test', client }).stream(request, call()));
    expect(thrown).toMatchObject({ code: 'model.failed', retryable: true });
    expect(requests).toHaveLength(1);
  });

  test('of Bedrock or Vertex gets the markers its API knows', async () => {
    for (const baseURL of [
      'https://bedrock-runtime.us-east-1.amazonaws.com',
      'https://us-aiplatform.googleapis.com/v1',
    ]) {
      const { fetch, requests } = answering();
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

  test.each([[{}], [null], ['client'], [{ messages: {} }], [() => undefined]])('%j is no client', (client) => {
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

describe('without what it needs', () => {
  test('no model id is a mistake in the set-up', () => {
    expect(() => anthropic({ model: '' })).toThrow(expect.objectContaining({ code: 'options.invalid' }));
  });

  test('no key is model.unauthorized and says where to put it', async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, undefined);
    vi.stubEnv('HOME', '/nowhere');
    vi.stubEnv('ANTHROPIC_CONFIG_DIR', '/nowhere');
    const { fetch, requests } = answering();
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
    const { fetch } = answering();
    const model = fresh({ model: 'claude-test', apiKey: 'k', fetch });
    const { thrown } = await collectUntilThrow(model.stream(request, call()));
    expect(thrown).toMatchObject({ code: 'peer.missing' });
    expect((thrown as Error).message).toContain('npm install @anthropic-ai/sdk');
    isMissing = false;
    expect((await collect(model.stream(request, call()))).stopReason).toBe('endTurn');
  });
});

describe('what comes back', () => {
  test('a JSON body where a stream was asked for is a whole answer', async () => {
    const body = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    const { fetch } = answering(JSON.stringify(body), {
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    const answer = await collect(anthropic({ model: 'claude-test', apiKey: 'k', fetch }).stream(request, call()));
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hi' }], stopReason: 'endTurn', providerId: 'm' });
  });

  test('an event stream without a content type is read as one', async () => {
    const { fetch } = answering(whole, { headers: {} });
    expect(
      (await collect(anthropic({ model: 'claude-test', apiKey: 'k', fetch }).stream(request, call()))).content,
    ).toEqual([{ type: 'text', text: 'Hello' }]);
  });

  test('an error object with status 200 is a ModelError', async () => {
    const { fetch } = answering('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', {
      headers: { 'content-type': 'application/json' },
    });
    const { thrown } = await collectUntilThrow(
      anthropic({ model: 'claude-test', apiKey: 'k', fetch }).stream(request, call()),
    );
    expect(thrown).toMatchObject({ code: 'model.overloaded', retryable: true });
  });

  test('a web page with status 200 is told as what it is', async () => {
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

  test('an abort before the headers throws its reason though fetch hears nothing, and drops what comes later', async () => {
    let heard: (answer: (response: Response) => void) => void = () => undefined;
    const asked = new Promise<(response: Response) => void>((resolve) => (heard = resolve));
    const deaf: typeof fetch = () => new Promise((resolve) => heard(resolve));
    const controller = new AbortController();
    const waiting = anthropic({ model: 'claude-test', apiKey: 'k', fetch: deaf })
      .stream(request, { signal: controller.signal })
      [Symbol.asyncIterator]()
      .next();
    const answer = await asked;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await new Promise<void>((resolve) => answer(new Response(new ReadableStream({ cancel: () => resolve() }))));
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

test('keeps every law of the conformance kit', async () => {
  const refusal = { status: 400, chunks: ['{"type":"error","error":{"type":"invalid_request_error","message":"no"}}'] };
  const many = <T>(plan: T): readonly T[] => Array.from({ length: 40 }, () => plan);
  await using good = await startFaultServer(many({ chunks: [whole] }));
  await using silent = await startFaultServer(many({ chunks: [messageStart], ending: 'stall' as const }));
  await using dropping = await startFaultServer(
    many({ chunks: [messageStart, ...text(0, 'Hel')], ending: 'drop' as const }),
  );
  await using refusing = await startFaultServer(many(refusal));
  const at = (url: string) => (): Model => anthropic({ model: 'claude-test', apiKey: 'sk-ant-none', baseURL: url });
  const passed = await checkModel(at(good.url), {
    stalled: at(silent.url),
    cut: at(dropping.url),
    refused: at(refusing.url),
  });
  expect(passed.length).toBeGreaterThanOrEqual(9);
});
