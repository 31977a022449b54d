// How much of a long transcript is read because somebody inspects: counted at the messages themselves.

import { describe, expect, test } from 'vitest';
import {
  createConversation,
  createEngine,
  createOperative,
  defineTool,
  userMessage,
  type Message,
  type Model,
  type StreamEvent,
} from '../../src/index.ts';
import { inspectorMessage, withTranscript } from '../../src/inspect/index.ts';

let reads = 0;

/** The same value, whose every read field counts, however deep. */
function counted<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, key, receiver) => {
      reads++;
      return counted(Reflect.get(target, key, receiver));
    },
    ownKeys: (target) => {
      reads++;
      return Reflect.ownKeys(target);
    },
  }) as Value;
}

/** A call, then an answer in three pieces. It looks at no message. */
function model(): Model {
  let calls = 0;
  return {
    id: 'blind',
    async *stream(): AsyncGenerator<StreamEvent> {
      yield { type: 'message.start' };
      if (calls++ === 0) {
        yield { type: 'toolInput.start', index: 0, id: 'c', name: 'look' };
        yield { type: 'toolInput.end', index: 0 };
      } else {
        yield { type: 'text.start', index: 0 };
        for (const text of ['one ', 'two ', 'three']) yield { type: 'text.delta', index: 0, text };
        yield { type: 'usage', usage: { inputTokens: 10, outputTokens: 3 } };
      }
      yield { type: 'message.end', stopReason: calls === 1 ? 'toolUse' : 'endTurn' };
    },
  };
}

/** How often stored messages are read in a turn with a tool and steering. */
async function play(stored: number, inspect?: (event: unknown) => void) {
  const messages: Message[] = Array.from({ length: stored }, (_, index) =>
    counted(userMessage(`${index} `.repeat(250), { id: `m${index}` })),
  );
  const conversation = createConversation({ messages });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: {} },
    execute: async () => {
      await operative.submit('in short, please');
      return 'seen';
    },
  });
  const engine = createEngine({ model: model(), tools: [look], transformers: [], ...(inspect && { inspect }) });
  const operative = createOperative({ engine, conversation });
  reads = 0;
  const { events } = await operative.submit('go');
  for await (const event of events) void event;
  await operative.close();
  return reads;
}

/** An inspector that turns whatever it is given into text, as those that send it over a wire do. */
const inspectors = {
  'writes each event as JSON': (into: string[]) => (event: unknown) => {
    const { type, event: inner, snapshot } = event as { type: string; event?: unknown; snapshot?: unknown };
    into.push(JSON.stringify({ type, inner, snapshot }));
  },
  'sends the messages of the protocol': (into: string[]) => (event: unknown) => {
    const message = inspectorMessage(event, 0);
    if (message !== undefined) into.push(JSON.stringify(message));
  },
};

describe.each(Object.entries(inspectors))('an inspector that %s', (_, inspector) => {
  test('reads no more of a transcript of 1 MB than of one of 100 kB', async () => {
    const readsOf = async (stored: number) => {
      const texts: string[] = [];
      const alone = await play(stored);
      const watched = await play(stored, withTranscript(inspector(texts)));
      return { alone, extra: watched - alone, texts: texts.length };
    };
    const [few, many] = [await readsOf(100), await readsOf(1_000)];
    expect(few.texts).toBeGreaterThan(20);
    expect(few.alone).toBeGreaterThan(0);
    expect(many).toEqual(few);
  });
});
