import { describe, expect, test } from 'vitest';
import { createConversation, type Conversation } from '../../../src/conversation/conversation.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { bothWays, deferred, never, readAll, startOperative, toolOf } from './operative-bench.ts';
import { operativeIn, states } from './operative-states.ts';

describe.each(bothWays)('policy queue (%s)', (interpreter) => {
  test('is announced at the call and appended only when the turn ends', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('Q', { policy: 'queue' });
    expect(bench.log()).toEqual(['turn.started', 'queued Q']);
    expect(bench.lines()).toEqual(['user A']);
    await bench.rest();
    expect(bench.log()).toEqual([
      'turn.started',
      'queued Q',
      'said read 1',
      'completed completed',
      'turn.started',
      'said read 3',
      'completed completed',
    ]);
  });

  test('held messages start the next turn all together, in order', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('Q1', { policy: 'queue' });
    void bench.submit('Q2', { policy: 'queue' });
    await bench.rest();
    expect(bench.asked()).toEqual([['A'], ['A', 'read 1', 'Q1', 'Q2']]);
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued answered', 'queued answered']);
  });

  test('a steer of the same turn does not wait for the held message', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('Q', { policy: 'queue' });
    void bench.submit('S');
    await bench.rest();
    expect(bench.asked()[1]?.slice(0, 2)).toEqual(['A', 'read 1']);
    expect(bench.requests[1]?.messages.map(({ id }) => id)).toContain('S');
    expect(bench.requests[1]?.messages.map(({ id }) => id)).not.toContain('Q');
  });

  test('starts the next turn after an abort', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('Q', { policy: 'queue' });
    expect(await bench.operative.cancel()).toMatchObject({ reason: 'aborted', turnId: 'turn_1' });
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn unanswered', 'queued answered']);
  });

  test('starts the next turn after a failure', async () => {
    const down = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      script: [() => down.promise.then(() => ({ throw: 'x' })), { text: 'Hi' }],
    });
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    down.resolve(undefined);
    await bench.rest();
    expect(bench.results()).toMatchObject([{ reason: 'failed' }, { reason: 'completed' }]);
    expect(bench.fates()).toEqual(['startedTurn unanswered', 'queued answered']);
  });

  test('starts the next turn after a cancel while reloading', async () => {
    const bench = await operativeIn('reloading', { interpreter });
    void bench.submit('Q', { policy: 'queue' });
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued answered']);
    expect(bench.results()).toMatchObject([{ reason: 'aborted', iterations: 0 }, { reason: 'completed' }]);
    expect(bench.log().slice(0, 5)).toEqual([
      'turn.started',
      'queued Q',
      'queued A',
      'completed aborted',
      'turn.started',
    ]);
  });

  test('starts nothing after a failed reload, which would only fail again', async () => {
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: () => Promise.reject(new Error('no store')) },
    });
    void bench.submit('A');
    void bench.submit('Q', { policy: 'queue' });
    await bench.rest();
    expect(bench.results()).toMatchObject([{ reason: 'failed' }]);
    expect(bench.fates()).toEqual(['startedTurn queued', 'queued queued']);
    expect(bench.lines()).toEqual(['user A', 'user Q']);
  });

  test('sent by a listener in the step that ends the turn still starts the next turn', async () => {
    const bench = startOperative({ interpreter, script: [{ text: 'Hello', stallAfter: 3 }, { text: 'Hi' }] });
    bench.operative.subscribe((event) => {
      const isCut = event.type === 'message.appended' && event.message.meta?.['cut'] !== undefined;
      if (isCut) void bench.submit('Q', { policy: 'queue' });
    });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.fates()[1]).toBe('queued answered');
  });
});

