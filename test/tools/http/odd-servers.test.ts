// An HTTP tool against servers that keep to the letter of HTTP or less: connections that go away, answers in every dress,
// pages made to be slow.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost } from '../../../src/testing/index.ts';
import { createHttpServiceClient, defineHttpTool, type HttpToolSpecification } from '../../../src/tools/http/index.ts';
import { callTool, newContext, type Answer } from '../baseline/workbench.ts';
import { localServer, rawServer } from './local-server.ts';

const parameters = { type: 'object', properties: {} } as const;

function toolFor(host: string, parts: Partial<HttpToolSpecification<typeof parameters>> = {}) {
  return defineHttpTool({
    name: 'get',
    description: 'Gets.',
    parameters,
    allowHosts: [host],
    buildRequest: () => new Request(`http://${host}/`),
    ...parts,
  });
}

async function answerTo(reply: string | Buffer, parts: Partial<HttpToolSpecification<typeof parameters>> = {}) {
  await using server = await rawServer((socket) => socket.end(reply));
  return await callTool(toolFor(server.host, parts), {}, newContext());
}

function withBody(headers: string, body: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nConnection: close\r\n${headers}\r\n\r\n`), Buffer.from(body)]);
}

async function bodyOf(headers: string, body: string | Buffer, parts = {}): Promise<string> {
  const { text } = await answerTo(withBody(headers, body), parts);
  return text.slice(text.indexOf('\n') + 1);
}

const short = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';

describe('a connection', () => {
  test('is kept for the next call', async () => {
    await using server = await rawServer((socket) => socket.write(short));
    const tool = toolFor(server.host);
    for (let call = 0; call < 3; call++)
      expect(await callTool(tool, {}, newContext())).toMatchObject({ isError: false });
    expect(server.connections()).toBe(1);
  });

  test('that was kept and is dead is not a failure of the next call', async () => {
    await using server = await rawServer((socket, pieces) => {
      if (pieces === 0) socket.write(short);
      else socket.destroy();
    });
    const tool = toolFor(server.host);
    for (let call = 0; call < 4; call++)
      expect(await callTool(tool, {}, newContext())).toMatchObject({ isError: false });
  });

  test('that was kept is not given to a request that must not be sent twice', async () => {
    await using server = await rawServer((socket, pieces) => {
      if (pieces === 0) socket.write(short);
      else socket.destroy();
    });
    let method = 'GET';
    const tool = toolFor(server.host, { buildRequest: () => new Request(`http://${server.host}/`, { method }) });
    await callTool(tool, {}, newContext());
    method = 'POST';
    for (let call = 0; call < 2; call++)
      expect(await callTool(tool, {}, newContext())).toMatchObject({ isError: false });
    expect(server.connections()).toBe(3);
  });

  test('that is new and is dropped is a failure, and is not asked again', async () => {
    await using server = await rawServer((socket) => socket.destroy());
    expect(await callTool(toolFor(server.host), {}, newContext())).toMatchObject({ isError: true });
    expect(server.connections()).toBe(1);
  });

  const endless = 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhi';

  test.each<[string, () => unknown]>([
    ['returns without reading', () => 'enough'],
    ['throws', () => Promise.reject(new Error('no'))],
  ])('is closed when a formatter %s', async (_, formatResponse) => {
    await using server = await rawServer((socket) => socket.write(endless));
    const answer = await callTool(toolFor(server.host, { formatResponse }), {}, newContext());
    expect(answer.text).toMatch(/^enough$|^no$/);
    await server.quiet();
  });

  test('is closed when a formatter leaves off in the middle', async () => {
    await using server = await rawServer((socket) => socket.write(endless));
    const formatResponse = async (response: Response): Promise<string> => {
      const part = await response.body?.getReader().read();
      return new TextDecoder().decode(part?.value);
    };
    expect(await callTool(toolFor(server.host, { formatResponse }), {}, newContext())).toMatchObject({ text: 'hi' });
    await server.quiet();
  });

  test('is closed when the judge of a client throws', async () => {
    await using server = await rawServer((socket) => socket.write(endless));
    const client = createHttpServiceClient({
      baseURL: `http://${server.host}/`,
      isSuccess: () => {
        throw new Error('no idea');
      },
    });
    const { signal } = new AbortController();
    await expect(client.send(client.request('/'), { signal })).rejects.toThrow('no idea');
    await server.quiet();
  });

  test('that is kept does not keep a process alive', async () => {
    await using server = await rawServer((socket) => socket.write(short));
    const program = `
      import { defineHttpTool } from ${JSON.stringify(new URL('../../../src/tools/http/index.ts', import.meta.url).href)};
      const tool = defineHttpTool({
        name: 'get', description: 'Gets.', parameters: { type: 'object', properties: {} },
        allowHosts: ['${server.host}'], buildRequest: () => new Request('http://${server.host}/'),
      });
      const { content } = await tool.execute({}, { signal: new AbortController().signal });
      console.log(content[0].text);
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout).toBe('200 OK\nhi\n');
    await server.quiet(); // the process ended although the server never closed
  });
});

test('a time limit of the tool closes the connection of a server that is too slow', async () => {
  let tellArrived = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (tellArrived = resolve));
  await using server = await localServer(() => tellArrived());
  const host = simulatedHost();
  const model = scriptedModel([{ calls: [{ name: 'get', args: {} }] }, { text: 'too slow' }]);
  const conversation = createConversation({ messages: [userMessage('go')] });
  const { result } = createEngine({ model, tools: [toolFor(server.host, { timeoutMs: 1_000 })], host }).run(
    conversation,
  );
  await host.settle();
  await arrived;
  await host.advance(1_000);
  await server.closed;
  await host.advance(1_000);
  await result;
  expect(conversation.messages[2]?.content).toMatchObject([{ status: 'timedOut' }]);
});

describe('an answer', () => {
  test('that changes the protocol is a failure', async () => {
    const answer = await answerTo('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('status 101') as string });
  });

  test('with a reason in UTF-8 is reported in words', async () => {
    const reason = Buffer.from('HTTP/1.1 404 Nicht da: Gefängnis €\r\nContent-Length: 2\r\n\r\nhi');
    expect(await answerTo(reason)).toMatchObject({ text: '404 Nicht da: Gefängnis €\nhi' });
  });

  test('with control characters in its reason is still an answer', async () => {
    const answer = await answerTo('HTTP/1.1 200 \u0001Fi\u0002ne\u007f\r\nContent-Length: 2\r\n\r\nhi');
    expect(answer).toMatchObject({ isError: false, text: '200 Fine\nhi' });
  });

  test('that is sent live and has no end is refused with what has come of it in two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const cancelled = vi.fn<() => void>();
      let told = (): void => undefined;
      const isRead = new Promise<void>((resolve) => (told = resolve));
      const live = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(500)),
        pull: () => told(),
        cancel: cancelled,
      });
      const response = new Response(live, { headers: { 'content-type': 'audio/mpeg' } });
      const answer = callTool(toolFor('example.com', { fetch: async () => response }), {}, newContext());
      await isRead;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await answer).toMatchObject({
        text: '200\nThe body is audio/mpeg (500 bytes or more) and cannot be shown as text.',
      });
      expect(cancelled).toHaveBeenCalledOnce();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('that a formatter hands back as it is, is a failure that says what to return', async () => {
    const answer = await answerTo(short, { formatResponse: (response) => response });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('response.text()') as string });
  });

  test('may come after hints', async () => {
    const hints = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    expect(await answerTo(`${hints}${short}`)).toMatchObject({ text: '200 OK\nhi' });
  });

  test.each<[string, Buffer, string]>([
    ['gzip', Buffer.alloc(0), ''],
    ['br', Buffer.alloc(0), ''],
    ['deflate', deflateRawSync('bare'), 'bare'],
    ['gzip, gzip', gzipSync(gzipSync('twice')), 'twice'],
    ['deflate, gzip', gzipSync(deflateSync('both')), 'both'],
    ['identity', Buffer.from('plain'), 'plain'],
    ['GZIP, identity', gzipSync('loud'), 'loud'],
  ])('compressed as %s is unpacked', async (coding, body, text) => {
    expect(await bodyOf(`Content-Encoding: ${coding}`, body)).toBe(text);
  });

  test.each<[string, Buffer]>([
    ['gzip', gzipSync('whole').subarray(0, 15)],
    ['gzip', Buffer.from('no gzip at all')],
    ['zstd', Buffer.from('not asked for')],
    ['gzip, gzip, gzip, gzip, gzip, gzip', gzipSync('a bomb')],
  ])('that says %s and is not is a failure', async (coding, body) => {
    expect(await answerTo(withBody(`Content-Encoding: ${coding}`, body))).toMatchObject({ isError: true });
  });

  test.each([
    ['Content-Type: application/json\r\nContent-Type: application/json', '{"a":1}', '{\n  "a": 1\n}'],
    ['Content-Type: text/html, application/json', '{"a":1}', '{\n  "a": 1\n}'],
    ['Content-Type: json', '{"a":1}', '{"a":1}'],
    ['Content-Type: */*', 'text', 'text'],
    ['Content-Type: application/csv', 'a,b', 'a,b'],
    ['Content-Type: application/x-json; charset=utf-8', '[1]', '[\n  1\n]'],
  ])('with %s is shown as text', async (headers, body, text) => {
    expect(await bodyOf(headers, body)).toBe(text);
  });

  test.each(['text/plain', 'application/json', 'text/html'])('of %s that is binary is refused', async (type) => {
    expect(await bodyOf(`Content-Type: ${type}`, Buffer.from([80, 75, 0, 4, 255]))).toBe(
      'The body is binary (5 bytes) and cannot be shown as text.',
    );
  });

  test('in UTF-16 is text, zeros and all', async () => {
    expect(await bodyOf('Content-Type: text/plain; charset=utf-16', Buffer.from('héllo', 'utf16le'))).toBe('héllo');
  });

  test('of JSON that laying out would make far longer stays as it is', async () => {
    const deep = `${'['.repeat(800)}${']'.repeat(800)}`;
    expect(await bodyOf('Content-Type: application/json', deep, { maxResponseBytes: 10_000 })).toBe(deep);
  });
});

describe('a page', () => {
  const pageOf = (page: string, parts = {}): Promise<string> => bodyOf('Content-Type: text/html', page, parts);

  test('that is cut is still text', async () => {
    const text = await pageOf(`<script>x()</script>${'<p>word</p>'.repeat(1_000)}`, { maxResponseBytes: 100 });
    expect(text).toMatch(/^word\n\nword\n/);
    expect(text).not.toContain('<p>');
    expect(text).toContain('[cut after 100 bytes; the body is longer');
  });

  test('shows a row of a table as a line', async () => {
    const rows = '<tr><th>City</th><th>Sky</th></tr><tr><td>Paris</td><td><b>clear</b></td></tr>';
    expect(await pageOf(`<p>Now</p><table><tbody>${rows}</tbody></table>`)).toBe('Now\n\nCity | Sky\nParis | clear');
  });

  test.each([
    ['a cell that says it is endlessly wide', '<table><tr><td colspan="999999999" rowspan="999999999">x</table>'],
    ['a wide cell above many', `<table><tr><td>${'x'.repeat(50_000)}${'<tr><td>a<td>b'.repeat(5_000)}`],
    ['quotes in quotes', `<blockquote>${'a<br>'.repeat(50)}`.repeat(400)],
    ['lists in lists', `<ul><li>${'a<br>'.repeat(50)}`.repeat(400)],
    ['rulers', '<hr>'.repeat(50_000)],
    ['open tags', '<span>'.repeat(40_000)],
    ['a list that begins far up', '<ol type="i" start="2000000000"><li>x</ol>'],
  ])('with %s is not longer than a body may be', async (_, page) => {
    expect((await pageOf(page)).length).toBeLessThanOrEqual(262_145);
  });
});

test.each([
  ['HTTP/1.1 200 O', 'The connection was closed without an answer (ECONNRESET)'],
  [
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
    'The connection was lost in the middle of the answer (ECONNRESET)',
  ],
])('a connection that is dropped after %j is reported in words', async (sent, text) => {
  expect(await answerTo(sent)).toMatchObject({ isError: true, text });
});

test.each([
  ['has no length', ''],
  ['has a length', 'Content-Length: 100\r\n'],
  ['comes in chunks', 'Transfer-Encoding: chunked\r\n'],
  ['is compressed', 'Content-Encoding: gzip\r\n'],
])('a body that %s is not taken for whole when the call is cancelled', async (_, header) => {
  const call = new AbortController();
  const packed = header.includes('gzip') ? gzipSync('half of it') : Buffer.from('4\r\nhalf\r\n');
  await using server = await rawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n`);
    socket.write(packed);
  });
  const formatResponse = async (response: Response): Promise<string> => {
    const reader = response.body?.getReader();
    const first = await reader?.read();
    call.abort(new Error('cancelled'));
    const next = await reader?.read();
    return next?.done === true ? `whole: ${new TextDecoder().decode(first?.value)}` : 'more';
  };
  const own = toolFor(server.host, { formatResponse });
  await expect(callTool(own, {}, newContext({ signal: call.signal }))).rejects.toThrow('cancelled');
  await server.quiet();
});

