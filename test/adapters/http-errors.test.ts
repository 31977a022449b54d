import { inspect } from 'node:util';

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { ModelError } from '../../src/contracts/errors.ts';
import { modelErrorOf, modelErrorOfReport, type CallFacts } from '../../src/adapters/http-errors.ts';
import { retryAfterMsOf } from '../../src/adapters/thrown-shape.ts';
import { redact, secretsIn, shownAddress } from '../../src/adapters/redact.ts';

const facts: CallFacts = {
  provider: 'Anthropic',
  model: 'claude-x',
  secrets: ['my-very-own-key'],
  keyVariable: 'ANTHROPIC_API_KEY',
  baseURL: 'https://example.test',
};

function anthropicError(status: number, type: string, message: string, headers: Record<string, string> = {}): unknown {
  return Anthropic.APIError.generate(
    status,
    { type: 'error', error: { type, message } },
    undefined,
    new Headers(headers),
  );
}

function openaiError(
  status: number,
  error: Record<string, unknown> | string,
  headers: Record<string, string> = {},
): unknown {
  return OpenAI.APIError.generate(status, { error }, undefined, new Headers(headers));
}

describe('errors of @anthropic-ai/sdk', () => {
  test.each([
    [400, 'invalid_request_error', 'max_tokens: must be positive', 'model.rejected', false],
    [
      400,
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'model.contextOverflow',
      false,
    ],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 1 + 2 > 3',
      'model.contextOverflow',
      false,
    ],
    [401, 'authentication_error', 'invalid x-api-key', 'model.unauthorized', false],
    [402, 'billing_error', 'no credit', 'model.rejected', false],
    [403, 'permission_error', 'not yours', 'model.unauthorized', false],
    [404, 'not_found_error', 'model: claude-x', 'model.notFound', false],
    [413, 'request_too_large', 'too large', 'model.contextOverflow', false],
    [429, 'rate_limit_error', 'slow down', 'model.rateLimited', true],
    [500, 'api_error', 'oops', 'model.failed', true],
    [503, 'service_unavailable', 'later', 'model.overloaded', true],
    [504, 'timeout_error', 'timed out', 'model.connection', true],
    [529, 'overloaded_error', 'Overloaded', 'model.overloaded', true],
  ])('%i %s "%s" is %s, retryable %s', (status, type, message, code, retryable) => {
    const error = modelErrorOf(anthropicError(status, type, message, { 'request-id': 'req_1' }), facts);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code, retryable, status, providerCode: type, requestId: 'req_1' });
    expect(error.message).toContain(message);
    expect(error.message).toContain('req_1');
  });

  test('a call that cannot connect is model.connection and names the address and the cause', () => {
    const cause = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' }),
    });
    const error = modelErrorOf(new Anthropic.APIConnectionError({ cause }), facts);
    expect(error).toMatchObject({ code: 'model.connection', retryable: true });
    expect(error.message).toMatch(/ECONNREFUSED/);
    expect(error.message).toMatch(/https:\/\/example\.test/);
  });

  test('a call that times out before the headers is model.connection', () => {
    expect(modelErrorOf(new Anthropic.APIConnectionTimeoutError(), facts)).toMatchObject({
      code: 'model.connection',
      retryable: true,
    });
  });

  test('an abort from elsewhere is not retried', () => {
    expect(modelErrorOf(new Anthropic.APIUserAbortError(), facts)).toMatchObject({
      code: 'model.connection',
      retryable: false,
    });
  });

  test('a client without a key is model.unauthorized and says where to put it', () => {
    const error = modelErrorOf(new Error('Could not resolve authentication method. Expected one of apiKey, …'), facts);
    expect(error).toMatchObject({ code: 'model.unauthorized', retryable: false });
    expect(error.message).toMatch(/apiKey.*ANTHROPIC_API_KEY/);
  });
});

