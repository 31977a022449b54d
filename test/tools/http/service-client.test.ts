// A service client: one place for address, credentials, success and retries, used by several tools.

import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createHttpServiceClient, defineHttpTool, HttpResponseError } from '../../../src/tools/http/index.ts';
import { callTool, newContext } from '../baseline/workbench.ts';
import { pauseMs } from '../../../src/tools/http/retry.ts';
import { localServer, type Handler } from './local-server.ts';

const secret = 'sk-very-secret-1';
const { signal } = new AbortController();

test('puts credentials on every request, of several tools', async () => {
  await using server = await localServer((request, response) =>
    response.end(`${request.path} ${request.headers.authorization ?? ''}`),
  );
  let asked = 0;
  const client = createHttpServiceClient({
    baseURL: `http://${server.host}/v1/`,
    headers: async () => ({ authorization: `Bearer ${secret}-${(asked += 1)}` }),
  });
  const tools = ['cities', 'streets'].map((name) =>
    defineHttpTool({
      name,
      description: 'Gets.',
      parameters: z.object({ id: z.string() }),
      client,
      buildRequest: ({ id }) => client.request(`${name}/${id}`),
    }),
  );
  const answers = [];
  for (const tool of tools) answers.push((await callTool(tool, { id: '7' }, newContext())).text);
  expect(answers).toEqual(['200 OK\n/v1/cities/7 [redacted]', '200 OK\n/v1/streets/7 [redacted]']);
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${secret}-1`,
    `Bearer ${secret}-2`,
  ]);
});

test.each(['../admin', '/../admin', '..%2f..', '%2e%2e/admin', 'a/../../admin', '..\\admin'])(
  'a path %s does not lead out of the base address',
  async (path) => {
    const client = createHttpServiceClient({ baseURL: 'https://example.com/v1/' });
    const inside = (): string => new URL(client.request(path).url).pathname;
    let pathname: string | undefined;
    try {
      pathname = inside();
    } catch (error) {
      expect(error).toMatchObject({ code: 'options.invalid' });
    }
    if (pathname !== undefined) expect(pathname).toMatch(/^\/v1\//);
  },
);

test.each([
  '..%2fadmin',
  'a/..%2f..%2Fadmin',
  '%2e%2e%2fadmin',
  '..%5cadmin',
  '..;/admin',
  'a/..;x=1/..;/admin',
  '..%3b/admin',
  '..%00/admin',
])('a path %s does not lead out of the base address where the server reads it differently', async (path) => {
  const client = createHttpServiceClient({ baseURL: 'https://example.com/v1/' });
  expect(() => client.request(path)).toThrow('leads out of https://example.com/v1/');
  await expect(client.send(new Request(`https://example.com/v1/${path}`), { signal })).rejects.toMatchObject({
    code: 'options.invalid',
  });
});

test.each(['x%2Fy', 'a/..%2Fb', 'file..name', '..name', 'a;b=1/c', '...', '%252e%252e%252f', 'a%20b'])(
  'a path %s may be sent as it is',
  (path) => {
    const client = createHttpServiceClient({ baseURL: 'https://example.com/v1/' });
    expect(client.request(path).url).toBe(`https://example.com/v1/${path}`);
  },
);

test('refuses a request to another address, so that credentials stay at home', async () => {
  const client = createHttpServiceClient({
    baseURL: 'https://example.com/v1/',
    headers: () => ({ authorization: secret }),
  });
  for (const url of [
    'https://example.org/v1/',
    'https://example.com/v2/',
    'http://example.com/v1/',
    'https://example.com/v1evil',
  ]) {
    await expect(client.send(new Request(url), { signal })).rejects.toMatchObject({ code: 'options.invalid' });
  }
});

test('follows no redirect to another host', async () => {
  await using other = await localServer((_, response) => response.end());
  await using server = await localServer((_, response) =>
    response.writeHead(307, { location: `http://${other.host}/` }).end(),
  );
  const client = createHttpServiceClient({
    baseURL: `http://${server.host}`,
    headers: () => ({ 'x-api-key': secret }),
  });
  await expect(client.send(client.request('/'), { signal })).rejects.toThrow('not one this tool may reach');
  expect(other.received).toEqual([]);
});

