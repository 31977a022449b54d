// Everything that has the option `inspect`, seen as an inspector's messages.

import { describe, expect, test } from 'vitest';
import { inspectorMessage, withTranscript, type InspectorMessage } from '../../src/inspect/index.ts';
import {
  createBackgroundTasks,
  createConversation,
  createEngine,
  createOperative,
  userMessage,
} from '../../src/index.ts';
import { scriptedModel, simulatedHost } from '../../src/testing/index.ts';
import { audioOf, openSession, responseEnd, speech } from '../realtime/fake-wire.ts';

function collector() {
  const messages: InspectorMessage[] = [];
  const inspect = withTranscript((event) => {
    const message = inspectorMessage(event, 0);
    if (message !== undefined) messages.push(message);
  });
  return { messages, inspect };
}

const actorsOf = (messages: readonly InspectorMessage[]) =>
  messages.flatMap((message) => (message.type === '@xstate.actor' ? [message] : []));
const longest = (messages: readonly InspectorMessage[]) =>
  Math.max(...messages.map((message) => (message.type === '@xstate.actor' ? 0 : JSON.stringify(message).length)));

describe('an inspector', () => {
  test('sees a bare turn, and its transcript with it', async () => {
    const { messages, inspect } = collector();
    const host = simulatedHost();
    const engine = createEngine({ model: scriptedModel([{ text: 'hello' }]), transformers: [], host, inspect });
    const run = engine.run(createConversation({ messages: [userMessage('hi')] }));
    for await (const event of run) void event;
    expect(actorsOf(messages).map(({ name }) => name)).toEqual(['turn', 'transcript', 'streamModel']);
    const told = messages.flatMap((message) => (message.type === '@xstate.event' ? [message.event] : []));
    expect(told).toContainEqual(expect.objectContaining({ type: 'turn.completed', reason: 'completed' }));
  });

  test('gets whole messages where it asks for more than a summary, and no more than 64 kB', async () => {
    const { messages, inspect } = collector();
    const text = 'word '.repeat(1_000);
    const engine = createEngine({ model: scriptedModel([{ text }]), transformers: [], inspect });
    const { events } = await createOperative({ engine }).submit('x'.repeat(1_000_000));
    for await (const event of events) void event;
    expect(messages.some((message) => JSON.stringify(message).includes(text))).toBe(true);
    expect(longest(messages)).toBeLessThan(64 * 1024);
  });

  test('sees the registry of background tasks', () => {
    const { messages, inspect } = collector();
    createBackgroundTasks({ inspect });
    const [registry] = actorsOf(messages);
    expect(registry?.name).toBe('backgroundTasks');
    expect(JSON.parse(registry?.definition ?? '')).toMatchObject({
      id: 'backgroundTasks',
      description: expect.stringMatching(/\.$/),
    });
  });

  test.each(['a function', 'an observer'])(
    'sees a realtime session by its states, as %s, and hears no audio',
    async (form) => {
      const { messages, inspect } = collector();
      const { session, wire } = await openSession({}, { inspect: form === 'a function' ? inspect : { next: inspect } });
      await session.send({ type: 'audio.append', audio: audioOf(200) });
      wire.give({ type: 'response.created', responseId: 'r1' }, speech('r1', 'i1', 5_000), responseEnd('r1'));
      await session.close();
      const [actor] = actorsOf(messages);
      expect(actor?.name).toBe('realtimeSession');
      const values = messages.flatMap((message) => (message.type === '@xstate.snapshot' ? [message.snapshot] : []));
      expect(values.length).toBeGreaterThan(3);
      expect(longest(messages)).toBeLessThan(8_000);
    },
  );
});