describe('a request', () => {
  async function sent(request: (host: string) => Request): Promise<{ readonly answer: Answer; readonly body: string }> {
    await using server = await localServer(({ path }, response) => {
      if (path === '/moved') response.writeHead(302, { location: '/' }).end('moved');
      else response.end('there');
    });
    const answer = await callTool(toolFor(server.host, { buildRequest: () => request(server.host) }), {}, newContext());
    return { answer, body: server.received.at(-1)?.body ?? '' };
  }

  test('that allows no redirect is a failure where there is one', async () => {
    const { answer } = await sent((host) => new Request(`http://${host}/moved`, { redirect: 'error' }));
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('does not allow') as string });
  });

  test('that follows by hand has the redirect as its answer', async () => {
    const { answer } = await sent((host) => new Request(`http://${host}/moved`, { redirect: 'manual' }));
    expect(answer).toMatchObject({ isError: true, text: '302 Found\nmoved' });
  });

  test('may have a form, a file or a stream as its body', async () => {
    const form = new FormData();
    form.set('file', new Blob(['contents']), 'a.txt');
    const post = (body: BodyInit) => (host: string) =>
      new Request(`http://${host}/`, { method: 'POST', body, duplex: 'half' } as RequestInit); // which Node wants for streams
    expect((await sent(post(form))).body).toMatch(/filename="a\.txt"[^]*contents/);
    expect((await sent(post(new Blob(['blob'])))).body).toBe('blob');
    expect((await sent(post(new Blob(['stream']).stream()))).body).toBe('stream');
  });

  test.each([
    ['before it is read', 0],
    ['while it is read', 1],
  ])('with a body that never ends is given up with a call that is cancelled %s', async (_, pieces) => {
    const call = new AbortController();
    const ended = vi.fn<() => void>();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (pulled++ < pieces) return controller.enqueue(new Uint8Array(1)); // asked again when somebody has read it
        queueMicrotask(() => call.abort(new Error('cancelled')));
        return new Promise(() => undefined);
      },
      cancel: ended,
    });
    const buildRequest = (): Request =>
      new Request('http://127.0.0.1:9/', { method: 'POST', body, duplex: 'half' } as RequestInit); // which Node wants for streams
    const answer = callTool(toolFor('127.0.0.1:9', { buildRequest }), {}, newContext({ signal: call.signal }));
    await expect(answer).rejects.toThrow('cancelled');
    expect(ended).toHaveBeenCalledOnce();
  });

  test('whose body has been read already is a failure that says so', async () => {
    const request = new Request('http://127.0.0.1:9/', { method: 'POST', body: 'x' });
    await request.text();
    const answer = await callTool(toolFor('127.0.0.1:9', { buildRequest: () => request }), {}, newContext());
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('read already') as string });
  });

  test('follows a redirect to an address in plain UTF-8', async () => {
    const path = Buffer.from('/café').toString('latin1');
    const fetchOnce = toolFor('127.0.0.1:9', {
      fetch: async (url) =>
        String(url).endsWith('/')
          ? new Response(null, { status: 302, headers: { location: path } })
          : new Response(String(url)),
    });
    expect((await callTool(fetchOnce, {}, newContext())).text).toContain('/caf%C3%A9');
  });
});
