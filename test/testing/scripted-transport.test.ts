// A scripted realtime provider: sessions and their tools without a network.

import { describe, expect, test } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { createRealtimeOperative, type RealtimeEvent, type RealtimeSessionOptions } from '../../src/realtime/index.ts';
import { scriptedTransport, simulatedHost, type ScriptedTransport } from '../../src/testing/index.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks out.',
  parameters: { type: 'object', properties: {} },
  execute: () => 'clear sky',
});

async function talk(transport: ScriptedTransport, options: RealtimeSessionOptions = {}) {
  const host = simulatedHost({ seed: 1 });
  const session = await transport.connect({ host, ...options });
  const operative = createRealtimeOperative(session, { tools: [look] });
  const events: RealtimeEvent[] = [];
  const reading = (async () => {
    for await (const event of operative.run()) events.push(event);
  })();
  const types = () => events.map(({ type }) => type);
  const end = async () => {
    await operative.close();
    await reading;
  };
  return { host, operative, session, events, types, end };
}

test('answers a text, runs the tool it asks for, and answers again', async () => {
  using transport = scriptedTransport([{ calls: [{ name: 'look' }] }, { said: 'Clear sky.' }]);
  const { host, operative, events, end } = await talk(transport);
  await operative.send({ type: 'text.send', text: 'How is the weather?' });
  await host.settle();
  await end();
  const results = transport.commands.filter((command) => command.type === 'item.create').map(({ item }) => item);
  expect(results.at(-1)).toMatchObject({ kind: 'result', output: 'clear sky' });
  expect(events.filter(({ type }) => type === 'response.completed')).toHaveLength(2);
  expect(JSON.stringify(events)).toContain('Clear sky.');
});

test('answers what the user says', async () => {
  using transport = scriptedTransport([{ said: 'Good morning.' }]);
  const { host, types, end } = await talk(transport);
  transport.userSays('Hello?');
  await host.settle();
  await end();
  expect(types()).toEqual(
    expect.arrayContaining([
      'speech.started',
      'speech.stopped',
      'transcript.delta',
      'audio.delta',
      'response.completed',
    ]),
  );
});

test('waits for a request where the session detects no turns', async () => {
  using transport = scriptedTransport([{ said: 'Yes?' }]);
  const { host, operative, types, end } = await talk(transport, { turnDetection: { mode: 'manual' } });
  transport.userSays('Hello?');
  await host.settle();
  expect(types()).not.toContain('response.started');
  await operative.send({ type: 'response.request' });
  await host.settle();
  await end();
  expect(types()).toContain('response.completed');
});

test('an endless answer ends when the user speaks', async () => {
  using transport = scriptedTransport([{ said: 'Once upon a time', endless: true }, { said: 'All right.' }]);
  const { host, types, end } = await talk(transport);
  transport.userSays('Tell me a story.');
  await host.advance(100);
  transport.userSays('Stop.');
  await host.settle();
  expect(types().filter((type) => type === 'response.interrupted')).toHaveLength(1);
  expect(transport.commands.some(({ type }) => type === 'item.truncate')).toBe(true);
  await end();
});

test('an endless answer ends when it is interrupted', async () => {
  using transport = scriptedTransport([{ said: 'Once upon a time', endless: true }]);
  const { host, operative, types, end } = await talk(transport);
  await operative.send({ type: 'text.send', text: 'Tell me a story.' });
  await host.settle();
  await operative.send({ type: 'response.interrupt' });
  await end();
  expect(types()).toContain('response.interrupted');
});

test('a link that breaks ends the session', async () => {
  using transport = scriptedTransport([]);
  const { host, events, end } = await talk(transport);
  transport.breakLink();
  await host.settle();
  await end();
  expect(events.at(-1)).toMatchObject({ type: 'session.closed', reason: 'connectionLost' });
});

describe('verify', () => {
  test('names steps that were not used', () => {
    const transport = scriptedTransport([{ said: 'Hello.' }, { calls: [{ name: 'look' }] }]);
    expect(() => transport.verify()).toThrow(/step 1 of 2 was not used: "Hello."\n- step 2 of 2 was not used: "look"/);
  });

  test('names answers that had no step', async () => {
    const transport = scriptedTransport([]);
    const { host, operative, end } = await talk(transport);
    await operative.send({ type: 'text.send', text: 'Hello?' });
    await host.settle();
    await end();
    expect(() => transport.verify()).toThrow('an answer was requested but has no step: the script has 0');
  });
});