describe('errors of openai', () => {
  test.each([
    [
      400,
      { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'too long' },
      'model.contextOverflow',
      false,
    ],
    [400, { message: "This model's maximum context length is 8192 tokens." }, 'model.contextOverflow', false],
    [400, { code: 'unsupported_value', type: 'invalid_request_error', message: 'no' }, 'model.rejected', false],
    [400, 'Incorrect API key provided.', 'model.unauthorized', false],
    [401, { code: 'invalid_api_key', message: 'Incorrect API key provided' }, 'model.unauthorized', false],
    [404, { code: 'model_not_found', message: 'The model does not exist' }, 'model.notFound', false],
    [422, { message: 'bad' }, 'model.rejected', false],
    [
      429,
      { code: 'insufficient_quota', type: 'insufficient_quota', message: 'You exceeded your current quota' },
      'model.rejected',
      false,
    ],
    [429, { code: 'rate_limit_exceeded', type: 'tokens', message: 'Rate limit reached' }, 'model.rateLimited', true],
    [500, { message: 'oops', type: 'server_error' }, 'model.failed', true],
    [502, {}, 'model.failed', true],
  ])('%i %j is %s', (status, body, code, retryable) => {
    expect(
      modelErrorOf(openaiError(status, body, { 'x-request-id': 'req_2' }), { ...facts, provider: 'OpenAI' }),
    ).toMatchObject({
      code,
      retryable,
      status,
      requestId: 'req_2',
    });
  });

  test('its connection and abort errors are known by their class though their name is "Error"', () => {
    expect(modelErrorOf(new OpenAI.APIConnectionError({ message: 'no' }), facts)).toMatchObject({
      code: 'model.connection',
      retryable: true,
    });
    expect(modelErrorOf(new OpenAI.APIConnectionTimeoutError(), facts)).toMatchObject({
      code: 'model.connection',
      retryable: true,
    });
    expect(modelErrorOf(new OpenAI.APIUserAbortError(), facts)).toMatchObject({
      code: 'model.connection',
      retryable: false,
    });
  });
});

describe('a missing key', () => {
  const where = 'No API key for Anthropic was found: pass `apiKey` or set ANTHROPIC_API_KEY.';
  test.each([
    ['Could not resolve authentication method. Expected one of apiKey or authToken to be set', where],
    ['Missing credentials. Please pass an `apiKey`.', where],
    ['The credentials file is no JSON', `${where} The SDK said: The credentials file is no JSON.`],
    ['No api key at all!', `${where} The SDK said: No api key at all!`],
  ])('is reported in whole sentences: %s', (said, message) => {
    expect(modelErrorOf(new Error(said), facts)).toMatchObject({
      code: 'model.unauthorized',
      retryable: false,
      message,
    });
  });
});

test('a redirect names where it leads, relative addresses too, without what may be a key', () => {
  const redirect = (location?: string) =>
    modelErrorOf(anthropicError(302, 'api_error', 'Found', location === undefined ? {} : { location }), facts);
  expect(redirect('/v2?token=abcdefgh')).toMatchObject({
    code: 'model.rejected',
    retryable: false,
    status: 302,
    message:
      "Anthropic's address https://example.test redirects to https://example.test/v2 (HTTP 302). Redirects are not followed: if that is the right server, set its address as the base URL.",
  });
  expect(redirect()?.message).toContain('redirects (HTTP 302)');
  expect(redirect('http://[')?.message).toContain('redirects (HTTP 302)');
});

test('thinking that no longer fits what stands before it: the message says how to have it dropped', () => {
  const said = 'messages.3.content.0: The block is bound to a different conversation';
  const { code, message } = modelErrorOf(anthropicError(400, 'invalid_request_error', said), facts);
  expect(code).toBe('model.rejected');
  expect(message).toContain(`${said}. Something before the block was changed since.`);
  expect(message).toContain("prefix_mismatch_behavior: 'drop_block'");
});

