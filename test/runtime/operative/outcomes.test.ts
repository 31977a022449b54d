import { describe, expect, test } from 'vitest';
import type { SubmitPolicy } from '../../../src/contracts/operative.ts';
import { bothWays, deferred, startOperative } from './operative-bench.ts';
import { operativeIn, states, type State } from './operative-states.ts';

/** Outcome at the call and fate after everything has come to rest. */
const table: Readonly<Record<State, Readonly<Record<SubmitPolicy, string>>>> = {
  idle: {
    steer: 'startedTurn answered',
    preempt: 'startedTurn answered',
    queue: 'startedTurn answered',
    reject: 'startedTurn answered',
  },
  reloading: {
    steer: 'injected answered',
    preempt: 'startedTurn answered',
    queue: 'queued answered',
    reject: 'rejected rejected',
  },
  running: {
    steer: 'injected answered',
    preempt: 'startedTurn answered',
    queue: 'queued answered',
    reject: 'rejected rejected',
  },
  settling: {
    steer: 'queued queued',
    preempt: 'startedTurn answered',
    queue: 'queued answered',
    reject: 'rejected rejected',
  },
  cancelling: {
    steer: 'queued queued',
    preempt: 'startedTurn answered',
    queue: 'queued answered',
    reject: 'rejected rejected',
  },
  preempting: {
    steer: 'queued answered',
    preempt: 'startedTurn answered',
    queue: 'queued answered',
    reject: 'rejected rejected',
  },
  closing: {
    steer: 'rejected rejected',
    preempt: 'rejected rejected',
    queue: 'rejected rejected',
    reject: 'rejected rejected',
  },
  closed: {
    steer: 'rejected rejected',
    preempt: 'rejected rejected',
    queue: 'rejected rejected',
    reject: 'rejected rejected',
  },
};
const policies = ['steer', 'preempt', 'queue', 'reject'] as const;
const cells = states.flatMap((state) => policies.map((policy) => [policy, state, table[state][policy]] as const));

describe.each(bothWays)('the outcome table (%s)', (interpreter) => {
  test.each(cells)('%s while %s gives %s', async (policy, state, fate) => {
    const bench = await operativeIn(state, { interpreter });
    void bench.submit('M', { policy });
    await bench.rest();
    expect(bench.fates().at(-1)).toBe(fate);
  });

  test('steer is the default policy', async () => {
    const bench = await operativeIn('running', { interpreter });
    expect((await bench.submit('M')).outcome).toBe('injected');
    await bench.rest();
  });

  test.each([
    ['running', 'busy'],
    ['closed', 'closed'],
  ] as const)('a message rejected while %s says why: %s', async (state, why) => {
    const bench = await operativeIn(state, { interpreter });
    expect(await bench.submit('M', { policy: 'reject' })).toMatchObject({ outcome: 'rejected', why });
    await bench.rest();
  });

  test('startedTurn and injected name the turn', async () => {
    const bench = startOperative({ interpreter });
    const [first, second] = await Promise.all([bench.submit('A'), bench.submit('B')]);
    expect(first).toMatchObject({ outcome: 'startedTurn', turnId: 'turn_1' });
    expect(second).toMatchObject({ outcome: 'injected', turnId: 'turn_1' });
    await bench.rest();
  });

  test('an unknown policy is refused with options.invalid and accepts nothing', async () => {
    const bench = startOperative({ interpreter });
    const policy = 'now' as SubmitPolicy;
    await expect(bench.operative.submit('A', { policy })).rejects.toMatchObject({ code: 'options.invalid' });
    await bench.rest();
    expect(bench.conversation.messages).toEqual([]);
  });
});

describe.each(bothWays)('one turn at a time (%s)', (interpreter) => {
  test('two submits in one tick give one startedTurn and one injected', async () => {
    const bench = startOperative({ interpreter });
    void bench.submit('A');
    void bench.submit('B');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
    expect(bench.log().filter((line) => line === 'turn.started')).toHaveLength(1);
  });

  test('two submits while the reload is slow give one startedTurn and one injected', async () => {
    const loaded = deferred<undefined>();
    const bench = startOperative({
      interpreter,
      own: { reloadBeforeStart: () => loaded.promise.then(() => ({ system: [], messages: [] })) },
    });
    void bench.submit('A');
    void bench.submit('B');
    await bench.host.advance(50);
    void bench.submit('C');
    await bench.host.advance(50);
    loaded.resolve(undefined);
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered', 'injected answered']);
    // A message that waited for the reload is in the first request of the turn.
    expect(bench.asked()).toHaveLength(1);
    expect(bench.requests[0]?.messages.map(({ id }) => id)).toEqual(['A', 'B', 'C']);
  });

  test('case 4: a second message during a slow beforeTurn transformer joins the turn, and the history is linear', async () => {
    const bench = startOperative({
      interpreter,
      transformers: [
        { name: 'slow', beforeTurn: () => new Promise<void>((resolve) => void bench.host.setTimeout(resolve, 200)) },
      ],
    });
    void bench.submit('A');
    await bench.host.advance(50);
    void bench.submit('B');
    await bench.rest();
    expect(bench.fates()).toEqual(['startedTurn answered', 'injected answered']);
    expect(bench.requests).toHaveLength(1);
    expect(bench.conversation.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });
});

describe.each(bothWays)('delivery (%s)', (interpreter) => {
  test('answered names the turn and the iteration whose request had the message', async () => {
    const bench = startOperative({ interpreter });
    const first = await bench.submit('A');
    const second = await bench.submit('B');
    await bench.rest();
    // The turn began its first call with A alone; B was there at the second.
    expect(await first.delivery).toEqual({ status: 'answered', turnId: 'turn_1', iteration: 1 });
    expect(await second.delivery).toEqual({ status: 'answered', turnId: 'turn_1', iteration: 2 });
  });

  test('unanswered: drained into a turn that failed before an answer; resume answers it', async () => {
    const bench = startOperative({ interpreter, script: [{ throw: new Error('down') }, { text: 'Hi' }] });
    const { delivery } = await bench.submit('A');
    await bench.host.advance(0);
    expect(await delivery).toMatchObject({ status: 'unanswered', turnId: 'turn_1' });
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant Hi']);
    expect(await delivery).toMatchObject({ status: 'unanswered' });
  });

  test('unanswered: drained into a turn that was aborted before an answer', async () => {
    const bench = startOperative({ interpreter, script: [{ text: 'Hello', stallAfter: 2 }] });
    const { delivery } = await bench.submit('A');
    await bench.host.advance(0);
    await bench.operative.cancel();
    expect(await delivery).toMatchObject({ status: 'unanswered' });
    await bench.rest();
  });

  test('a message answered before the turn failed stays answered', async () => {
    const calls = [{ name: 'ghost' }];
    const bench = startOperative({ interpreter, script: [{ calls }, { throw: new Error('down') }] });
    const { delivery } = await bench.submit('A');
    await bench.rest();
    expect(await delivery).toEqual({ status: 'answered', turnId: 'turn_1', iteration: 1 });
    expect(bench.results()).toMatchObject([{ reason: 'failed' }]);
  });

  test('delivery is one promise however often it is read', async () => {
    const bench = startOperative({ interpreter });
    const result = await bench.submit('A');
    await bench.rest();
    expect(await result.delivery).toBe(await result.delivery);
  });
});
