import { afterEach, describe, expect, test } from 'vitest';
import { createEngine, createOperative, defineTool, userMessage, type Conversation } from '../../src/index.ts';
import { createConversation } from '../../src/index.ts';
import { withTranscript } from '../../src/inspect/index.ts';
import { scriptedModel, simulatedHost, type ScriptedStepSource } from '../../src/testing/index.ts';
import { statelyInspector, type WireMessage } from './stately-server.ts';

let inspector: Awaited<ReturnType<typeof statelyInspector>>;

afterEach(() => inspector.close());

// A turn with two tools, one of which runs an agent, steered while the first one runs.
async function play(conversation?: Conversation) {
  inspector = await statelyInspector();
  const host = simulatedHost();
  const helper = createEngine({ model: scriptedModel([{ text: 'found it' }], { host }), host });
  const research = defineTool({
    name: 'research',
    description: 'Asks another agent.',
    parameters: { type: 'object', properties: {} },
    execute: async (_args, context) => {
      await using subagent = createOperative({ engine: helper, inspectUnder: context });
      const { events } = await subagent.submit('look for it');
      for await (const event of events) if (event.type === 'turn.completed') return event.reason;
      return 'no end';
    },
  });
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    parameters: { type: 'object', properties: {} },
    execute: async () => {
      await operative.submit('in short, please');
      return 'x'.repeat(5_000);
    },
  });
  const script: ScriptedStepSource[] = [
    { text: 'Let me look.', calls: [{ name: 'read' }, { name: 'research' }] },
    { text: 'Done.' },
  ];
  const engine = createEngine({
    model: scriptedModel(script, { host }),
    tools: [read, research],
    transformers: [],
    host,
    inspect: withTranscript(inspector.inspect),
  });
  const operative = createOperative({ engine, ...(conversation === undefined ? {} : { conversation }) });
  const first = await operative.submit('what is there?', { turnContext: { secret: 'of the host' } });
  for await (const event of first.events) void event;
  await operative.close();
  await inspector.has('operative.closed');
  return inspector;
}

const isOf =
  <Type extends WireMessage['type']>(type: Type) =>
  (message: WireMessage) =>
    message.type === type;

// Lines like `operative > turn > streamModel`.
function treeOf(messages: readonly WireMessage[]): readonly string[] {
  const actors = new Map(messages.filter(isOf('@xstate.actor')).map((actor) => [actor.sessionId, actor]));
  const pathOf = (id: string | undefined): string => {
    const actor = id === undefined ? undefined : actors.get(id);
    if (actor === undefined) return '';
    const above = pathOf(actor.parentId);
    return above === '' ? String(actor.name) : `${above} > ${actor.name}`;
  };
  return [...new Set([...actors.keys()].map(pathOf))];
}

describe('Stately’s WebSocket inspector', () => {
  test('gets a tree that reads: operative, turn, model stream, tool calls, subagent', async () => {
    const { messages } = await play();
    expect(treeOf(messages)).toEqual([
      'operative',
      'operative > transcript',
      'operative > turn',
      'operative > turn > streamModel',
      'operative > turn > dispatchTools',
      'operative > turn > dispatchTools > toolCall:0',
      'operative > turn > dispatchTools > toolCall:1',
      'operative > turn > dispatchTools > toolCall:1 > operative',
      'operative > turn > dispatchTools > toolCall:1 > operative > transcript',
      'operative > turn > dispatchTools > toolCall:1 > operative > turn',
      'operative > turn > dispatchTools > toolCall:1 > operative > turn > shape',
      'operative > turn > dispatchTools > toolCall:1 > operative > turn > streamModel',
    ]);
  });

  test('sees one root, whatever runs below it', async () => {
    const { messages } = await play();
    expect(new Set(messages.map(({ rootId }) => rootId)).size).toBe(1);
  });

  test('gets the states the charts went through', async () => {
    const { messages } = await play();
    const valuesOf = (name: string) => {
      const ids = messages.filter((message) => message.name === name).map(({ sessionId }) => sessionId);
      const snapshots = messages.filter(({ type, sessionId }) => type === '@xstate.snapshot' && sessionId === ids[0]);
      return [...new Set(snapshots.map(({ snapshot }) => JSON.stringify(snapshot?.value)))];
    };
    expect(valuesOf('operative')).toEqual(['"idle"', '{"active":"running"}', '{"active":"settling"}', '"closed"']);
    expect(valuesOf('turn')).toEqual(['"idle"', '"streaming"', '{"dispatching":"live"}', '"completed"']);
    expect(valuesOf('toolCall:0')).toEqual(['"validating"', '"running"', '"completed"']);
  });

  test('gets the steering: accepted, and injected into the transcript', async () => {
    const { messages } = await play();
    const events = messages.filter(isOf('@xstate.event')).map(({ event }) => event?.type);
    expect(events.filter((type) => type === 'message.submit')).toHaveLength(3); // the subagent's is one of them
    expect(events).toContain('message.injected');
  });

  test('sees who sent each event; only callers have no name', async () => {
    const { messages } = await play();
    const nameless = messages.filter(isOf('@xstate.event')).filter(({ sourceId }) => sourceId === undefined);
    expect(new Set(nameless.map(({ event }) => event?.type))).toEqual(
      new Set(['xstate.init', 'message.submit', 'operative.close']),
    );
  });

  test('gets a definition with a description of each chart and service, and no context in it', async () => {
    const { messages } = await play();
    const configs = messages.filter(isOf('@xstate.actor')).map(({ definition = '{}', name }) => {
      const config = JSON.parse(definition) as { readonly description?: string; readonly context?: unknown };
      return { name, described: config.description?.endsWith('.'), context: config.context };
    });
    const charts = ['operative', 'turn', 'toolCall:0', 'toolCall:1'];
    for (const one of configs) {
      const context = charts.includes(String(one.name)) ? { type: 'context' } : undefined;
      expect(one).toEqual({ name: one.name, described: true, context });
    }
  });

  test('gets small pieces: no message over 8 kB, nothing of a turn’s context, results clipped', async () => {
    const { texts } = await play();
    const longest = texts.map((text) => (text.includes('"definition"') ? 0 : text.length));
    expect(Math.max(...longest)).toBeLessThan(8_000);
    expect(texts.join('')).not.toContain('of the host');
    expect(texts.join('')).not.toContain('x'.repeat(300));
  });

  test('gets as much of a turn on a transcript of 1 MB as of one on an empty one', async () => {
    const small = await play();
    const few = { count: small.texts.length, bytes: small.texts.join('').length };
    small.close();
    const messages = Array.from({ length: 1_000 }, (_, n) => userMessage(`${n} `.repeat(250)));
    const large = await play(createConversation({ messages }));
    const many = { count: large.texts.length, bytes: large.texts.join('').length };
    expect(many.count).toBe(few.count);
    expect(many.bytes).toBeLessThan(2 * few.bytes);
  });
});