describe('anything else thrown', () => {
  test('a ModelError is passed on', () => {
    const error = new ModelError('stream.idle', 'silent', { retryable: true });
    expect(modelErrorOf(error, facts)).toBe(error);
  });

  test('a broken socket is model.connection', () => {
    const socket = Object.assign(new TypeError('terminated'), {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    });
    expect(modelErrorOf(socket, facts)).toMatchObject({ code: 'model.connection', retryable: true });
  });

  test.each([['a string'], [undefined], [null], [42], [{ toString: null }], [new Error('')]])(
    '%j is model.failed and not retried',
    (thrown) => {
      expect(modelErrorOf(thrown, facts)).toMatchObject({ code: 'model.failed', retryable: false });
    },
  );
});

describe('what a stream or a body reports', () => {
  test('an overloaded_error inside a stream is retryable', () => {
    expect(modelErrorOfReport({ codes: ['overloaded_error'], message: 'Overloaded' }, facts)).toMatchObject({
      code: 'model.overloaded',
      retryable: true,
      providerCode: 'overloaded_error',
    });
  });

  test('a number among the codes counts as the status', () => {
    expect(modelErrorOfReport({ codes: [429], message: 'slow' }, facts)).toMatchObject({
      code: 'model.rateLimited',
      status: 429,
    });
  });

  test('an unknown code counts as passing, unless it blames the request', () => {
    expect(modelErrorOfReport({ codes: ['gremlins'] }, facts)).toMatchObject({ code: 'model.failed', retryable: true });
    expect(modelErrorOfReport({ codes: ['invalid_image'] }, facts)).toMatchObject({
      code: 'model.rejected',
      retryable: false,
    });
  });
});

