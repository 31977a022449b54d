// An HTTP tool against a real server: what the model reads, what the server gets, what a misbehaving server can do.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineHttpTool, type HttpToolSpecification } from '../../../src/tools/http/index.ts';
import { ToolResult } from '../../../src/tools/tool-result.ts';
import { callTool, newContext, type Answer } from '../baseline/workbench.ts';
import { localServer, type Handler, type LocalServer } from './local-server.ts';

const parameters = z.object({ path: z.string() });

/** A tool that gets one path of a server on this machine. */
function toolFor(server: LocalServer, parts: Partial<HttpToolSpecification<typeof parameters>> = {}) {
  return defineHttpTool({
    name: 'get',
    description: 'Gets a path.',
    parameters,
    allowHosts: [server.host],
    buildRequest: (args) => new Request(`http://${server.host}${args.path}`),
    ...parts,
  });
}

async function answerTo(
  handler: Handler,
  parts: Partial<HttpToolSpecification<typeof parameters>> = {},
): Promise<Answer> {
  await using server = await localServer(handler);
  return await callTool(toolFor(server, parts), { path: '/' }, newContext());
}

describe('the default text', () => {
  test('is status, reason and body', async () => {
    const answer = await answerTo((_, response) => response.writeHead(200, 'Fine').end('hello'));
    expect(answer).toMatchObject({ isError: false, text: '200 Fine\nhello' });
  });

  test('of a refused request is a failed result with the body', async () => {
    const answer = await answerTo((_, response) => response.writeHead(404).end('no such city'));
    expect(answer).toMatchObject({ isError: true, text: '404 Not Found\nno such city' });
  });

  test('of an answer without a body ends after the status', async () => {
    expect(await answerTo((_, response) => response.writeHead(204).end())).toMatchObject({ text: '204 No Content\n' });
  });

  test('lays JSON out and keeps every digit of its numbers', async () => {
    const body = '{"id":12345678901234567890,"rate":1.10,"list":[1]}';
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/problem+json; charset=utf-8' }).end(body);
    });
    expect(answer.text).toBe('200 OK\n{\n  "id": 12345678901234567890,\n  "rate": 1.10,\n  "list": [\n    1\n  ]\n}');
  });

  test('shows a body that is not JSON as it is, whatever its type says', async () => {
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":');
    });
    expect(answer.text).toBe('200 OK\n{"a":');
  });

  test('shows a page without its tags, scripts and styles', async () => {
    const page = '<html><style>p{}</style><script>alert(1)</script><h1>Title</h1><p>One &amp; two</p></html>';
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    });
    expect(answer.text).toContain('One & two');
    expect(answer.text).not.toMatch(/alert|<|p\{/);
  });

  test('survives a page that is nested without end', async () => {
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`${'<div>'.repeat(40_000)}deep`);
    });
    expect(answer).toMatchObject({ isError: false });
  });

  test.each([
    ['windows-1252', Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'café'],
    ['Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['nobody-knows', Buffer.from('café'), 'café'],
  ])('reads the charset %s', async (charset, bytes, text) => {
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': `text/plain; charset="${charset}"` }).end(bytes);
    });
    expect(answer.text).toBe(`200 OK\n${text}`);
  });

  test('reads the charset that a page names itself', async () => {
    const page = Buffer.from('<meta charset=iso-8859-1><p>caf\xe9</p>', 'latin1');
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    });
    expect(answer.text).toContain('café');
  });

  test('refuses what is not text, with its size', async () => {
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '5' }).end(Buffer.alloc(5));
    });
    expect(answer).toMatchObject({
      isError: true,
      text: '200 OK\nThe body is image/png (5 bytes) and cannot be shown as text.',
    });
  });

  test('counts a refused body whose size was not announced', async () => {
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'application/zip' });
      response.write(Buffer.alloc(1000));
      response.end(Buffer.alloc(500));
    });
    expect(answer.text).toContain('(1500 bytes)');
  });

  test('refuses bytes that nobody gave a type', async () => {
    const answer = await answerTo((_, response) => response.end(Buffer.from([1, 0, 2])));
    expect(answer.text).toBe('200 OK\nThe body is binary (3 bytes) and cannot be shown as text.');
  });
});

