// No key in anything a failed call throws: message, fields, causes, whatever the server or the network does.

import { inspect } from 'node:util';

import { afterEach, describe, expect, test, vi } from 'vitest';
import { anthropic } from '../../src/adapters/anthropic/index.ts';
import { openai } from '../../src/adapters/openai/index.ts';
import type { Model, ModelRequest } from '../../src/contracts/model.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { collectUntilThrow } from './collect.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
// Of no shape anybody knows.
const key = 'PLANTED0deadbeef0KEY';

interface Options {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Record<string, string>;
  readonly fetch: typeof fetch;
}

const models: readonly (readonly [string, (options: Options) => Model])[] = [
  ['anthropic', (options) => anthropic({ model: 'm', ...options })],
  ['responses', (options) => openai({ model: 'm', api: 'responses', ...options })],
  ['chat', (options) => openai({ model: 'm', api: 'chat', ...options })],
];

const answering =
  (body: string, status = 200, headers: Record<string, string> = {}): typeof fetch =>
  () =>
    Promise.resolve(new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } }));
const streaming = (body: string): typeof fetch => answering(body, 200, { 'content-type': 'text/event-stream' });
const throwing =
  (error: unknown): typeof fetch =>
  () =>
    Promise.reject(error);
const refused = throwing(
  new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) }),
);
const breaking: typeof fetch = () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error(`socket of ${key} closed`)) });
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
};

afterEach(() => vi.unstubAllEnvs());

describe.each(models)('%s', (_, modelOf) => {
  test.each<readonly [string, Options]>([
    ['a body that is no JSON', { apiKey: key, fetch: answering(`no ${key}`) }],
    ['a body that is no JSON, cut inside the key', { apiKey: key, fetch: answering(`${'x'.repeat(70)} ${key}`) }],
    ['a web page', { apiKey: key, fetch: answering(`<p>${key}</p>`, 200, { 'content-type': 'text/html' }) }],
    ['an event that is no JSON', { apiKey: key, fetch: streaming(`data: no ${key}\n\n`) }],
    ['an event that is no object', { apiKey: key, fetch: streaming(`data: "${key}"\n\n`) }],
    [
      'an error event with more than a message',
      { apiKey: key, fetch: streaming(`data: {"type":"error","error":{"message":"no","detail":"${key}"}}\n\n`) },
    ],
    ['an error header', { apiKey: key, fetch: answering('{}', 400, { 'x-echo': key, 'request-id': key }) }],
    ['a connection that breaks', { apiKey: key, fetch: breaking }],
    ['an error of fetch', { apiKey: key, fetch: throwing(new Error(`no ${key}`)) }],
    [
      'the request in an error of fetch',
      { apiKey: key, fetch: throwing(Object.assign(new Error('no'), { request: { authorization: `Bearer ${key}` } })) },
    ],
    ['a password in the address', { apiKey: 'another', baseURL: `https://me:${key}@127.0.0.1:9/v1`, fetch: refused }],
    ['a key in the address', { apiKey: 'another', baseURL: `https://127.0.0.1:9/v1?code=${key}`, fetch: refused }],
    [
      'a header of the options that is echoed',
      { apiKey: 'another', headers: { 'api-key': key }, fetch: answering(`{"error":{"message":"bad ${key}"}}`, 401) },
    ],
    [
      'a header of the options that fetch refuses',
      {
        apiKey: 'another',
        headers: { 'x-api-key': `${key}\nx` },
        fetch: globalThis.fetch,
        baseURL: 'http://127.0.0.1:9',
      },
    ],
    ['the key of the environment', { fetch: answering(`{"error":{"message":"bad ${key}"}}`, 401) }],
  ])('no key from %s', async (__, options) => {
    vi.stubEnv('ANTHROPIC_API_KEY', key);
    vi.stubEnv('OPENAI_API_KEY', key);
    const { thrown } = await collectUntilThrow(
      modelOf(options).stream(request, { signal: new AbortController().signal }),
    );
    expect(thrown).toBeInstanceOf(Error);
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain('PLANTED');
  });
});