describe.each(bothWays)('policy preempt (%s)', (interpreter) => {
  test('while the model speaks: what was said is kept as cut and the next turn starts at once', async () => {
    const bench = startOperative({ interpreter, script: [{ chunks: ['Hel', 'lo'], stallAfter: 3 }, { text: 'Hi' }] });
    void bench.submit('A');
    await bench.host.settle();
    void bench.submit('P', { policy: 'preempt' });
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hel', 'user P', 'assistant Hi']);
    expect(bench.conversation.messages[1]?.meta).toMatchObject({ cut: 'aborted' });
    expect(bench.log()).toEqual([
      'turn.started',
      'completed aborted',
      'turn.started',
      'said Hi',
      'completed completed',
    ]);
  });

  test('while tools run: finished results are kept, the others say that they were interrupted', async () => {
    const bench = startOperative({
      interpreter,
      tools: [toolOf('quick'), toolOf('deaf', () => never())],
      script: [{ calls: [{ name: 'quick' }, { name: 'deaf' }, { name: 'quick' }] }, { text: 'Hi' }],
    });
    void bench.submit('A');
    await bench.host.settle();
    void bench.submit('P', { policy: 'preempt' });
    await bench.host.advance(249);
    expect(bench.operative.state).toBe('preempting');
    await bench.rest();
    expect(bench.lines().slice(4)).toEqual([
      'completed quick done',
      'interrupted',
      'notStarted',
      'user P',
      'assistant Hi',
    ]);
  });

  test('submit resolves when the next turn is claimed', async () => {
    const bench = await operativeIn('cancelling', { interpreter });
    void bench.submit('P', { policy: 'preempt' });
    await bench.host.advance(249);
    expect(bench.sent[1]?.result).toBeUndefined();
    await bench.host.advance(1);
    expect(bench.sent[1]?.result).toMatchObject({ outcome: 'startedTurn', turnId: 'turn_2' });
    await bench.rest();
  });

  test('its events begin with the next turn', async () => {
    const bench = await operativeIn('running', { interpreter });
    const { events } = await bench.submit('P', { policy: 'preempt' });
    const read = readAll(events);
    await bench.rest();
    expect(read.events[0]).toEqual({ type: 'turn.started', turnId: 'turn_2' });
    expect(read.events.at(-1)).toMatchObject({ type: 'turn.completed', turnId: 'turn_2' });
  });

  test('several preempts share the next turn, in order', async () => {
    const bench = await operativeIn('cancelling', { interpreter });
    for (const id of ['P1', 'P2', 'P3']) void bench.submit(id, { policy: 'preempt' });
    await bench.rest();
    const results = bench.sent.slice(1).map(({ result }) => result);
    expect(results).toMatchObject(Array(3).fill({ outcome: 'startedTurn', turnId: 'turn_2' }));
    expect(bench.asked()[1]?.slice(-3)).toEqual(['P1', 'P2', 'P3']);
  });

  test('takes along every waiting message in order, itself last', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    void bench.submit('Q', { policy: 'queue' });
    void bench.submit('P', { policy: 'preempt' });
    await bench.rest();
    expect(bench.asked()[1]).toEqual(['A', 'S', 'Q', 'P']);
    expect(bench.fates()).toEqual([
      'startedTurn unanswered',
      'injected answered',
      'queued answered',
      'startedTurn answered',
    ]);
  });

  test('the next turn has the context of the preempt, not of a steer it takes along', async () => {
    const seen: unknown[] = [];
    const bench = await operativeIn('running', {
      interpreter,
      tools: [toolOf('note', (_args, { turnContext }) => void seen.push(turnContext))],
      script: [{ text: 'one', stallAfter: 2 }, { calls: [{ name: 'note' }] }, { text: 'done' }],
    });
    void bench.submit('S', { turnContext: 'steer' });
    void bench.submit('P', { policy: 'preempt', turnContext: 'preempt' });
    await bench.rest();
    expect(seen).toEqual(['preempt']);
  });

  test('then cancel: the preempt becomes a late message and nothing starts', async () => {
    const bench = await operativeIn('preempting', { interpreter });
    void bench.operative.cancel();
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued queued']);
    expect(bench.log().slice(-2)).toEqual(['queued P', 'completed aborted']);
  });

  test('then cancel: the preempt keeps its place before a later steer', async () => {
    const bench = await operativeIn('preempting', { interpreter });
    void bench.submit('L');
    void bench.operative.cancel();
    await bench.rest();
    expect(bench.lines().slice(-2)).toEqual(['user P', 'user L']);
  });

  test('then cancel, then preempt: one next turn with both', async () => {
    const bench = await operativeIn('preempting', { interpreter });
    void bench.operative.cancel();
    void bench.submit('P2', { policy: 'preempt' });
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'queued answered', 'startedTurn answered']);
    expect(bench.asked()[1]?.slice(-2)).toEqual(['P', 'P2']);
  });

  test('then close: the preempt is rejected and nothing starts', async () => {
    const bench = await operativeIn('preempting', { interpreter });
    void bench.operative.close();
    await bench.rest();
    expect(bench.sent[1]?.result).toMatchObject({ outcome: 'rejected', why: 'closed' });
    expect(bench.log().slice(-2)).toEqual(['completed aborted', 'operative.closed']);
  });

  test('while reloading: the claimed turn is aborted and the next one reloads again', async () => {
    const bench = await operativeIn('reloading', { interpreter });
    void bench.submit('P', { policy: 'preempt' });
    await bench.rest();
    expect(bench.log()).toEqual([
      'turn.started',
      'queued A',
      'completed aborted',
      'turn.started',
      'reloaded 1',
      'said read 2',
      'completed completed',
    ]);
    expect(bench.fates()).toEqual(['startedTurn answered', 'startedTurn answered']);
  });

  test('with reloadBeforeStart the next turn reloads too', async () => {
    let loads = 0;
    const conversation = createConversation();
    const bench = await operativeIn('running', {
      interpreter,
      conversation,
      own: { reloadBeforeStart: () => (loads++, conversation) },
    });
    void bench.submit('P', { policy: 'preempt' });
    await bench.rest();
    expect(loads).toBe(2);
  });
});

