import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost, verifyTranscript } from '../../src/testing/index.ts';
import { interpreters, never, playTurn, startTurn, toolOf } from './turn-bench.ts';

describe.each(interpreters)('a bare turn (%s)', (interpreter) => {
  test('reports what happens in order and ends with its result', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('look')],
      script: [{ text: 'Let me see', calls: [{ name: 'look' }] }, { text: 'Fine.' }],
    });
    expect(turn.events.map(({ type }) => type)).toEqual([
      'turn.started',
      'message.start',
      'text.start',
      'text.delta',
      'text.end',
      'toolInput.start',
      'toolInput.delta',
      'toolInput.end',
      'message.end',
      'message.appended',
      'assistant.settled',
      'toolCall.started',
      'toolCall.settled',
      'message.appended',
      'toolResults.settled',
      'message.start',
      'text.start',
      'text.delta',
      'text.end',
      'message.end',
      'message.appended',
      'assistant.settled',
      'turn.completed',
    ]);
    expect(turn.result).toEqual({
      turnId: 'turn_1',
      reason: 'completed',
      iterations: 2,
      usage: { inputTokens: 0, outputTokens: 0 },
      message: turn.conversation.messages.at(-1),
    });
    expect(turn.run.turnId).toBe('turn_1');
  });

  test('its events can be iterated once; a second iteration throws events.consumed', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'x' }] });
    expect(() => turn.run[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: 'events.consumed' }) as Error,
    );
  });

  test('its events begin at the call, however late they are read', async () => {
    const host = simulatedHost();
    const model = scriptedModel([{ text: 'x' }]);
    const run = createEngine({ model, host, transformers: [] }).run(
      createConversation({ messages: [userMessage('go')] }),
    );
    await run.result;
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types[0]).toBe('turn.started');
    expect(types.at(-1)).toBe('turn.completed');
  });

  test('leaving the loop does not cancel it', async () => {
    const host = simulatedHost();
    const model = scriptedModel([{ text: 'x', delayMs: 10 }], { host });
    const run = createEngine({ model, host, transformers: [] }).run(
      createConversation({ messages: [userMessage('go')] }),
    );
    for await (const _ of run) break;
    await host.advance(10);
    expect((await run.result).reason).toBe('completed');
  });

  test('leaving the block of an await using cancels it', async () => {
    const host = simulatedHost();
    const model = scriptedModel([{ stallAfter: 0 }], { host });
    const conversation = createConversation({ messages: [userMessage('go')] });
    let run;
    {
      await using disposed = createEngine({ model, host, transformers: [] }).run(conversation);
      run = disposed;
    }
    expect((await run.result).reason).toBe('aborted');
    expect(host.pendingTimers()).toBe(0);
  });

  test('cancel after the end returns the result and changes nothing', async () => {
    const turn = await playTurn({ interpreter, script: [{ text: 'x' }] });
    expect(await turn.run.cancel()).toBe(turn.result);
  });

  test('cancel twice is the same as once', async () => {
    const turn = startTurn({ interpreter, script: [{ stallAfter: 0 }] });
    const [first, second] = [turn.run.cancel(), turn.run.cancel()];
    await turn.end();
    expect(await first).toBe(await second);
  });

  test('cancel right after the call ends it before the model says anything', async () => {
    const turn = startTurn({ interpreter, script: [{ text: 'x' }] });
    void turn.run.cancel();
    expect(await turn.end()).toMatchObject({ reason: 'aborted' });
    expect(turn.events.map(({ type }) => type)).toEqual(['turn.started', 'turn.completed']);
  });

  test('cancel from within a tool ends it', async () => {
    const tool = toolOf('stop', () => void turn.run.cancel());
    const turn = startTurn({ interpreter, tools: [tool], script: [{ calls: [{ name: 'stop' }] }] });
    expect((await turn.end()).reason).toBe('aborted');
    expect(turn.results().map(({ status }) => status)).toEqual(['completed']);
  });

  test('cancel from within the model’s stream ends it', async () => {
    const turn = startTurn({
      interpreter,
      script: [
        { text: 'x', stopReason: 'pause' },
        () => {
          void turn.run.cancel();
          return { text: 'y' };
        },
      ],
    });
    expect(await turn.end()).toMatchObject({ reason: 'aborted', iterations: 2 });
    expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
  });
});