test('rejects with the answer where it is not a success', async () => {
  await using server = await localServer((_, response) => response.writeHead(422).end('why'));
  const client = createHttpServiceClient({ baseURL: `http://${server.host}` });
  const failure: unknown = await client.send(client.request('/a?key=1'), { signal }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(HttpResponseError);
  expect(failure).toMatchObject({ message: `422 Unprocessable Entity from GET http://${server.host}/a` });
  expect(await (failure as HttpResponseError).response.text()).toBe('why');
});

test('decides what success is, for its tools too', async () => {
  await using server = await localServer((_, response) =>
    response.writeHead(200, { 'x-failed': 'yes' }).end('{"error":"quota"}'),
  );
  const client = createHttpServiceClient({
    baseURL: `http://${server.host}`,
    isSuccess: (response) => response.headers.get('x-failed') === null,
  });
  const tool = defineHttpTool({
    name: 'get',
    description: 'Gets.',
    parameters: z.object({}),
    client,
    buildRequest: () => client.request('/'),
  });
  expect(await callTool(tool, {}, newContext())).toMatchObject({ isError: true, text: '200 OK\n{"error":"quota"}' });
});

test('does not show the value of a header that cannot be sent', async () => {
  const client = createHttpServiceClient({
    baseURL: 'https://example.com',
    headers: () => ({ authorization: `${secret}\nx` }),
  });
  const failure: unknown = await client.send(client.request('/'), { signal }).catch((error: unknown) => error);
  expect(String(failure)).toContain('"authorization"');
  expect(String(failure)).not.toContain(secret);
});

test('of another make can be given to a tool', async () => {
  const client = { send: async (request: Request) => new Response(`sent to ${request.url}`) };
  const tool = defineHttpTool({
    name: 'get',
    description: 'Gets.',
    parameters: z.object({}),
    client,
    allowHosts: ['example.com'],
    buildRequest: () => new Request('https://example.com/x'),
  });
  expect((await callTool(tool, {}, newContext())).text).toContain('sent to https://example.com/x');
});

describe('retries', () => {
  /** Fails `failures` times in its way, then answers. */
  function failing(failures: number, fail: Handler): Handler {
    let count = 0;
    return (request, response, raw) => {
      count += 1;
      if (count <= failures) fail(request, response, raw);
      else response.end(`answer ${count}`);
    };
  }

  const busy: Handler = (_, response) => response.writeHead(503, { 'retry-after': '0' }).end('busy');
  const drop: Handler = (_, __, raw) => raw.socket.destroy();

  test.each([
    ['a busy server', busy, 'PUT'],
    ['a dropped connection', drop, 'GET'],
  ])('%s is asked again', async (_, fail, method) => {
    await using server = await localServer(failing(2, fail));
    const client = createHttpServiceClient({ baseURL: `http://${server.host}` });
    const body = method === 'GET' ? null : 'kept';
    const response = await client.send(client.request('/', { method, body }), { signal });
    expect(await response.text()).toBe('answer 3');
    expect(server.received.map((request) => request.body)).toEqual(Array.from({ length: 3 }, () => body ?? ''));
  });

  test('happen for no POST and no PATCH', async () => {
    for (const method of ['POST', 'PATCH']) {
      await using server = await localServer(failing(1, busy));
      const client = createHttpServiceClient({ baseURL: `http://${server.host}` });
      await expect(client.send(client.request('/', { method }), { signal })).rejects.toThrow('503');
      expect(server.received.length).toBe(1);
    }
  });

  test.each(['CERT_HAS_EXPIRED', 'HPE_INVALID_CONSTANT', 'ENOTFOUND'])('are not made after %s', async (code) => {
    const send = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('fetch failed', { cause: { code } })));
    const client = createHttpServiceClient({ baseURL: 'https://example.com/', fetch: send });
    await expect(client.send(client.request('/'), { signal })).rejects.toThrow('fetch failed');
    expect(send).toHaveBeenCalledOnce();
  });

  test('end with the last answer', async () => {
    await using server = await localServer(failing(9, busy));
    const client = createHttpServiceClient({ baseURL: `http://${server.host}`, retries: 1 });
    await expect(client.send(client.request('/'), { signal })).rejects.toThrow('503');
    expect(server.received.length).toBe(2);
  });

  test('are not made where the server asks for more patience than a call has', async () => {
    await using server = await localServer((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const client = createHttpServiceClient({ baseURL: `http://${server.host}` });
    await expect(client.send(client.request('/'), { signal })).rejects.toThrow('429');
    expect(server.received.length).toBe(1);
  });

  test.each([
    [0, undefined, [125, 250, 375]],
    [2, undefined, [500, 1_000, 1_500]],
    [9, undefined, [30_000, 30_000, 30_000]],
    [0, 0, [125, 250, 375]],
    [1, 0, [250, 500, 750]],
    [0, 5_000, [5_000, 5_125, 5_250]],
  ])('after try %d, where the server wished for %s ms, come at different times', (attempt, wished, pauses) => {
    expect([0, 0.5, 1].map((chance) => pauseMs(attempt, wished, chance))).toEqual(pauses);
  });

  test('stop at once when the call is cancelled', async () => {
    const controller = new AbortController();
    await using server = await localServer((_, response) => {
      response.writeHead(503, { 'retry-after': '25' }).end();
      setImmediate(() => controller.abort(new Error('the user left')));
    });
    const client = createHttpServiceClient({ baseURL: `http://${server.host}` });
    await expect(client.send(client.request('/'), { signal: controller.signal })).rejects.toThrow('the user left');
    expect(server.received.length).toBe(1);
  });
});

test.each([
  { baseURL: 'nowhere' },
  { baseURL: 'ftp://x' },
  { baseURL: 'https://u:p@x' },
  { baseURL: 'https://x', retries: -1 },
])('%o is refused when the client is made', (options) => {
  expect(() => createHttpServiceClient(options)).toThrow(expect.objectContaining({ code: 'options.invalid' }));
});
