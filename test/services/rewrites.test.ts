import { describe, expect, test } from 'vitest';
import type { Transformer } from '../../src/contracts/transformer.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../src/conversation/message.ts';
import { deferred, interpreters, playTurn, startTurn, toolOf } from '../runtime/turn-bench.ts';

const look = toolOf('look');
const rewriting = ['beforeTurn', 'afterIteration', 'afterTurn'] as const;

describe.each(interpreters)('rewrites (%s)', (interpreter) => {
  const shorten: Transformer['beforeTurn'] = ({ system, messages }) => ({
    conversation: { system, messages: messages.slice(-1) },
  });
  const longer = () =>
    createConversation({ messages: [userMessage('old'), assistantMessage('older'), userMessage('go', { id: 'u1' })] });

  test.each(rewriting)('of %s are durable, announced and counted', async (stage) => {
    const turn = await playTurn({
      interpreter,
      conversation: longer(),
      transformers: [{ name: 'short', [stage]: shorten }],
      script: [{ text: 'x' }],
    });
    const before = stage === 'beforeTurn' ? 3 : 4;
    expect(turn.all('transcript.replaced')).toEqual([{ type: 'transcript.replaced', by: 'short', messages: 1 }]);
    expect(turn.all('transformer.applied')).toMatchObject([{ stage, messagesBefore: before, messagesAfter: 1 }]);
    expect(turn.lines()).toEqual(stage === 'beforeTurn' ? ['user: go', 'assistant: x'] : ['assistant: x']);
  });

  test('are rebased: what was appended meanwhile comes after them', async () => {
    const gate = deferred<undefined>();
    const conversation = longer();
    const turn = startTurn({
      interpreter,
      conversation,
      transformers: [
        {
          name: 'slow',
          beforeTurn: async ({ system, messages }) => {
            const kept = messages.slice(-1);
            await gate.promise;
            return { conversation: { system, messages: kept } };
          },
        },
      ],
      script: [{ text: 'x' }],
    });
    conversation.messages.push(userMessage('meanwhile', { id: 'm1' }));
    gate.resolve(undefined);
    await turn.end();
    expect(turn.lines()).toEqual(['user: go', 'user: meanwhile', 'assistant: x']);
  });

  test('do not make the array of the transformer the transcript', async () => {
    const kept = [userMessage('kept', { id: 'k' })];
    const turn = await playTurn({
      interpreter,
      transformers: [{ name: 't', beforeTurn: ({ system }) => ({ conversation: { system, messages: kept } }) }],
      script: [{ text: 'x' }],
    });
    expect(kept).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: kept', 'assistant: x']);
  });

  test('in place count when the conversation is returned', async () => {
    const turn = await playTurn({
      interpreter,
      conversation: longer(),
      transformers: [
        {
          name: 'in place',
          beforeTurn: (conversation) => {
            conversation.messages.splice(0, 2);
            return { conversation };
          },
        },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
    expect(turn.all('transcript.replaced')).toEqual([{ type: 'transcript.replaced', by: 'in place', messages: 1 }]);
  });

  test('of afterIteration may keep the open calls of the answer, and then these run', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [look],
      transformers: [
        {
          name: 'drop the second call',
          afterIteration: ({ system, messages }) => ({
            conversation: {
              system,
              messages: messages.map((message, index) =>
                index === 1 ? { ...message, content: message.content.slice(0, 1) } : message,
              ),
            },
          }),
        },
      ],
      script: [{ calls: [{ name: 'look' }, { name: 'look' }] }, { text: 'x' }],
    });
    expect(turn.lines()).toEqual(['user: go', 'call look', 'completed: look done', 'assistant: x']);
  });

  test('of afterIteration that take all calls away complete the turn', async () => {
    const turn = await playTurn({
      interpreter,
      tools: [look],
      transformers: [
        {
          name: 'drop the answer',
          afterIteration: ({ system, messages }) => ({ conversation: { system, messages: messages.slice(0, -1) } }),
        },
      ],
      script: [{ calls: [{ name: 'look' }] }],
    });
    expect(turn.lines()).toEqual(['user: go']);
    expect(turn.result.reason).toBe('completed');
  });

  test('can change the system blocks alone', async () => {
    const turn = await playTurn({
      interpreter,
      transformers: [
        {
          name: 't',
          beforeTurn: ({ messages }) => ({ conversation: { system: [{ type: 'text', text: 's' }], messages } }),
        },
      ],
      script: [{ text: 'x' }],
    });
    expect(turn.conversation.system).toEqual([{ type: 'text', text: 's' }]);
    expect(turn.requests[0]).toMatchObject({ system: [{ text: 's' }], messages: [{ id: 'u1' }] });
  });
});

describe.each(interpreters)('changes in place (%s)', (interpreter) => {
  const calls = [{ type: 'toolCall', id: 'c', name: 'look', args: {} }] as const;
  const results: Message = {
    id: 't1',
    role: 'tool',
    content: [{ type: 'toolResult', callId: 'c', status: 'completed', content: [{ type: 'text', text: 'r' }] }],
  };
  const history = () =>
    createConversation({ messages: [userMessage('old'), assistantMessage(calls), results, userMessage('go')] });
  const play = (stage: 'beforeTurn' | 'beforeIteration', change: (conversation: Conversation) => unknown) =>
    playTurn({
      interpreter,
      conversation: history(),
      transformers: [{ name: 'in place', [stage]: change }],
      script: [{ text: 'x' }],
    });

  test('count as a rewrite when nothing is returned', async () => {
    const turn = await play('beforeTurn', ({ messages }) => void messages.splice(0, 3));
    expect(turn.all('transcript.replaced')).toEqual([{ type: 'transcript.replaced', by: 'in place', messages: 1 }]);
    expect(turn.all('transformer.applied')).toMatchObject([{ messagesBefore: 4, messagesAfter: 1 }]);
    expect(turn.lines()).toEqual(['user: go', 'assistant: x']);
  });

  test.each<[string, (conversation: Conversation) => unknown]>([
    ['and nothing is returned', ({ messages }) => void messages.splice(1, 1)],
    ['and a context is returned', ({ messages }) => (messages.splice(1, 1), { turnContext: 1 })],
    ['and the conversation is returned', (conversation) => (conversation.messages.splice(1, 1), { conversation })],
    [
      'and something is thrown',
      ({ messages }) => {
        messages.splice(1, 1);
        throw new Error('no');
      },
    ],
    [
      'with a message that is null',
      (conversation) => (conversation.messages.splice(1, 1, null as never), { conversation }),
    ],
  ])('that break the pairing are repaired and reported: %s', async (_how, change) => {
    const turn = await play('beforeTurn', change);
    expect(turn.all('transformer.failed')).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: old', 'user: go', 'assistant: x']);
  });

  test('that put something else in the place of the messages are undone', async () => {
    const turn = await play('beforeTurn', (conversation) => void (conversation.messages = 'none' as never));
    expect(turn.all('transformer.failed')).toHaveLength(1);
    expect(turn.lines()).toEqual(['user: old', 'call look', 'completed: r', 'user: go', 'assistant: x']);
  });

  test('before an iteration are reported, and repaired where they break the pairing', async () => {
    const turn = await play('beforeIteration', ({ messages }) => void messages.splice(1, 1));
    expect(turn.all('transformer.failed')).toMatchObject([{ error: { code: 'transformer.failed' } }]);
    expect(turn.all('transformer.failed')[0]?.error.message).toContain('only a returned view counts');
    expect(turn.lines()).toEqual(['user: old', 'user: go', 'assistant: x']);
    expect(turn.requests[0]?.messages).toHaveLength(2);
  });
});