describe.each(bothWays)('withdraw (%s)', (interpreter) => {
  test('takes back a steer no drain took, and says so', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    expect(bench.operative.withdraw('S')).toBe(true);
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected withdrawn']);
    expect(bench.log()).toEqual(['turn.started', 'withdrawn S', 'said read 1', 'completed completed']);
  });

  test('takes back a held message, and no turn starts for it', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('Q', { policy: 'queue' });
    expect(bench.operative.withdraw('Q')).toBe(true);
    await bench.rest();
    expect(bench.results()).toHaveLength(1);
  });

  test('takes back a late message before the turn has ended', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L');
    expect(bench.operative.withdraw('L')).toBe(true);
    await bench.rest();
    expect(bench.lines()).not.toContain('user L');
  });

  test('is false for a message that was drained', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    await bench.rest();
    expect(bench.operative.withdraw('S')).toBe(false);
  });

  test('is false for a late message once it is appended', async () => {
    const bench = await operativeIn('settling', { interpreter });
    void bench.submit('L');
    await bench.rest();
    expect(bench.operative.withdraw('L')).toBe(false);
  });

  test('is true once', async () => {
    const bench = await operativeIn('running', { interpreter });
    void bench.submit('S');
    expect([bench.operative.withdraw('S'), bench.operative.withdraw('S')]).toEqual([true, false]);
    await bench.rest();
  });

  test.each(states)('of an unknown id is false while %s', async (state) => {
    const bench = await operativeIn(state, { interpreter });
    expect(bench.operative.withdraw('unknown')).toBe(false);
    await bench.rest();
  });

  test('is false for a steer that the host has stored and the reload brought', async () => {
    const loaded = deferred<Conversation>();
    const shaped = deferred<undefined>();
    const bench = await operativeIn('reloading', {
      interpreter,
      own: { reloadBeforeStart: () => loaded.promise },
      transformers: [{ name: 'slow', beforeTurn: () => shaped.promise }],
    });
    void bench.submit('S');
    loaded.resolve(createConversation({ messages: ['A', 'S'].map((id) => userMessage(id, { id })) }));
    await bench.host.settle();
    expect(bench.lines()).toEqual(['user A', 'user S']);
    expect(bench.operative.withdraw('S')).toBe(false);
    shaped.resolve(undefined);
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
  });
});
