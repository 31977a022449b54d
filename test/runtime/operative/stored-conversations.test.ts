import { describe, expect, test } from 'vitest';
import type { Block } from '../../../src/conversation/block.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { scriptedModel, simulatedHost } from '../../../src/testing/index.ts';
import { bothWays, deferred, never, startOperative, toolOf } from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

const call = (id: string): Block => ({ type: 'toolCall', id, name: 'look', args: {} });
const result = (callId: string): Block => ({
  type: 'toolResult',
  callId,
  status: 'completed',
  content: [{ type: 'text', text: `found by ${callId}` }],
});
const asked = userMessage('go', { id: 'u0' });

/** Transcripts as a crash or a foreign store leaves them, and what the model then sees before message A. */
const damaged: Readonly<Record<string, readonly [readonly Message[], readonly string[]]>> = {
  'a call without its result': [
    [asked, assistantMessage([call('c1')], { id: 'a0' })],
    ['user go', 'call look', 'interrupted'],
  ],
  'one of two results': [
    [
      asked,
      assistantMessage([call('c1'), call('c2')], { id: 'a0' }),
      { id: 't0', role: 'tool', content: [result('c1')] },
    ],
    ['user go', 'call look', 'call look', 'completed found by c1', 'interrupted'],
  ],
  'a result without its call': [[asked, { id: 't0', role: 'tool', content: [result('c9')] }], ['user go']],
  'an empty assistant message': [[asked, assistantMessage([], { id: 'a0' })], ['user go']],
};

describe.each(bothWays)('a conversation stored in mid-flight (%s)', (interpreter) => {
  test.each(Object.entries(damaged))('with %s is repaired before use', async (_name, [messages, lines]) => {
    const bench = startOperative({ interpreter, conversation: createConversation({ messages }) });
    expect(bench.lines()).toEqual(lines);
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines().slice(0, -1)).toEqual([...lines, 'user A']);
  });

  test('resume continues where the crash was', async () => {
    const conversation = createConversation({ messages: [asked, assistantMessage([call('c1')], { id: 'a0' })] });
    const bench = startOperative({ interpreter, conversation, script: [{ text: 'Hi' }] });
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines()).toEqual(['user go', 'call look', 'interrupted', 'assistant Hi']);
  });

  test('case 5: after an abort during a call, every call has its result right after it', async () => {
    const bench = startOperative({
      interpreter,
      tools: [toolOf('T1', () => 'one'), toolOf('T2', () => never())],
      script: [{ calls: [{ name: 'T1' }, { name: 'T2' }] }, { text: 'Hi' }],
    });
    void bench.submit('A');
    await bench.host.settle();
    void bench.operative.cancel();
    await bench.host.advance(250);
    void bench.submit('go on');
    await bench.rest();
    expect(bench.lines()).toEqual([
      'user A',
      'call T1',
      'call T2',
      'completed one',
      'interrupted',
      'user go on',
      'assistant Hi',
    ]);
    expect(bench.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  test('what the host put after the last turn by hand is repaired when the next turn begins', async () => {
    const bench = startOperative({ interpreter });
    void bench.submit('A');
    await bench.host.settle();
    bench.conversation.messages.push(assistantMessage([call('c1')], { id: 'hand' }));
    void bench.submit('B');
    await bench.rest();
    expect(bench.lines().slice(2, 5)).toEqual(['call look', 'interrupted', 'user B']);
    expect(bench.log()).toContain('transcript.replaced');
  });
});

describe.each(bothWays)('rewrites by transformers (%s)', (interpreter) => {
  test('a late message during an afterTurn rewrite is put after the rewritten transcript, once', async () => {
    const rewritten = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      transformers: [
        {
          name: 'shorten',
          afterTurn: async ({ system, messages }) => {
            await rewritten.promise;
            return { conversation: { system, messages: messages.slice(-1) } };
          },
        },
      ],
    });
    void bench.submit('A');
    await bench.host.settle();
    void bench.submit('L');
    rewritten.resolve(undefined);
    await bench.host.settle();
    expect(bench.lines()).toEqual(['assistant read 1', 'user L']);
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued queued']);
    expect(bench.log().slice(-4)).toEqual([
      'transcript.replaced',
      'transformer.applied',
      'queued L',
      'completed completed',
    ]);
  });

  test('a steer during a slow beforeTurn rewrite comes after it', async () => {
    const rewritten = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      conversation: createConversation({ messages: [asked, assistantMessage('old', { id: 'a0' })] }),
      transformers: [
        {
          name: 'forget',
          beforeTurn: async ({ system, messages }) => {
            await rewritten.promise;
            return { conversation: { system, messages: messages.slice(-1) } };
          },
        },
      ],
    });
    void bench.submit('A');
    void bench.submit('S');
    rewritten.resolve(undefined);
    await bench.rest();
    expect(bench.requests[0]?.messages.map(({ id }) => id)).toEqual(['A', 'S']);
  });

  test('an afterTurn rewrite that is abandoned by a cancel changes nothing', async () => {
    const rewritten = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      transformers: [
        { name: 'slow', afterTurn: () => rewritten.promise.then(() => ({ conversation: createConversation() })) },
      ],
    });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    rewritten.resolve(undefined);
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant read 1']);
    expect(bench.results()).toMatchObject([{ reason: 'aborted' }]);
  });
});