describe.each(interpreters)('a turn with a signal (%s)', (interpreter) => {
  test('ends as aborted when the signal is', async () => {
    const controller = new AbortController();
    const turn = startTurn({ interpreter, signal: controller.signal, script: [{ stallAfter: 0 }] });
    await turn.host.settle();
    controller.abort();
    expect((await turn.end()).reason).toBe('aborted');
  });

  test('does not call the model when the signal was aborted before', async () => {
    const turn = startTurn({ interpreter, signal: AbortSignal.abort(), script: [] });
    expect(await turn.end()).toMatchObject({ reason: 'aborted', iterations: 0 });
    expect(turn.events.map(({ type }) => type)).toEqual(['turn.started', 'turn.completed']);
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const turn = startTurn({ interpreter, signal, script: [{ text: 'x' }] });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await turn.end();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('leaves no listener on the signal when it was cancelled otherwise', async () => {
    const { signal } = new AbortController();
    const turn = startTurn({ interpreter, signal, script: [{ stallAfter: 0 }] });
    void turn.run.cancel();
    await turn.end();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe.each(interpreters)('the conversation of a turn (%s)', (interpreter) => {
  const conversationOf = (...messages: readonly Message[]) => createConversation({ messages });

  test('is busy while the turn runs, and free within the event that ends it', async () => {
    const host = simulatedHost();
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }], { host });
    const engine = createEngine({ model, host, transformers: [] });
    const conversation = conversationOf(userMessage('go'));
    const run = engine.run(conversation);
    expect(() => engine.run(conversation)).toThrow(expect.objectContaining({ code: 'conversation.busy' }) as Error);
    let second;
    for await (const { type } of run) if (type === 'turn.completed') second = engine.run(conversation);
    expect((await second?.result)?.reason).toBe('completed');
    verifyTranscript(conversation);
  });

  test('is free after a cancel', async () => {
    const turn = startTurn({ interpreter, script: [{ stallAfter: 0 }] });
    void turn.run.cancel();
    await turn.end();
    const again = await playTurn({
      interpreter,
      conversation: turn.conversation,
      script: [{ text: 'x' }],
      host: turn.host,
    });
    expect(again.result.reason).toBe('completed');
  });

  test('is repaired before its first turn, and the event says so', async () => {
    const open = assistantMessage([{ type: 'toolCall', id: 'c1', name: 'look', args: {} }], { id: 'a1' });
    const conversation = conversationOf(userMessage('go', { id: 'u1' }), open, userMessage('on', { id: 'u2' }));
    const turn = await playTurn({ interpreter, conversation, tools: [toolOf('look')], script: [{ text: 'ok' }] });
    expect(turn.events[1]).toEqual({ type: 'transcript.replaced', by: 'repair', messages: 4 });
    expect(turn.results()).toMatchObject([{ callId: 'c1', status: 'interrupted' }]);
    expect(turn.requests[0]?.messages).toHaveLength(4);
  });

  test('is checked again if something was added after the last turn', async () => {
    const first = await playTurn({ interpreter, script: [{ text: 'one' }] });
    const orphan = { type: 'toolResult', callId: 'none', status: 'completed', content: [] } as const;
    first.conversation.messages.push({ id: 't1', role: 'tool', content: [orphan] }, userMessage('on'));
    const second = await playTurn({
      interpreter,
      host: first.host,
      conversation: first.conversation,
      script: [{ text: 'two' }],
    });
    expect(second.has('transcript.replaced')).toBe(true);
    expect(second.lines()).toEqual(['user: go', 'assistant: one', 'user: on', 'assistant: two']);
  });

  test('keeps its identity: appends are seen by everybody who holds it', async () => {
    const conversation = conversationOf(userMessage('go'));
    const { messages } = conversation;
    await playTurn({ interpreter, conversation, script: [{ text: 'x' }] });
    expect(conversation.messages).toBe(messages);
  });

  test('may be empty: the model is asked anyway', async () => {
    const turn = await playTurn({ interpreter, conversation: createConversation(), script: [{ text: 'Hi' }] });
    expect(turn.lines()).toEqual(['assistant: Hi']);
  });
});

describe.each(interpreters)('large and small pieces (%s)', (interpreter) => {
  test('5 MB of arguments arrive whole', async () => {
    const text = 'x'.repeat(5_000_000);
    let length = 0;
    const tool = toolOf('write', (args) => void (length = (args as { text: string }).text.length));
    const calls = [{ name: 'write', args: { text } }];
    const script = [{ calls, chunks: 65_536 }, { text: 'ok' }];
    const turn = await playTurn({ interpreter, tools: [tool], script });
    expect(length).toBe(5_000_000);
    expect(turn.result.reason).toBe('completed');
  });

  test('deltas of one character fold to the same message', async () => {
    const text = 'Grüße, 北京 🌍! '.repeat(50);
    const turn = await playTurn({ interpreter, script: [{ text, chunks: 1 }] });
    expect(turn.all('text.delta')).toHaveLength(text.length);
    expect(turn.lines()[1]).toBe(`assistant: ${text}`);
  });

  test('an answer without content completes the turn', async () => {
    const turn = await playTurn({ interpreter, script: [{}] });
    expect(turn.result).toMatchObject({ reason: 'completed', message: { content: [] } });
  });
});

test('turns on different conversations share one engine', async () => {
  const host = simulatedHost();
  const model = scriptedModel(() => ({ text: 'x' }), { host });
  const engine = createEngine({ model, host, transformers: [], tools: [toolOf('hang', () => never())] });
  const runs = Array.from({ length: 20 }, () => engine.run(createConversation({ messages: [userMessage('go')] })));
  const results = await Promise.all(runs.map(({ result }) => result));
  expect(new Set(results.map(({ turnId }) => turnId)).size).toBe(20);
  expect(results.every(({ reason }) => reason === 'completed')).toBe(true);
});