describe('a limit', () => {
  test('cuts on a character and says how long the body is', async () => {
    const body = 'ä'.repeat(100);
    const answer = await answerTo(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(200) }).end(body);
      },
      { maxResponseBytes: 101 },
    );
    expect(answer.text).toBe(
      `200 OK\n${'ä'.repeat(50)}\n\n[cut after 101 bytes; the body is longer, 200 bytes in all]`,
    );
  });

  test('ends a body that has no end', async () => {
    await using server = await localServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const answer = await callTool(toolFor(server), { path: '/' }, newContext());
    await server.closed;
    expect(answer.text).toContain('[cut after 262144 bytes; the body is longer]');
  });

  test('counts what a compressed body unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a'));
    const answer = await answerTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb);
    });
    expect(answer.text.length).toBeLessThan(263_000);
  });

  test('fails the reading of a formatter of one’s own', async () => {
    const answer = await answerTo((_, response) => response.end('x'.repeat(100)), {
      maxResponseBytes: 10,
      formatResponse: (response) => response.text(),
    });
    expect(answer).toMatchObject({ isError: true, text: 'The answer is longer than 10 bytes.' });
  });
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('unpacks %s', async (coding, pack) => {
  const answer = await answerTo((request, response) => {
    expect(request.headers['accept-encoding']).toContain(coding);
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': coding }).end(pack('packed'));
  });
  expect(answer.text).toBe('200 OK\npacked');
});

test.each<[string, Handler]>([
  [
    'a body cut short',
    (_, response, raw) => {
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
        .write('half', () => raw.socket.destroy());
    },
  ],
  [
    'a packed body cut short',
    (_, response) => {
      const packed = gzipSync('x'.repeat(10_000));
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(packed.subarray(0, 20));
    },
  ],
  [
    'a body that is not packed as it says',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('plain');
    },
  ],
  [
    'a packing that was not asked for',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'lzma' }).end('plain');
    },
  ],
  ['a connection that is dropped', (_, __, raw) => raw.socket.destroy()],
  ['an answer that is no HTTP', (_, __, raw) => raw.socket.end('SSH-2.0-hello\r\n')],
])('%s is a failed result', async (_, handler) => {
  const answer = await answerTo(handler);
  expect(answer.isError).toBe(true);
  expect(answer.text).not.toBe('');
});

test.each(['before the head', 'in the body'])(
  'an abort %s closes the connection and rejects with its reason',
  async (where) => {
    const controller = new AbortController();
    await using server = await localServer((_, response) => {
      if (where === 'in the body') response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
      setImmediate(() => controller.abort(new Error('the user left')));
    });
    const answer = callTool(toolFor(server), { path: '/' }, newContext({ signal: controller.signal }));
    await expect(answer).rejects.toThrow('the user left');
    await server.closed;
  },
);

describe('redirects', () => {
  test('are followed within the host, relative ones too', async () => {
    const answer = await answerTo((request, response) => {
      if (request.path === '/') response.writeHead(302, { location: 'there?x=1' }).end();
      else response.end(request.path);
    });
    expect(answer.text).toBe('200 OK\n/there?x=1');
  });

  test('do not lead to a host that is not allowed', async () => {
    await using other = await localServer((_, response) => response.end('secret'));
    const answer = await answerTo((_, response) =>
      response.writeHead(302, { location: `http://${other.host}/` }).end(),
    );
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain('is not one this tool may reach');
    expect(other.received).toEqual([]);
  });

  test('take no headers but harmless ones to another origin', async () => {
    await using other = await localServer((_, response) => response.end('there'));
    await using server = await localServer((_, response) =>
      response.writeHead(307, { location: `http://${other.host}/` }).end(),
    );
    const headers = {
      authorization: 'Bearer abcdefgh',
      'x-api-key': 'abcdefgh',
      cookie: 'a=abcdefgh',
      'user-agent': 'me',
    };
    const tool = toolFor(server, {
      allowHosts: [server.host, other.host],
      buildRequest: () => new Request(`http://${server.host}/`, { method: 'POST', headers, body: 'kept' }),
    });
    await callTool(tool, { path: '/' }, newContext());
    expect(server.received[0]?.headers).toMatchObject(headers);
    expect(other.received[0]).toMatchObject({ method: 'POST', body: 'kept', headers: { 'user-agent': 'me' } });
    expect(JSON.stringify(other.received)).not.toContain('abcdefgh');
  });

  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PUT', 'PUT'],
  ])('with %d turn %s into %s', async (status, method, then) => {
    await using server = await localServer((request, response) => {
      if (request.path === '/') response.writeHead(status, { location: '/there' }).end();
      else response.end('there');
    });
    const tool = toolFor(server, {
      buildRequest: () => new Request(`http://${server.host}/`, { method, body: 'kept' }),
    });
    await callTool(tool, { path: '/' }, newContext());
    expect(server.received[1]).toMatchObject({ method: then, body: then === 'GET' ? '' : 'kept' });
  });

  test('end after ten', async () => {
    const answer = await answerTo((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(answer.text).toBe('The server redirected more than 10 times.');
  });

  test('to an invalid address are a failed result', async () => {
    const answer = await answerTo((_, response) => response.writeHead(302, { location: 'http://[' }).end());
    expect(answer.isError).toBe(true);
  });
});

