// Where the credentials of a service must never turn up while a turn calls its tool.

import { expect, test } from 'vitest';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { createHttpServiceClient, defineHttpTool } from '../../../src/tools/http/index.ts';
import { localServer } from './local-server.ts';

const secret = 'sesame-open-1234';
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;

test('secret headers are in no event, no inspection event, no approval, no request and no transcript, however the calls go', async () => {
  await using server = await localServer(({ path, headers }, response, raw) => {
    const echo = JSON.stringify({ headers });
    if (path === '/dropped') raw.socket.destroy();
    else if (path === '/moved')
      response.writeHead(302, { location: `http://x.invalid/?${headers.authorization}` }).end();
    else if (path === '/broken') response.writeHead(200, { 'content-encoding': 'gzip' }).end(echo);
    else response.writeHead(path === '/failed' ? 500 : 200, { 'content-type': 'application/json' }).end(echo);
  });
  const client = createHttpServiceClient({
    baseURL: `http://${server.host}/`,
    headers: () => ({ authorization: `Bearer ${secret}`, cookie: `session=${secret}-cookie` }),
    retries: 0,
  });
  const own = defineHttpTool({
    name: 'own',
    description: 'Sends by itself.',
    parameters,
    allowHosts: [server.host],
    buildRequest: (args) =>
      new Request(`http://${server.host}${String(Reflect.get(Object(args), 'path'))}`, {
        headers: {
          'x-api-key': secret,
          ...(Reflect.get(Object(args), 'path') === '/odd' ? { cookie: `${secret}\0` } : {}),
        },
      }),
  });
  const shared = defineHttpTool({
    name: 'shared',
    description: 'Sends through the client.',
    parameters,
    client,
    buildRequest: (args) => client.request(String(Reflect.get(Object(args), 'path'))),
  });
  const paths = ['/fine', '/failed', '/dropped', '/moved', '/broken', '/odd'];
  const calls = paths.flatMap((path) => ['own', 'shared'].map((name) => ({ name, args: { path } })));
  const model = scriptedModel([{ calls }, { text: 'done' }]);
  const seen: unknown[] = [];
  const engine = createEngine({
    model,
    tools: [own, shared],
    approve: ({ tool, ...request }) => {
      seen.push(tool.name, request);
      return { allow: true };
    },
    inspect: (event) => seen.push(Reflect.get(Object(event), 'event'), Reflect.get(Object(event), 'snapshot')),
  });
  const conversation = createConversation({ messages: [userMessage('go')] });
  for await (const event of engine.run(conversation)) seen.push(event);
  seen.push(conversation, model.requests);
  const told = new Set<object>();
  const everything = JSON.stringify(seen, (_, value: unknown) => {
    if (typeof value === 'bigint' || typeof value === 'function') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (told.has(value)) return undefined; // once is enough, and there are rings
    told.add(value);
    return value;
  });
  expect(everything.match(/"status":"(?:completed|failed)"/g)?.length).toBeGreaterThanOrEqual(calls.length);
  expect(server.received.every(({ headers }) => JSON.stringify(headers).includes(secret))).toBe(true);
  expect(everything).toContain('[redacted]');
  expect(everything).not.toContain(secret);
});
