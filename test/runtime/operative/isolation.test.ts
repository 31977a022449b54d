import { describe, expect, test } from 'vitest';
import type { Approve } from '../../../src/contracts/engine.ts';
import type { OperativeEvent } from '../../../src/contracts/events.ts';
import type { ToolSession } from '../../../src/contracts/tool.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost, verifyEvents } from '../../../src/testing/index.ts';
import {
  type answerAll,
  bothWays,
  deferred,
  linesOf,
  logOf,
  startOperative,
  toolOf,
  type OperativeBench,
} from './operative-bench.ts';
import { operativeIn } from './operative-states.ts';

describe.each(bothWays)('two operatives on one engine (%s)', (interpreter) => {
  const folder = Symbol('folder');

  async function playTwo() {
    const host = simulatedHost();
    const sessions: ToolSession[] = [];
    const held = deferred<undefined>();
    const look = toolOf('look', (_args, { session }) => {
      sessions.push(session);
      session.get(folder, () => session.id);
    });
    const model = scriptedModel(
      async ({ messages }) => {
        const last = messages.at(-1);
        if (last?.id === 'slow') await held.promise;
        if (last?.role !== 'tool') return { calls: [{ name: 'look' }] };
        return { text: `read ${messages.length}` };
      },
      { host },
    );
    const engine = createEngine({ transformers: [], model, host, tools: [look] });
    const inspect = interpreter === 'inspected' ? { inspect: () => undefined } : {};
    const operatives = [createOperative({ engine, ...inspect }), createOperative({ engine, ...inspect })] as const;
    const logs = operatives.map((operative) => {
      const events: OperativeEvent[] = [];
      operative.subscribe((event) => events.push(event));
      return events;
    });
    const [first, second] = operatives;
    const slow = await first.submit({ id: 'slow', role: 'user', content: [{ type: 'text', text: 'one' }] });
    const quick = await second.submit('two');
    await host.settle();
    return { host, held, engine, sessions, first, second, slow, quick, logs };
  }

  test('one is busy while the other ends its turn', async () => {
    const { first, second, held, host, slow, quick } = await playTwo();
    expect([first.state, second.state]).toEqual(['running', 'idle']);
    expect([slow.outcome, quick.outcome]).toEqual(['startedTurn', 'startedTurn']);
    held.resolve(undefined);
    await host.settle();
    expect(first.state).toBe('idle');
  });

  test('neither sees the other’s messages or events', async () => {
    const { first, second, held, host, logs } = await playTwo();
    held.resolve(undefined);
    await host.settle();
    expect(linesOf(first.conversation.messages)).toEqual([
      'user one',
      'call look',
      'completed (no output)',
      'assistant read 3',
    ]);
    expect(linesOf(second.conversation.messages)).toEqual([
      'user two',
      'call look',
      'completed (no output)',
      'assistant read 3',
    ]);
    expect(new Set(logs.map((log) => log.find(({ type }) => type === 'turn.started'))).size).toBe(2);
    for (const log of logs) {
      verifyEvents(log);
      expect(logOf(log)).toEqual(['turn.started', 'said', 'look completed', 'said read 3', 'completed completed']);
    }
  });

  test('each has a tool session of its own, the same in all its turns', async () => {
    const { first, second, held, host, sessions } = await playTwo();
    held.resolve(undefined);
    await host.settle();
    await first.submit('again');
    await host.settle();
    const ids = sessions.map((session) => session.get(folder, () => 'none'));
    expect(ids).toEqual([second.session.id, first.session.id, first.session.id]);
    expect(first.session.id).not.toBe(second.session.id);
  });

  test('cancel and close of one leave the other alone', async () => {
    const { first, second, host, held } = await playTwo();
    await second.close();
    held.resolve(undefined);
    await host.settle();
    expect(linesOf(first.conversation.messages).at(-1)).toBe('assistant read 3');
  });

  test('a bare run on the same engine has a session of its own', async () => {
    const { engine, first, second, host, held, sessions } = await playTwo();
    engine.run({ system: [], messages: [{ id: 'bare', role: 'user', content: [{ type: 'text', text: 'x' }] }] });
    held.resolve(undefined);
    await host.settle();
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(3);
    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining([first.session.id, second.session.id]));
  });
});