describe('when to try again', () => {
  test('retry-after in seconds, in milliseconds, as a date', () => {
    expect(retryAfterMsOf(new Headers({ 'retry-after': '2' }))).toBe(2000);
    expect(retryAfterMsOf(new Headers({ 'retry-after': '0.5' }))).toBe(500);
    expect(retryAfterMsOf(new Headers({ 'retry-after-ms': '1500', 'retry-after': '9' }))).toBe(1500);
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    try {
      expect(retryAfterMsOf(new Headers({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }))).toBe(30_000);
      expect(retryAfterMsOf(new Headers({ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }))).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('nothing sensible means no wish', () => {
    expect(retryAfterMsOf(new Headers())).toBeUndefined();
    expect(retryAfterMsOf(new Headers({ 'retry-after': 'soon' }))).toBeUndefined();
    expect(retryAfterMsOf(new Headers({ 'retry-after': '-3' }))).toBeUndefined();
    expect(retryAfterMsOf(undefined)).toBeUndefined();
  });

  test('the error carries it', () => {
    expect(modelErrorOf(anthropicError(429, 'rate_limit_error', 'slow', { 'retry-after': '7' }), facts)).toMatchObject({
      retryAfterMs: 7000,
    });
  });

  test('x-should-retry wins over the status', () => {
    expect(
      modelErrorOf(anthropicError(429, 'rate_limit_error', 'slow', { 'x-should-retry': 'false' }), facts).retryable,
    ).toBe(false);
    expect(
      modelErrorOf(anthropicError(400, 'invalid_request_error', 'odd', { 'x-should-retry': 'true' }), facts).retryable,
    ).toBe(true);
  });
});

describe('what is quoted', () => {
  test('a long body is cut, never inside a character', () => {
    const error = modelErrorOf(anthropicError(400, 'invalid_request_error', '🏷'.repeat(3000)), facts);
    expect(error.message.length).toBeLessThan(1500);
    expect(error.message.isWellFormed()).toBe(true);
  });

  test.each([
    'my-very-own-key',
    'sk-ant-api03-abcdefghijklmnop',
    'sk-proj-abc*****************wxyz',
    'gsk_ABCDEFGHIJKLMNOP1234',
    'AIzaSyA1234567890abcdefghijklmnopqrstu',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl',
    'Bearer abcdef0123456789',
    'api_key=abcdef0123456789',
    '"x-api-key": "abcdef0123456789"',
  ])('%s never is', (text) => {
    const secret = text.replace(/^(?:Bearer |api_key=|"x-api-key": ")|"$/g, '');
    const error = modelErrorOf(anthropicError(401, 'authentication_error', `wrong key ${text} given`), facts);
    expect(error.message).not.toContain(secret);
    expect(error.message).toContain('given');
    expect(JSON.stringify(error)).not.toContain(secret);
    expect(error.cause).toBeUndefined(); // the SDK's own error quotes it
  });

  test('a key at the cut is not shown in part', () => {
    const message = `${'x'.repeat(990)} sk-ant-api03-abcdefghijklmnop`;
    expect(modelErrorOf(anthropicError(400, 'invalid_request_error', message), facts).message).not.toContain('sk-ant');
  });

  test.each([
    ['its headers', { headers: new Headers({ 'x-echo': 'my-very-own-key' }) }],
    ['the cause of its cause', { cause: new Error('outer', { cause: new Error('my-very-own-key') }) }],
    ['the request it belongs to', { request: { headers: { authorization: 'my-very-own-key' } } }],
    ['a part of the body', { error: { type: 'error', error: { message: 'no', param: ['my-very-own-key'] } } }],
  ])('a cause with a key in %s is left out', (_, parts) => {
    const thrown: unknown = Object.assign(anthropicError(500, 'api_error', 'oops') as object, parts);
    const error = modelErrorOf(thrown, facts);
    expect(inspect(error, { depth: 20 })).not.toContain('my-very-own-key');
  });

  test('a key that stands for a code or a request id is not passed on', () => {
    const error = modelErrorOf(
      anthropicError(400, 'my-very-own-key', 'odd', { 'request-id': 'my-very-own-key' }),
      facts,
    );
    expect(error).toMatchObject({ providerCode: '[redacted]', requestId: '[redacted]' });
  });

  test('a ModelError of other making quotes no key either', () => {
    const thrown = new ModelError('stream.protocol', 'got my-very-own-key', { retryable: true, status: 500 });
    expect(modelErrorOf(thrown, facts)).toMatchObject({ message: 'got [redacted]', retryable: true, status: 500 });
  });

  test('a name and a password in an address', () => {
    expect(redact('see https://me:hunter22@example.org/v1 and me@example.org')).toBe(
      'see https://[redacted]@example.org/v1 and me@example.org',
    );
    expect(shownAddress('https://me:hunter22@example.org:8443/v1?api-key=1#top')).toBe('https://example.org:8443/v1');
    expect(shownAddress('http://127.0.0.1:11434/v1')).toBe('http://127.0.0.1:11434/v1');
  });

  test('headers and addresses give the keys in them by their names', () => {
    const headers = { 'X-Title': 'my application', Authorization: 'Token abcdefgh1', cookie: 'a=1; session=ijklmnop2' };
    const secrets = secretsIn(headers, 'https://me:qrstuvwx%33@example.org/?sig=yz012345&api-version=2026-10-21');
    expect(secrets).toEqual(expect.arrayContaining(['abcdefgh1', 'ijklmnop2', 'qrstuvwx3', 'yz012345']));
    expect(secrets).not.toEqual(expect.arrayContaining([expect.stringMatching(/application|2026/)]));
  });

  test('ordinary words and ids stay', () => {
    const text =
      'Request req_011CSHoEeqs5C35K2UUqR7Fy: tool_choice.disable_parallel_tool_use on task-description, msg_01ABC';
    expect(redact(text)).toBe(text);
  });

  test('a clean cause is kept', () => {
    const cause = anthropicError(500, 'api_error', 'oops');
    expect(modelErrorOf(cause, facts).cause).toBe(cause);
  });
});

test('a message of unbounded length, such as one that quotes the request, is cut', () => {
  const thrown = new Error(`Cannot send ${'x'.repeat(1_000_000)}`);
  const { message } = modelErrorOf(thrown, facts);
  expect(message).toMatch(/failed: Cannot send x+…$/);
  expect(message.length).toBeLessThan(1_100);
});
