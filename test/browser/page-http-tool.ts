// What http-tool.test.ts runs in a page: the HTTP tool over the browser's own fetch. Node never runs it.

import { createConversation, createEngine, textOf, userMessage } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { createHttpServiceClient, defineHttpTool } from '../../src/tools/http/index.ts';

/** The results of one call each: within the rules and outside, through a client, with and without cookies, read and not read. */
export async function results(): Promise<readonly string[]> {
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;
  const request = (args: unknown): Request =>
    new Request(new URL(String(Reflect.get(Object(args), 'path')), location.href));
  const client = createHttpServiceClient({
    baseURL: location.origin,
    headers: () => ({ 'x-api-key': 'sk-very-secret-1' }),
  });
  const tools = [
    defineHttpTool({
      name: 'listed',
      description: 'Gets.',
      parameters,
      allowHosts: [location.host],
      buildRequest: request,
    }),
    defineHttpTool({ name: 'any', description: 'Gets.', parameters, buildRequest: request }),
    defineHttpTool({
      name: 'strange',
      description: 'Gets without cookies.',
      parameters,
      buildRequest: (args) => new Request(request(args), { credentials: 'omit' }),
    }),
    defineHttpTool({
      name: 'impatient',
      description: 'Does not read.',
      parameters,
      buildRequest: request,
      formatResponse: ({ status }) => `status ${status}`,
    }),
    defineHttpTool({ name: 'service', description: 'Gets.', parameters, client, buildRequest: request }),
  ];
  const calls = [
    { name: 'listed', args: { path: '/data' } },
    { name: 'listed', args: { path: '/moved' } },
    { name: 'any', args: { path: '/data' } },
    { name: 'service', args: { path: '/echo' } },
    { name: 'any', args: { path: '/cookie' } },
    { name: 'strange', args: { path: '/cookie' } },
    { name: 'impatient', args: { path: '/endless' } },
    { name: 'any', args: { path: '/page' } },
  ];
  document.cookie = 'visitor=known';
  const model = scriptedModel([{ calls }, { text: 'Done.' }]);
  const conversation = createConversation({ messages: [userMessage('Go.')] });
  await createEngine({ model, tools }).run(conversation).result;
  const answered = conversation.messages[2]?.content ?? [];
  return answered.map((block) =>
    block.type === 'toolResult'
      ? `${block.status}: ${textOf({ ...userMessage(''), content: block.content })}`
      : block.type,
  );
}
