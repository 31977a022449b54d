import { describe, expect, test } from 'vitest';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';
import { bothWays, readAll, startOperative } from './operative-bench.ts';
import { operativeIn, states } from './operative-states.ts';

describe.each(bothWays)('the same id again (%s)', (interpreter) => {
  test.each(states.filter((state) => state !== 'closing' && state !== 'closed'))(
    'while %s: outcome and delivery of the first submission, and one copy',
    async (state) => {
      const bench = await operativeIn(state, { interpreter });
      const first = bench.submit('M');
      const second = bench.submit(userMessage('another text', { id: 'M' }), { policy: 'queue' });
      await bench.rest();
      const { events: _first, ...told } = await first;
      const { events: _second, ...again } = await second;
      expect(again).toEqual(told);
      expect(await (await second).delivery).toEqual(await (await first).delivery);
      expect(bench.lines()).not.toContain('user another text');
    },
  );

  test('after its turn has ended starts nothing and reports what became of it', async () => {
    const bench = startOperative({ interpreter });
    await bench.submit('A');
    await bench.rest();
    const again = await bench.submit('A');
    const read = readAll(again.events);
    await bench.rest();
    expect(again).toMatchObject({ outcome: 'startedTurn', turnId: 'turn_1' });
    expect(await again.delivery).toMatchObject({ status: 'answered', turnId: 'turn_1' });
    expect(read).toEqual({ events: [], isDone: true });
    expect(bench.results()).toHaveLength(1);
  });

  test('of a late message', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L');
    await bench.rest();
    const again = await bench.submit('L');
    await bench.rest();
    expect([again.outcome, await again.delivery]).toEqual(['queued', { status: 'queued' }]);
    expect(bench.results()).toHaveLength(1);
  });

  test('of a withdrawn message stays withdrawn', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    bench.operative.withdraw('S');
    const again = await bench.submit('S');
    await bench.rest();
    expect(await again.delivery).toEqual({ status: 'withdrawn' });
    expect(bench.lines()).not.toContain('user S');
  });

  test('of a rejected message is a new submission: it was never accepted', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('R', { policy: 'reject' });
    void bench.submit('R');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'rejected rejected', 'injected answered']);
  });

  test('of a preempt that waits shares its turn, each with events of its own', async () => {
    const bench = await operativeIn('preempting', { interpreter });
    const again = bench.submit('P');
    await bench.host.advance(250);
    const { outcome, events } = await again;
    const readers = [bench.sent[1]?.result?.events, events].map((given) => readAll(given ?? events));
    await bench.rest();
    expect(outcome).toBe('startedTurn');
    expect(readers[1]?.events).toEqual(readers[0]?.events);
    expect(readers[1]?.isDone).toBe(true);
  });

  test('of two submits made within one step of the chart is one message', async () => {
    const bench = startOperative({ interpreter });
    bench.operative.subscribe(({ type }) => {
      if (type !== 'turn.completed' || bench.sent.length > 1) return;
      void bench.submit('M');
      void bench.submit('M');
    });
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant read 1', 'user M', 'assistant read 3']);
  });

  test.each([
    ['last, unanswered', [userMessage('M', { id: 'M' })]],
    ['answered', [userMessage('M', { id: 'M' }), assistantMessage('done', { id: 'a0' })]],
  ])('as a stored message (%s) appends nothing', async (_name, messages: readonly Message[]) => {
    const bench = startOperative({ interpreter, conversation: createConversation({ messages }) });
    void bench.submit('M');
    await bench.rest();
    expect(bench.lines().filter((line) => line === 'user M')).toHaveLength(1);
    expect(bench.fates()).toEqual(['startedTurn answered']);
  });

  test.each(['steer', 'queue', 'preempt'] as const)(
    'as a stored message, sent in mid-turn by %s, appends nothing',
    async (policy) => {
      const messages = [userMessage('M', { id: 'M' }), assistantMessage('done', { id: 'a0' })];
      const bench = await operativeIn('running', { interpreter, conversation: createConversation({ messages }) });
      void bench.submit('M', { policy });
      await bench.rest();
      expect(bench.fates()[1]).toMatch(/answered$/);
    },
  );

  test('as an answer in the transcript throws message.invalid and changes nothing', async () => {
    const bench = startOperative({ interpreter });
    void bench.submit('A');
    await bench.rest();
    const id = bench.operative.conversation.messages[1]?.id ?? '';
    const edited = bench.operative.submit(userMessage('IMPORTANT', { id }));
    await expect(edited).rejects.toMatchObject({
      code: 'message.invalid',
      message: `The message cannot be submitted: its id "${id}" is that of a message of role "assistant" in the transcript. Give it another id.`,
    });
    await bench.rest();
    expect(bench.results()).toHaveLength(1);
  });

  test('as a stored message that was replaced by hand appends it', async () => {
    const messages = [userMessage('M', { id: 'M' }), assistantMessage('done', { id: 'a0' })];
    const bench = startOperative({ interpreter, conversation: createConversation({ messages }) });
    void bench.submit('A');
    await bench.rest();
    bench.operative.conversation.messages[0] = userMessage('N');
    void bench.submit('M');
    await bench.rest();
    expect(bench.lines()).toContain('user M');
  });

  test('is recognised by id, never by text', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit(userMessage('same', { id: 'one' }));
    void bench.submit(userMessage('same', { id: 'two' }));
    await bench.rest();
    expect(bench.lines().filter((line) => line === 'user same')).toHaveLength(2);
  });
});

const invalid: Readonly<Record<string, unknown>> = {
  'an empty text': '',
  'a blank text': ' \n\t',
  nothing: undefined,
  'a number': 7,
  'an assistant message': assistantMessage('Hi'),
  'a message without content': userMessage([]),
  'a message of blank texts': userMessage([{ type: 'text', text: ' ' }]),
  'a message with a call': userMessage([{ type: 'toolCall', id: 'c', name: 'look', args: {} }]),
  'a message with a result': userMessage([{ type: 'toolResult', callId: 'c', status: 'completed', content: [] }]),
  'a message without an id': { ...userMessage('Hi'), id: '' },
  'a message with a hole': { ...userMessage('Hi'), content: [null] },
};

describe.each(bothWays)('what is not a user message (%s)', (interpreter) => {
  test.each(Object.entries(invalid))('%s is refused with message.invalid in every state', async (_name, message) => {
    for (const state of ['idle', 'running', 'closed'] as const) {
      const bench = await operativeIn(state, { interpreter });
      const before = [...bench.events];
      await expect(bench.operative.submit(message as string)).rejects.toMatchObject({ code: 'message.invalid' });
      expect(bench.events).toEqual(before);
      await bench.rest();
    }
  });

  test.each([
    ['an image', { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
    ['a document', { type: 'document', source: { type: 'text', text: 'long' } }],
  ] as const)('a message of %s alone is accepted', async (_name, block) => {
    const bench = startOperative({ interpreter });
    void bench.submit(userMessage([block], { id: 'M' }));
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered']);
  });
});