describe('secrets', () => {
  const secret = 'sk-very-secret-1';

  test('of headers are not in an answer that echoes them', async () => {
    await using server = await localServer((request, response) => response.end(JSON.stringify(request.headers)));
    const headers = { authorization: `Bearer ${secret}`, 'x-api-key': secret, cookie: `session=${secret}; theme=dark` };
    const tool = toolFor(server, { buildRequest: () => new Request(`http://${server.host}/`, { headers }) });
    const answer = await callTool(tool, { path: '/' }, newContext());
    expect(server.received[0]?.headers.authorization).toContain(secret);
    expect(answer.text).not.toContain(secret);
    expect(answer.text).toContain('[redacted]');
  });

  test('of headers are in no block and in no field of what a formatter gives', async () => {
    const echo: Handler = ({ headers }, response) => response.end(headers['x-api-key']);
    const buildRequest = ({ path }: { path: string }): Request =>
      new Request(`http://${host}${path}`, { headers: { 'x-api-key': 'say "sesame" twice' } });
    await using server = await localServer(echo);
    const { host } = server;
    for (const formatResponse of [
      async (response: Response) => ({ nested: [{ key: await response.text() }] }),
      async (response: Response) => [await response.text()],
      async (response: Response) =>
        ToolResult.blocks([
          { type: 'text', text: 'kept' },
          { type: 'text', text: await response.text() },
          { type: 'document', source: { type: 'text', text: 'say "sesame" twice' } },
        ]),
    ]) {
      const answer = await callTool(toolFor(server, { buildRequest, formatResponse }), { path: '/' }, newContext());
      expect(JSON.stringify(answer)).not.toContain('sesame');
      expect(JSON.stringify(answer.content)).toContain('[redacted]');
    }
  });

  test('of a result with several blocks leave the other blocks as they are', async () => {
    await using server = await localServer((_, response) => response.end());
    const answer = await callTool(
      toolFor(server, {
        buildRequest: () => new Request(`http://${server.host}/`, { headers: { authorization: 'Bearer sesame-1' } }),
        formatResponse: () =>
          ToolResult.blocks([
            { type: 'text', text: 'sesame-1' },
            { type: 'text', text: 'second' },
          ]),
      }),
      { path: '/' },
      newContext(),
    );
    expect(answer).toMatchObject({ isError: false, text: '[redacted]\nsecond' });
  });

  test('of basic credentials are hidden in the form that servers read them in', async () => {
    const credentials = Buffer.from('alice:wonderland').toString('base64');
    await using server = await localServer(({ headers }, response) => {
      const sent = (headers.authorization ?? '').slice(6);
      response.end(`${sent} ${Buffer.from(sent, 'base64').toString()} wonderland`);
    });
    const buildRequest = (): Request =>
      new Request(`http://${server.host}/`, { headers: { authorization: `Basic ${credentials}` } });
    const answer = await callTool(toolFor(server, { buildRequest }), { path: '/' }, newContext());
    expect(answer.text).toBe('200 OK\n[redacted] [redacted] [redacted]');
  });

  test.each<[string, () => Request]>([
    ['a header', () => new Request('http://x/', { headers: { authorization: 'Bearer sesame\r\nx: sesame' } })],
    ['a password', () => new Request('http://alice:sesame@x/')],
    ['an address', () => new Request('http://x y/?key=sesame')],
  ])('of %s that no request can have are not in the error', async (_, buildRequest) => {
    const tool = defineHttpTool({ name: 'get', description: 'Gets.', parameters, buildRequest });
    const answer = await callTool(tool, { path: '/' }, newContext());
    expect(answer.isError).toBe(true);
    expect(answer.text).not.toContain('sesame');
  });

  test('of the address are not in an error', async () => {
    const tool = defineHttpTool({
      name: 'get',
      description: 'Gets.',
      parameters,
      buildRequest: () => new Request(`http://127.0.0.1/?api_key=${secret}`),
    });
    const answer = await callTool(tool, { path: '/' }, newContext());
    expect(answer.isError).toBe(true);
    expect(answer.text).not.toContain(secret);
  });

  test('of the connection cannot be forged by a request', async () => {
    await using server = await localServer((_, response) => response.end('fine'));
    const tool = toolFor(server, {
      buildRequest: () => new Request(`http://${server.host}/`, { headers: { host: 'other', connection: 'upgrade' } }),
    });
    await callTool(tool, { path: '/' }, newContext());
    expect(server.received[0]?.headers.host).toBe(server.host);
  });
});

