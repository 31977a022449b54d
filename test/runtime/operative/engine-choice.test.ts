import { describe, expect, test } from 'vitest';
import type { OperativeOptions } from '../../../src/contracts/operative.ts';
import { textOf, userMessage, type Message } from '../../../src/conversation/message.ts';
import { EngineBuilder } from '../../../src/runtime/builders.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { OperativeBuilder } from '../../../src/runtime/operative.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { scriptedModel, simulatedHost, type ScriptedStepSource } from '../../../src/testing/index.ts';
import { answerAll, bothWays, startOperative, toolOf } from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

const saying = (text: string, more: Parameters<typeof createEngine>[0] | object = {}) =>
  createEngine({ transformers: [], model: scriptedModel(() => ({ text })), ...more });

describe.each(bothWays)('an engine function (%s)', (interpreter) => {
  test('is asked at each claim', async () => {
    let asked = 0;
    const bench = startOperative({ interpreter, own: { engine: () => saying(`engine ${++asked}`) } });
    expect(asked).toBe(0);
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    expect(asked).toBe(1);
    await bench.rest();
    expect(asked).toBe(2);
    expect(bench.lines().filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant engine 1',
      'assistant engine 2',
    ]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no key');
      },
    ],
    ['returns no engine', () => ({}) as never],
    ['returns nothing', () => undefined as never],
  ])('that %s gives a turn that fails, and the next one asks again', async (_name, broken) => {
    let isBroken = true;
    const bench = startOperative({ interpreter, own: { engine: () => (isBroken ? broken() : saying('Hi')) } });
    void bench.submit('A');
    await bench.rest();
    expect(bench.results()).toMatchObject([{ reason: 'failed' }]);
    expect(bench.fates()).toEqual(['startedTurn unanswered']);
    isBroken = false;
    await bench.operative.resume();
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hi']);
  });

  test('what it throws is the cause of the error of the turn', async () => {
    const thrown = new Error('no key');
    const bench = startOperative({
      interpreter,
      own: {
        engine: () => {
          throw thrown;
        },
      },
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.results()[0]?.error).toMatchObject({
      code: 'turn.broken',
      message: 'The engine function threw: no key',
    });
    expect(bench.results()[0]?.error?.cause).toBe(thrown);
  });

  test('brings its onListenerError', async () => {
    const errors: unknown[] = [];
    const engine = saying('Hi', { onListenerError: (error: unknown) => errors.push(error) });
    const bench = startOperative({ interpreter, own: { engine: () => engine } });
    bench.operative.subscribe(({ type }) => {
      if (type === 'turn.completed') throw new Error('bad');
    });
    void bench.submit('A');
    await bench.rest();
    expect(errors).toEqual([new Error('bad')]);
  });
});

describe.each(bothWays)('frameInjectedMessage (%s)', (interpreter) => {
  const errors: unknown[] = [];
  async function steered(frame?: OperativeOptions['frameInjectedMessage']): Promise<Message | undefined> {
    errors.length = 0;
    const bench = await operativeIn('running', {
      interpreter,
      onListenerError: (error) => errors.push(error),
      ...(frame === undefined ? {} : { own: { frameInjectedMessage: frame } }),
    });
    void bench.submit(userMessage('S', { id: 'S', meta: { from: 'web' } }));
    await bench.rest();
    const message = bench.conversation.messages.find(({ id }) => id === 'S');
    expect(bench.events).toContainEqual({ type: 'message.injected', message, iteration: 2 });
    return message;
  }

  test('by default puts a text block of its own in front and counts it', async () => {
    expect(await steered()).toEqual({
      id: 'S',
      role: 'user',
      content: [
        { type: 'text', text: '(Sent while you were working on the previous request.)' },
        { type: 'text', text: 'S' },
      ],
      meta: { from: 'web', frame: 1 },
    });
  });

  test('null turns it off', async () => {
    expect(await steered(null)).toEqual(userMessage('S', { id: 'S', meta: { from: 'web' } }));
  });

  test('of the host is used', async () => {
    const framed = await steered((message) => ({
      ...message,
      content: [{ type: 'text', text: `<${textOf(message)}>` }],
    }));
    expect(framed?.content).toEqual([{ type: 'text', text: '<S>' }]);
  });

  test.each<[string, (message: Message) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('bad');
      },
    ],
    ['changes the id', (message) => ({ ...message, id: 'other' })],
    ['changes the role', (message) => ({ ...message, role: 'assistant' })],
    ['returns nothing', () => undefined],
    ['returns a promise', async (message) => message],
    ['empties the message', (message) => ({ ...message, content: [] })],
    ['adds a call', (message) => ({ ...message, content: [{ type: 'toolCall', id: 'c', name: 'look', args: {} }] })],
    ['returns content that is no array', (message) => ({ ...message, content: 'text' })],
  ])('that %s leaves the message as it is and is reported', async (_name, frame) => {
    expect((await steered(frame as never))?.content).toEqual([{ type: 'text', text: 'S' }]);
    expect(errors).toHaveLength(1);
  });

  test('is not used for what starts a turn, is late, or was held', async () => {
    const bench = await operativeIn('settling', {
      interpreter,
      own: { frameInjectedMessage: (message) => ({ ...message, content: [{ type: 'text', text: 'framed' }] }) },
    });
    void bench.submit('L');
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    expect(bench.lines().filter((line) => line.startsWith('user'))).toEqual(['user A', 'user L', 'user Q']);
  });
});

describe('builders', () => {
  const script: readonly ScriptedStepSource[] = [answerAll];

  test('EngineBuilder.buildOperative makes engine and operative in one call', async () => {
    const host = simulatedHost();
    const conversation = createConversation();
    const operative = new EngineBuilder()
      .withModel(scriptedModel(script, { host }))
      .addTool(toolOf('look'))
      .with({ host })
      .buildOperative(conversation, (builder) => builder.with({ lateMessages: 'start' }));
    await operative.submit('A');
    await host.settle();
    expect(operative.conversation).toBe(conversation);
    expect(conversation.messages).toHaveLength(2);
    await operative.close();
  });

  test('OperativeBuilder sets reload and frame, and every method returns a new builder', async () => {
    const host = simulatedHost();
    const engine = createEngine({ transformers: [], model: scriptedModel(answerAll, { host }), host });
    let loads = 0;
    const base = OperativeBuilder.create(engine);
    const built = base.withReloadBeforeStart(() => (loads++, createConversation())).withFrameInjectedMessage(null);
    const [plain, reloading] = [base.build(), built.build()];
    for (const operative of [plain, reloading]) {
      await operative.submit('A');
      await operative.submit('B');
      await host.settle();
    }
    expect(loads).toBe(1);
    expect([plain, reloading].map(({ conversation }) => conversation.messages[2]?.meta)).toEqual([
      { frame: 1 },
      undefined,
    ]);
  });
});