describe.each(bothWays)('partial messages (%s)', (interpreter) => {
  test('aborted: said text and signed thinking stay, calls and unsigned thinking go', async () => {
    const bench = startOperative({
      interpreter,
      script: [
        {
          blocks: [
            { type: 'thinking', text: 'signed', signature: 's', provider: 'p' },
            { type: 'thinking', text: 'unsigned' },
            { type: 'text', text: 'Hello' },
            { type: 'toolCall', id: 'c1', name: 'look', args: {} },
          ],
          stallAfter: 12,
        },
      ],
    });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.conversation.messages[1]).toMatchObject({
      content: [
        { type: 'thinking', text: 'signed', signature: 's' },
        { type: 'text', text: 'Hello' },
      ],
      meta: { cut: 'aborted' },
    });
  });

  test('aborted before anything was said: no message', async () => {
    const bench = startOperative({ interpreter, script: [{ text: 'Hello', stallAfter: 1 }] });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.lines()).toEqual(['user A']);
  });

  test('failed after all retries: dropped, so that resume works', async () => {
    const bench = startOperative({
      interpreter,
      retry: { attempts: 1 },
      script: [{ text: 'Hel', cutAfter: 3 }, { text: 'Hello', cutAfter: 3 }, { text: 'Hi' }],
    });
    void bench.submit('A');
    await bench.host.advance(10_000);
    expect(bench.lines()).toEqual(['user A']);
    await bench.operative.resume();
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hi']);
  });

  test('resume answers a cut message that left an accepted message unanswered', async () => {
    const bench = startOperative({ interpreter, script: [{ chunks: ['Hel', 'lo'], stallAfter: 3 }, { text: 'Hi' }] });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hel', 'assistant Hi']);
  });

  test('resume answers after a cut message of an earlier process', async () => {
    const messages = [asked, assistantMessage('Hel', { id: 'a0', meta: { cut: 'aborted' } })];
    const bench = startOperative({
      interpreter,
      script: [{ text: 'Hello' }],
      conversation: createConversation({ messages }),
    });
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines().at(-1)).toBe('assistant Hello');
    expect((await bench.operative.resume()).outcome).toBe('nothingToDo');
  });
});

test('a stored conversation that cannot be repaired is refused with conversation.invalid, and is free', async () => {
  const conversation = createConversation();
  (conversation.messages as unknown[]).push(7);
  expect(() => startOperative({ conversation })).toThrow(expect.objectContaining({ code: 'conversation.invalid' }));
  conversation.messages.length = 0;
  const bench = await operativeIn('idle', { conversation });
  await bench.rest();
});

describe('a host that counts from one again after a restart', () => {
  const stored = () => [
    userMessage('old', { id: 'msg_1' }),
    assistantMessage('old answer', { id: 'msg_2' }),
    userMessage('older', { id: 'msg_3' }),
    assistantMessage('older answer', { id: 'msg_4' }),
  ];
  const expectOnce = (messages: readonly Message[]) => {
    const ids = messages.map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
  };

  test('gives no id twice in a transcript, and no message passes for another', async () => {
    const bench = startOperative({
      conversation: createConversation({ messages: stored() }),
      tools: [toolOf('look')],
      script: [{ calls: [{ name: 'look' }] }, { text: 'seen' }, { text: 'again' }],
    });
    void bench.operative.submit('new');
    await bench.host.advance(1_000);
    void bench.operative.submit('newer');
    await bench.rest();
    expectOnce(bench.conversation.messages);
    expect(bench.lines().slice(4)).toEqual([
      'user new',
      'call look',
      'completed look done',
      'assistant seen',
      'user newer',
      'assistant again',
    ]);
  });

  test('nor in a bare turn', async () => {
    const host = simulatedHost();
    const conversation = createConversation({ messages: [...stored(), userMessage('go')] });
    const model = scriptedModel([{ calls: [{ name: 'look' }] }, { text: 'seen' }], { host });
    const run = createEngine({ transformers: [], model, host, tools: [toolOf('look')] }).run(conversation);
    run.steer('and this');
    await host.advance(1_000);
    await run.result;
    expect(conversation.messages).toHaveLength(9);
    expectOnce(conversation.messages);
  });
});