describe('what a tool is made of', () => {
  test('a passed fetch is used', async () => {
    const answer = await callTool(
      defineHttpTool({
        name: 'get',
        description: 'Gets.',
        parameters,
        buildRequest: () => new Request('https://example.com/a'),
        fetch: async (url) => new Response(`from ${String(url)}`),
      }),
      { path: '/' },
      newContext(),
    );
    expect(answer.text).toContain('from https://example.com/a');
  });

  test('a formatter sees the answer, its address and the arguments', async () => {
    const answer = await answerTo((_, response) => response.writeHead(500).end('broken'), {
      formatResponse: async (response, args) =>
        `${response.status} ${new URL(response.url).pathname} ${args.path} ${await response.text()}`,
    });
    expect(answer).toMatchObject({ isError: true, text: '500 / / broken' });
  });

  test('an answer that is not a success is a failed result, whatever a formatter makes of it', async () => {
    for (const formatted of [{ reason: 'gone' }, ['gone'], 410, undefined]) {
      const answer = await answerTo((_, response) => response.writeHead(410).end(), {
        formatResponse: () => formatted,
      });
      expect(answer.isError).toBe(true);
    }
    const isFine = await answerTo((_, response) => response.writeHead(410).end(), {
      formatResponse: () => ToolResult.text('gone, as it should be'),
    });
    expect(isFine.isError).toBe(false);
  });

  test('an invalid request is a failed result', async () => {
    // For callers without types.
    const answer = await answerTo((_, response) => response.end(), {
      buildRequest: () => 'http://x/' as unknown as Request,
    });
    expect(answer).toMatchObject({ isError: true, text: 'buildRequest must return a Request, got string.' });
  });

  test.each([
    [{ buildRequest: undefined }, 'buildRequest must be a function, got undefined'],
    [{ formatResponse: 1 }, 'formatResponse must be a function, got number'],
    [{ allowHosts: ['http://x'] }, 'allowHosts must be a list of "host" or "host:port"'],
    [{ allowHosts: ['*.example.com'] }, 'without patterns'],
    [{ allowHosts: ['example.com:web'] }, 'allowHosts must be a list'],
    [{ maxResponseBytes: 0 }, 'maxResponseBytes must be a number from 1, got 0'],
    [{ client: { send: fetch }, fetch }, 'client and fetch are both given'],
  ])('%o is refused when the tool is made', (parts, message) => {
    const specification = {
      name: 'get',
      description: 'Gets.',
      parameters,
      buildRequest: () => new Request('http://x/'),
      ...parts,
    };
    // For callers without types.
    expect(() => defineHttpTool(specification as unknown as HttpToolSpecification<typeof parameters>)).toThrow(message);
  });
});
