// Sessions against a provider server nobody here wrote (@copilotkit/aimock).

import { LLMock } from '@copilotkit/aimock';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRealtimeOperative } from '../../../src/realtime/index.ts';
import { openaiRealtime } from '../../../src/realtime/openai/index.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { listen } from './listen.ts';

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
afterEach(() => {
  mock.clearRequests();
  mock.clearFixtures();
});

const connect = () =>
  openaiRealtime({ model: 'gpt-realtime', apiKey: 'mock', baseURL: `${mock.url}/v1` }).connect({
    modalities: ['text'],
    systemPrompt: [{ type: 'text', text: 'Be brief.' }],
  });

describe('a session', () => {
  test('answers in text', async () => {
    mock.onMessage('hello', { content: 'Hi there! 北京 🌍' });
    await using session = await connect();
    const ear = listen(session);
    expect(await ear.next('session.ready')).toMatchObject({ expiresAt: expect.any(Number) as number });
    await session.send({ type: 'text.send', text: 'hello' });
    await ear.next('response.completed');
    expect(
      ear
        .all('text.delta')
        .map(({ text }) => text)
        .join(''),
    ).toBe('Hi there! 北京 🌍');
    expect(ear.all('response.started')).toMatchObject([{ origin: 'client' }]);
    expect(ear.all('error')).toEqual([]);
  });

  test('runs a tool and answers with its result', async () => {
    mock.on(
      { userMessage: 'weather in Paris', hasToolResult: false },
      { toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city":"Paris"}' }] },
    );
    mock.on({ userMessage: 'weather in Paris', hasToolResult: true }, { content: 'It is sunny.' });
    const weather = defineTool({
      name: 'get_weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execute: (args) => `sunny in ${(args as { city: string }).city}`,
    });
    await using session = await connect();
    const operative = createRealtimeOperative(session, { tools: [weather] });
    let text = '';
    const settled: string[] = [];
    const reading = (async () => {
      for await (const event of operative.run()) {
        if (event.type === 'text.delta') text += event.text;
        if (event.type === 'toolCall.settled') settled.push(`${event.call.id} ${event.result.status}`);
        if (event.type === 'response.completed' && text !== '') return;
      }
    })();
    await operative.send({ type: 'text.send', text: 'weather in Paris' });
    await reading;
    expect(settled).toEqual(['call_1 completed']);
    expect(text).toBe('It is sunny.');
  });

  test('takes audio by hand', async () => {
    await using session = await connect();
    await session.send({ type: 'audio.append', audio: new Uint8Array(4800) });
    await session.send({ type: 'audio.commit' });
    await session.send({ type: 'audio.clear' });
    expect(session.phase).toBe('listening');
  });

  test('changes while it lives', async () => {
    await using session = await connect();
    const ear = listen(session);
    await session.send({ type: 'session.update', voice: 'cedar' });
    expect(await ear.next('session.updated')).toMatchObject({ settings: { audio: { output: { voice: 'cedar' } } } });
  });
});
