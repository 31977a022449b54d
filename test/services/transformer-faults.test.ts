import { describe, expect, test } from 'vitest';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage } from '../../src/conversation/message.ts';
import { deferred, interpreters, never, playTurn, startTurn, toolOf, withoutThen } from '../runtime/turn-bench.ts';

const stages = ['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const;
const bareCall = assistantMessage([{ type: 'toolCall', id: 'c', name: 'look', args: {} }], { id: 'broken' });

describe.each(interpreters)('a transformer that throws (%s)', (interpreter) => {
  test.each(stages)('in %s is reported, and the turn continues without it', async (stage) => {
    const thrown = new Error('boom');
    const seen: string[] = [];
    const turn = await playTurn({
      interpreter,
      transformers: [
        { name: 'bad', [stage]: () => Promise.reject(thrown) },
        {
          name: 'worse',
          [stage]: () => {
            throw 'no error';
          },
        },
        { name: 'good', [stage]: () => void seen.push(stage) },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.all('transformer.failed')).toMatchObject([
      { name: 'bad', stage, error: { code: 'transformer.failed', cause: thrown } },
      { name: 'worse', stage, error: { code: 'transformer.failed' } },
    ]);
    expect(turn.all('transformer.failed')[1]?.error.message).toContain('no error');
    expect(seen).toEqual([stage]);
    expect(turn.result.reason).toBe('completed');
  });

  test('a transcript that it froze ends the turn: it cannot be mended', async () => {
    const transformer: Transformer = {
      name: 'bad',
      async beforeTurn({ messages }) {
        await Promise.resolve();
        messages.push(bareCall);
        Object.freeze(messages);
      },
    };
    const turn = startTurn({ interpreter, transformers: [transformer] });
    expect(await turn.run.result).toMatchObject({ reason: 'failed', error: { code: 'turn.broken' } });
  });

  test('a thenable whose then throws is a failure like any other', async () => {
    const turn = await playTurn({
      interpreter,
      transformers: [{ name: 'bad', beforeTurn: () => withoutThen() as never }],
      script: [{ text: 'x' }],
    });
    expect(turn.all('transformer.failed')).toMatchObject([{ name: 'bad' }]);
  });
});

describe.each(interpreters)('what a transformer returns (%s)', (interpreter) => {
  const garbage: readonly unknown[] = [7, 'text', true, Symbol.iterator];

  test.each(stages.flatMap((stage) => garbage.map((value) => [stage, value] as const)))(
    'in %s: %s is no outcome and is reported',
    async (stage, value) => {
      const turn = await playTurn({
        interpreter,
        transformers: [{ name: 'bad', [stage]: () => value }],
        script: [{ text: 'x' }],
      });
      expect(turn.all('transformer.failed')).toMatchObject([
        { name: 'bad', stage, error: { code: 'transformer.failed' } },
      ]);
      expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
    },
  );

  const badRewrites: Record<string, unknown> = {
    'a conversation that is a number': { conversation: 7 },
    'messages that are no array': { conversation: { system: [], messages: 'all' } },
    'a message that is null': { conversation: { system: [], messages: [null] } },
    'a block that is null': { conversation: { system: [], messages: [{ id: 'x', role: 'user', content: [null] }] } },
    'system that is no array': { conversation: { system: 'be brief', messages: [] } },
    'a system block that is null': { conversation: { system: [null], messages: [] } },
    'a call without a result': {
      conversation: { system: [], messages: [userMessage('a'), bareCall, userMessage('b')] },
    },
    'two messages of one id': {
      conversation: { system: [], messages: [userMessage('a', { id: 'd' }), userMessage('b', { id: 'd' })] },
    },
  };

  test.each(Object.keys(badRewrites))('a rewrite with %s is not used', async (name) => {
    const turn = await playTurn({
      interpreter,
      transformers: [{ name: 'bad', beforeTurn: () => badRewrites[name] as never }],
      script: [{ text: 'x' }],
    });
    expect(turn.all('transformer.failed')).toHaveLength(1);
    expect(turn.has('transcript.replaced')).toBe(false);
    expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
  });

  const badViews: Record<string, unknown> = {
    'messages that are no array': { messages: 'all' },
    'a message that is null': { messages: [null] },
    'a call without a result': { messages: [userMessage('a'), bareCall] },
    'an orphaned result': {
      messages: [
        { id: 't', role: 'tool', content: [{ type: 'toolResult', callId: 'c', status: 'completed', content: [] }] },
      ],
    },
    'system that is no array': { system: 'be brief' },
    'a system block that is null': { system: [null] },
    'something appended that is no array': { append: 'more' },
    'a number appended': { append: 5 },
    'a bare call appended': { append: [bareCall] },
    'a message appended that is there': { append: [userMessage('go', { id: 'u1' })] },
    'good messages and a bad append': { messages: [userMessage('a')], append: [null] },
  };

  test.each(Object.keys(badViews))('a view with %s is not used', async (name) => {
    const turn = await playTurn({
      interpreter,
      transformers: [{ name: 'bad', beforeIteration: () => badViews[name] as never }],
      script: [{ text: 'x' }],
    });
    expect(turn.all('transformer.failed')).toHaveLength(1);
    expect(turn.requests[0]).toMatchObject({ messages: [{ id: 'u1' }], system: [] });
    expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
  });

  test('a breach of the pairing is transformer.brokenPairs, and the previous value stays', async () => {
    const turn = await playTurn({
      interpreter,
      transformers: [
        { name: 'good', beforeIteration: () => ({ messages: [userMessage('good', { id: 'g' })] }) },
        { name: 'bad', beforeIteration: ({ messages }) => ({ messages: [...messages, bareCall] }) },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.all('transformer.failed')).toMatchObject([{ name: 'bad', error: { code: 'transformer.brokenPairs' } }]);
    expect(turn.requests[0]?.messages.map(({ id }) => id)).toEqual(['g']);
  });

  test('open calls are a breach everywhere but in afterIteration', async () => {
    const same = (conversation: Conversation) => ({
      conversation: { ...conversation, messages: [...conversation.messages] },
    });
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('look')],
      transformers: [{ name: 'same', afterIteration: same }],
      script: [{ calls: [{ name: 'look' }] }, { text: 'x' }],
    });
    expect(turn.has('transformer.failed')).toBe(false);
    expect(turn.all('transformer.applied')).toHaveLength(2);
  });
});

describe.each(interpreters)('a change in place in afterIteration that is not used (%s)', (interpreter) => {
  const answered = { type: 'toolResult', callId: 'call_2', status: 'completed', content: [] } as const;
  const boom = (): never => {
    throw new Error('boom');
  };
  const changes: Record<string, (conversation: Conversation) => void> = {
    'orphans older results': ({ messages }) => void messages.splice(0, 2),
    'puts a bare call before the answer': ({ messages }) => void messages.splice(1, 0, bareCall),
    'takes the answer out, and throws': ({ messages }) => (messages.pop(), boom()),
    'answers the calls itself, and throws': ({ messages }) => (
      messages.push({ id: 'own', role: 'tool', content: [answered] }),
      boom()
    ),
    'drops a message, and throws': ({ messages }) => (messages.shift(), boom()),
  };

  test.each(Object.keys(changes))('one that %s leaves the calls of the answer to run', async (name) => {
    let ran = 0;
    const turn = await playTurn({
      interpreter,
      tools: [toolOf('look', () => `look ${++ran}`)],
      transformers: [
        {
          name: 'bad',
          afterIteration: (conversation, { iteration }) =>
            iteration === 2 ? changes[name]?.(conversation) : undefined,
        },
      ],
      script: [{ calls: [{ name: 'look', id: 'call_1' }] }, { calls: [{ name: 'look', id: 'call_2' }] }, { text: 'x' }],
    });
    expect(turn.lines().slice(-3)).toEqual(['call look', 'completed: look 2', 'assistant: x']);
    expect(turn.all('transcript.replaced')).toMatchObject([{ by: 'repair' }]);
    expect(turn.all('transformer.failed')).toHaveLength(1);
    expect(turn.result.reason).toBe('completed');
  });
});

describe.each(interpreters)('cancel while a transformer works (%s)', (interpreter) => {
  test.each(stages)('in %s ends the turn at once, whatever it does with its signal', async (stage) => {
    const signals: AbortSignal[] = [];
    const hang: Transformer['beforeTurn'] = (_, { signal }) => {
      signals.push(signal);
      return never();
    };
    const turn = startTurn({
      interpreter,
      tools: [toolOf('look')],
      transformers: [{ name: 'hang', [stage]: hang }],
      script:
        stage === 'beforeTurn' || stage === 'beforeIteration'
          ? []
          : [{ text: 'x', calls: stage === 'afterTurn' ? [] : [{ name: 'look' }] }],
    });
    await turn.host.settle();
    void turn.run.cancel();
    expect((await turn.end()).reason).toBe('aborted');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(turn.results().map(({ status }) => status)).toEqual(stage === 'afterIteration' ? ['notStarted'] : []);
  });

  test('what it returns afterwards changes nothing', async () => {
    const gate = deferred<{ conversation: Conversation }>();
    const turn = startTurn({
      interpreter,
      transformers: [{ name: 'slow', beforeTurn: () => gate.promise }],
      script: [],
    });
    await turn.host.settle();
    void turn.run.cancel();
    gate.resolve({ conversation: createConversation() });
    await turn.end();
    expect(turn.lines()).toEqual(['user: go']);
    expect(turn.has('transformer.applied')).toBe(false);
  });

  test('what it rejects with afterwards is swallowed', async () => {
    const gate = deferred<undefined>();
    const turn = startTurn({
      interpreter,
      transformers: [{ name: 'slow', beforeTurn: () => gate.promise }],
      script: [],
    });
    await turn.host.settle();
    void turn.run.cancel();
    gate.reject(new Error('late'));
    await turn.end();
    expect(turn.has('transformer.failed')).toBe(false);
  });

  test('a signal that is asked for after the stage is aborted', async () => {
    let later: (() => AbortSignal) | undefined;
    await playTurn({
      interpreter,
      transformers: [
        {
          name: 't',
          beforeTurn: (_, context) => {
            later = () => context.signal;
          },
        },
      ],
      script: [{ text: 'x' }],
    });
    expect(later?.().aborted).toBe(true);
  });

  test('a signal that was given keeps its state when it is read after the stage', async () => {
    let later: (() => AbortSignal) | undefined;
    let given: AbortSignal | undefined;
    await playTurn({
      interpreter,
      transformers: [
        {
          name: 't',
          beforeTurn: (_, context) => {
            given = context.signal;
            later = () => context.signal;
          },
        },
      ],
      script: [{ text: 'x' }],
    });
    expect([later?.() === given, given?.aborted]).toEqual([true, false]);
  });
});