describe.each(bothWays)('the context of a turn (%s)', (interpreter) => {
  function noting(): { readonly seen: unknown[]; readonly setup: Parameters<typeof startOperative>[0] } {
    const seen: unknown[] = [];
    const note = toolOf('note', (_args, { turnContext }) => void seen.push(turnContext));
    const script = ({ messages }: Parameters<typeof answerAll>[0]) =>
      messages.at(-1)?.role === 'tool' ? { text: 'noted' } : { calls: [{ name: 'note' }] };
    return { seen, setup: { interpreter, tools: [note], script } };
  }

  test('is the starter’s; an injected message brings none', async () => {
    const { seen, setup } = noting();
    const bench = startOperative(setup);
    void bench.submit('A', { turnContext: 'starter' });
    void bench.submit('B', { turnContext: 'injected' });
    await bench.rest();
    expect(new Set(seen)).toEqual(new Set(['starter']));
  });

  test('is that of the first held message when the queue starts the turn', async () => {
    const { seen, setup } = noting();
    const bench = startOperative(setup);
    void bench.submit('A', { turnContext: 'starter' });
    void bench.submit('Q1', { policy: 'queue', turnContext: 'first' });
    void bench.submit('Q2', { policy: 'queue', turnContext: 'second' });
    await bench.rest();
    expect(seen).toEqual(['starter', 'first']);
  });

  test('is that of the held message and not of a late steer it takes along', async () => {
    const { seen, setup } = noting();
    const bench = startOperative({
      ...setup,
      transformers: [
        {
          name: 'late',
          afterTurn: () => {
            if (bench.sent.length > 1) return;
            void bench.submit('L');
            void bench.submit('Q', { policy: 'queue', turnContext: 'held' });
          },
        },
      ],
    });
    void bench.submit('A', { turnContext: 'starter' });
    await bench.rest();
    expect(seen).toEqual(['starter', 'held']);
  });

  test('ends with its turn', async () => {
    const { seen, setup } = noting();
    const bench = startOperative(setup);
    void bench.submit('A', { turnContext: 'first' });
    await bench.host.settle();
    void bench.submit('B');
    await bench.rest();
    expect(seen).toEqual(['first', undefined]);
  });

  test('that a transformer replaced is what tools see', async () => {
    const { seen, setup } = noting();
    const bench = startOperative({
      ...setup,
      transformers: [{ name: 'replace', beforeTurn: () => ({ turnContext: 'replaced' }) }],
    });
    void bench.submit('A', { turnContext: 'starter' });
    await bench.rest();
    expect(seen).toEqual(['replaced']);
  });
});

describe.each(bothWays)('approvals (%s)', (interpreter) => {
  const asking = (own?: Approve, engine?: Approve): OperativeBench =>
    startOperative({
      interpreter,
      tools: [toolOf('look')],
      script: [{ calls: [{ name: 'look' }] }, { text: 'done' }],
      ...(engine === undefined ? {} : { approve: engine }),
      ...(own === undefined ? {} : { own: { approve: own } }),
    });
  const yes: Approve = () => ({ allow: true });
  const no: Approve = () => ({ allow: false, message: 'no' });

  test.each([
    ['the operative says no, the engine yes', no, yes, 'denied'],
    ['the operative says yes, the engine no', yes, no, 'completed look done'],
    ['only the operative is asked and says no', no, undefined, 'denied'],
    ['only the engine is asked and says no', undefined, no, 'denied'],
  ])('%s', async (_name, own, engine, line) => {
    const bench = asking(own, engine);
    void bench.submit('A');
    await bench.rest();
    expect(bench.lines()[2]).toBe(line);
  });

  test('get session and context, and wait without holding up the operative', async () => {
    const answer = deferred<{ allow: true }>();
    const told: unknown[] = [];
    const bench = asking((_request, { session, turnContext }) => {
      told.push(session, turnContext);
      return answer.promise;
    });
    void bench.submit('A', { turnContext: 'mine' });
    await bench.host.settle();
    expect(bench.log()).toContain('toolCall.awaitingApproval');
    expect((await bench.submit('S')).outcome).toBe('injected');
    answer.resolve({ allow: true });
    await bench.rest();
    expect(told).toEqual([bench.operative.session, 'mine']);
  });

  test('are dropped by a cancel: the call was not started', async () => {
    const bench = startOperative({
      interpreter,
      tools: [toolOf('look')],
      script: [{ calls: [{ name: 'look' }] }],
      own: { approve: () => new Promise(() => undefined) },
    });
    void bench.submit('A');
    await bench.host.settle();
    await bench.operative.cancel();
    await bench.rest();
    expect(bench.lines().at(-1)).toBe('notStarted');
  });
});

describe.each(bothWays)('usage (%s)', (interpreter) => {
  const usage = { inputTokens: 10, outputTokens: 2 };

  test('of a turn is the sum of its own calls', async () => {
    const bench = startOperative({
      interpreter,
      tools: [toolOf('look')],
      script: [
        { calls: [{ name: 'look' }], usage },
        { text: 'one', usage },
        { text: 'two', usage },
      ],
    });
    void bench.submit('A');
    await bench.host.settle();
    void bench.submit('B');
    await bench.rest();
    expect(bench.results().map((result) => result.usage)).toMatchObject([{ inputTokens: 20, outputTokens: 4 }, usage]);
  });

  test('of a turn that never began is zero', async () => {
    const bench = await operativeIn('reloading', { interpreter });
    expect((await bench.operative.cancel())?.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    await bench.rest();
  });
});
