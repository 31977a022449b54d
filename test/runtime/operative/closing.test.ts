import { describe, expect, test } from 'vitest';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { answerAll, bothWays, deferred, startOperative } from './operative-bench.ts';
import { operativeIn, states } from './operative-states.ts';

const ends: Readonly<Record<string, readonly string[]>> = {
  idle: [],
  reloading: ['queued A', 'completed aborted'],
  running: ['turn.started', 'completed aborted'],
  settling: ['said read 1', 'completed aborted'],
  cancelling: ['deaf interrupted', 'completed aborted'],
  preempting: ['deaf interrupted', 'completed aborted'],
  closing: ['deaf interrupted', 'completed aborted'],
};

describe.each(bothWays)('close (%s)', (interpreter) => {
  test.each(Object.entries(ends))('while %s ends the turn first and is heard last', async (state, lines) => {
    const bench = await operativeIn(state as 'idle', { interpreter });
    void bench.operative.close();
    await bench.rest();
    expect(bench.operative.state).toBe('closed');
    expect(bench.log().slice(-lines.length - 1)).toEqual([...lines, 'operative.closed']);
  });

  test.each(states)('while %s resolves, and a second one too', async (state) => {
    const bench = await operativeIn(state, { interpreter });
    const closed: string[] = [];
    void bench.operative.close().then(() => closed.push('first'));
    void bench.operative.close().then(() => closed.push('second'));
    await bench.rest();
    expect(closed.toSorted()).toEqual(['first', 'second']);
    expect(bench.log().filter((line) => line === 'operative.closed')).toHaveLength(1);
  });

  test('resolves only when the last turn has ended', async () => {
    const bench = await operativeIn('closing', { interpreter });
    let isClosed = false;
    void bench.operative.close().then(() => (isClosed = true));
    await bench.host.advance(249);
    expect(isClosed).toBe(false);
    await bench.host.advance(1);
    expect(isClosed).toBe(true);
    await bench.rest();
  });

  test('puts what waited into the transcript, where the next operative finds it', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    void bench.submit('Q', { policy: 'queue' });
    void bench.operative.close();
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn unanswered', 'injected queued', 'queued queued']);
    const next = startOperative({ interpreter, conversation: bench.conversation });
    expect((await next.operative.resume()).outcome).toBe('startedTurn');
    await next.rest();
    expect(next.asked()).toEqual([['A', 'S', 'Q']]);
  });

  test('the waiting cancel gets the result of the turn it cancelled', async () => {
    const bench = await operativeIn('cancelling', { interpreter });
    const cancelled = bench.operative.cancel();
    void bench.operative.close();
    await bench.rest();
    expect(await cancelled).toMatchObject({ reason: 'aborted', turnId: 'turn_1' });
  });

  test('what reload brings after it is dropped', async () => {
    const loaded = deferred<undefined>();
    const conversation = createConversation();
    const bench = startOperative({
      interpreter,
      conversation,
      own: { reloadBeforeStart: () => loaded.promise.then(() => createConversation()) },
    });
    void bench.submit('A');
    await bench.operative.close();
    loaded.resolve(undefined);
    await bench.rest();
    expect(bench.lines()).toEqual(['user A']);
  });

  test('await using closes', async () => {
    const conversation = createConversation();
    const engine = createEngine({ model: scriptedModel(answerAll) });
    {
      await using operative = createOperative({ engine, conversation });
      expect(operative.state).toBe('idle');
    }
    await createOperative({ engine, conversation }).close();
  });
});

describe.each(bothWays)('after close (%s)', (interpreter) => {
  test.each(['closing', 'closed'] as const)(
    'while %s resume and compact reject, cancel and withdraw do nothing',
    async (state) => {
      const bench = await operativeIn(state, { interpreter });
      await expect(bench.operative.resume()).rejects.toMatchObject({ code: 'operative.closed' });
      await expect(bench.operative.compact()).rejects.toMatchObject({ code: 'operative.closed' });
      expect(bench.operative.withdraw('A')).toBe(false);
      await bench.rest();
      expect(await bench.operative.cancel()).toBeUndefined();
    },
  );

  test('an id that was answered still gets its fate, another is rejected', async () => {
    const bench = await operativeIn('closed', { interpreter });
    expect((await bench.submit('A')).outcome).toBe('startedTurn');
    expect((await bench.submit('B')).outcome).toBe('rejected');
    await bench.rest();
  });

  test('nothing is heard any more', async () => {
    const bench = await operativeIn('closed', { interpreter });
    const before = bench.events.length;
    void bench.submit('B');
    void bench.operative.cancel();
    await bench.rest();
    expect(bench.events).toHaveLength(before);
  });
});

describe.each(bothWays)('one writer per conversation (%s)', (interpreter) => {
  const engine = createEngine({ model: scriptedModel(answerAll) });
  const busy = expect.objectContaining({ code: 'conversation.busy' });

  test.each(states.filter((state) => state !== 'closed'))(
    'while %s a run and a second operative are refused',
    async (state) => {
      const bench = await operativeIn(state, { interpreter });
      const { conversation } = bench;
      expect(() => engine.run(conversation)).toThrow(busy);
      expect(() => createOperative({ engine, conversation })).toThrow(busy);
      await bench.rest();
    },
  );

  test('a running turn keeps an operative out until it has ended', async () => {
    const conversation = createConversation({ messages: [userMessage('go')] });
    const run = engine.run(conversation);
    expect(() => createOperative({ engine, conversation })).toThrow(busy);
    await run.result;
    await createOperative({ engine, conversation }).close();
  });

  test('after close it is free', async () => {
    const bench = await operativeIn('closed', { interpreter });
    const result = await engine.run(bench.conversation).result;
    expect(result.reason).toBe('completed');
    await createOperative({ engine, conversation: bench.conversation }).close();
  });

  test('it is free when operative.closed is heard', async () => {
    const bench = startOperative({ interpreter });
    let isFree = false;
    bench.operative.subscribe(({ type }) => {
      if (type !== 'operative.closed') return;
      void createOperative({ engine, conversation: bench.conversation });
      isFree = true;
    });
    await bench.operative.close();
    expect(isFree).toBe(true);
  });

  test.each([
    ['conversation.invalid', { conversation: {} }],
    ['engine.foreign', { engine: { run: () => undefined } }],
    ['engine.foreign', { engine: null }],
  ])('createOperative throws %s on what is not one', (code, options) => {
    expect(() => createOperative({ engine, ...options } as never)).toThrow(expect.objectContaining({ code }));
  });
});
