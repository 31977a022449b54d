import { describe, expect, test } from 'vitest';
import { simulatedHost } from '../../src/testing/index.ts';
import {
  deferred,
  interpreters,
  never,
  startTurn,
  toolOf,
  type Deferred,
  type Turn,
  type TurnSetup,
} from '../runtime/turn-bench.ts';

const calling = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

describe.each(interpreters)('cancel while tools run (%s)', (interpreter) => {
  async function cancelled(
    setup: Omit<TurnSetup, 'script'>,
    names: readonly string[],
    graceMs?: number,
  ): Promise<Turn> {
    const turn = startTurn({ interpreter, ...setup, script: [calling(...names)] });
    await turn.host.settle();
    void turn.run.cancel(graceMs === undefined ? {} : { graceMs });
    await turn.host.settle();
    return turn;
  }
  const hang = toolOf('hang', () => never());
  const gatedTool = ({ promise }: Pick<Deferred<unknown>, 'promise'>, name = 'slow') =>
    toolOf(name, () => promise, { isConcurrencySafe: true });
  const statuses = (turn: Turn) => turn.results().map(({ status }) => status);

  test('case 6: a tool that never settles and ignores its signal is interrupted after cancelGraceMs', async () => {
    const turn = await cancelled({ tools: [hang] }, ['hang']);
    await turn.host.advance(249);
    expect(turn.has('turn.completed')).toBe(false);
    expect((await turn.end(1)).reason).toBe('aborted');
    expect(turn.lines()[2]).toMatch(/^interrupted: .*may have had effects/);
  });

  test('a clock that moves on while it is read gives no timer a negative time', async () => {
    const host = simulatedHost();
    const delays: number[] = [];
    let late = 0;
    const now = () => host.now() + late++ * 5;
    const setTimeout = (fn: () => void, ms: number) => {
      delays.push(ms);
      return host.setTimeout(fn, ms);
    };
    const turn = await cancelled({ tools: [hang], host: { ...host, now, setTimeout } }, ['hang'], 8);
    await turn.end(8);
    expect(delays.filter((ms) => ms < 0)).toEqual([]);
  });

  test('its signal is aborted at once', async () => {
    const signals: AbortSignal[] = [];
    const tool = toolOf('hang', (_, { signal }) => {
      signals.push(signal);
      return never();
    });
    const turn = await cancelled({ tools: [tool] }, ['hang']);
    expect(signals.map(({ aborted, reason }) => [aborted, reason.name])).toEqual([[true, 'AbortError']]);
    await turn.end(250);
  });

  test('a tool that settles within the grace time keeps its result, and the turn ends then', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    await turn.host.advance(100);
    gate.resolve('in time');
    expect((await turn.end()).reason).toBe('aborted');
    expect(turn.lines()[2]).toBe('completed: in time');
  });

  test.each<[string, (signal: AbortSignal) => unknown]>([
    ['the reason of its signal', (signal) => signal.reason],
    ['an AbortError of its own', () => new DOMException('The operation was aborted', 'AbortError')],
    ['an AbortError that is no DOMException', () => Object.assign(new Error('stop'), { name: 'AbortError' })],
  ])('a tool that obeys its signal with %s is interrupted at once: it may have had effects', async (_what, reason) => {
    const obedient = toolOf(
      'obey',
      (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(reason(signal)))),
    );
    const turn = await cancelled({ tools: [obedient] }, ['obey']);
    expect((await turn.end()).reason).toBe('aborted');
    expect(turn.lines()[2]).toMatch(/^interrupted: .*may have had effects/);
    expect(turn.all('toolCall.settled').map(({ result }) => result.status)).toEqual(['interrupted']);
  });

  test('an AbortError of a tool that nobody cancelled is a failed result', async () => {
    const tool = toolOf('fetch', () => Promise.reject(new DOMException('Its own limit', 'AbortError')));
    const turn = startTurn({ interpreter, tools: [tool], script: [calling('fetch'), { text: 'ok' }] });
    await turn.end();
    expect(turn.lines()[2]).toMatch(/^failed: .*Its own limit/);
  });

  test('a thrown value that cannot be read, within the grace time, is a failed result', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    gate.reject(proxy);
    await turn.end();
    expect(statuses(turn)).toEqual(['failed']);
  });

  test('an error thrown within the grace time is a failed result', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    gate.reject(new Error('stopped'));
    await turn.end();
    expect(turn.lines()[2]).toMatch(/^failed: .*stopped/);
  });

  test('the grace time can be given with the cancel', async () => {
    const turn = await cancelled({ tools: [hang] }, ['hang'], 1000);
    await turn.host.advance(999);
    expect(turn.has('turn.completed')).toBe(false);
    await turn.end(1);
  });

  test.each([0, -5])('a grace time of %i interrupts at once', async (graceMs) => {
    const turn = await cancelled({ tools: [hang] }, ['hang'], graceMs);
    await turn.end();
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('cancelGraceMs 0 interrupts at once', async () => {
    const turn = await cancelled({ tools: [hang], cancelGraceMs: 0 }, ['hang']);
    await turn.end();
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('a second cancel can shorten the grace time', async () => {
    const turn = await cancelled({ tools: [hang] }, ['hang'], 10_000);
    void turn.run.cancel({ graceMs: 0 });
    await turn.end();
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('P4: a cancel that is repeated forever does not lengthen it', async () => {
    const turn = await cancelled({ tools: [hang] }, ['hang']);
    for (let ms = 0; ms < 250; ms += 50) {
      void turn.run.cancel();
      await turn.host.advance(50);
    }
    await turn.end();
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('a grace time without end is one that a timer can take', async () => {
    const host = simulatedHost();
    const delays: number[] = [];
    const spy = { ...host, setTimeout: (fn: () => void, ms: number) => (delays.push(ms), host.setTimeout(fn, ms)) };
    const turn = await cancelled({ tools: [hang], host: spy }, ['hang'], Infinity);
    expect(delays.at(-1)).toBe(2 ** 31 - 1);
    void turn.run.cancel({ graceMs: 0 });
    await turn.end();
  });

  test('results of finished siblings are kept, running ones are interrupted, waiting ones not started', async () => {
    const ran: string[] = [];
    const tools = [
      toolOf('quick', () => 'quick done', { isConcurrencySafe: true }),
      toolOf('hang', () => never(), { isConcurrencySafe: true }),
      toolOf('next', () => void ran.push('next')),
    ];
    const turn = await cancelled({ tools }, ['quick', 'hang', 'next']);
    await turn.end(250);
    expect(statuses(turn)).toEqual(['completed', 'interrupted', 'notStarted']);
    expect(turn.lines().at(-1)).toMatch(/had no effects/);
    expect(ran).toEqual([]);
  });

  test('calls that wait for a free place are not started', async () => {
    const tools = [
      toolOf('a', () => never(), { isConcurrencySafe: true }),
      toolOf('b', () => 'ran', { isConcurrencySafe: true }),
    ];
    const turn = await cancelled({ tools, maxParallelTools: 1 }, ['a', 'b']);
    await turn.end(250);
    expect(statuses(turn)).toEqual(['interrupted', 'notStarted']);
  });

  test('what settles too late changes nothing', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    await turn.host.advance(250);
    const before = structuredClone(turn.conversation.messages);
    gate.resolve('too late');
    await turn.end();
    expect(turn.conversation.messages).toEqual(before);
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('what rejects too late is not an unhandled rejection', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    await turn.host.advance(250);
    gate.reject(new Error('too late'));
    await turn.host.settle();
    await turn.end();
    expect(statuses(turn)).toEqual(['interrupted']);
  });

  test('a tool that obeys the signal of its own limit timed out', async () => {
    const obedient = toolOf(
      'obey',
      (_args, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const script = [calling('obey'), { text: 'ok' }];
    const turn = startTurn({ interpreter, tools: [obedient], toolTimeoutMs: 100, script });
    await turn.end(100);
    expect(statuses(turn)).toEqual(['timedOut']);
  });

  test('a timeout within the grace time is a timeout', async () => {
    const turn = await cancelled({ tools: [hang], toolTimeoutMs: 100 }, ['hang']);
    await turn.end(100);
    expect(statuses(turn)).toEqual(['timedOut']);
  });

  test('the next turn continues from a valid transcript', async () => {
    const turn = await cancelled({ tools: [hang] }, ['hang']);
    await turn.end(250);
    const next = startTurn({ interpreter, host: turn.host, conversation: turn.conversation, script: [{ text: 'ok' }] });
    expect((await next.end()).reason).toBe('completed');
    expect(next.has('transcript.replaced')).toBe(false);
  });

  test('no further model call is made', async () => {
    const gate = deferred<string>();
    const turn = await cancelled({ tools: [gatedTool(gate)] }, ['slow']);
    gate.resolve('done');
    await turn.end();
    expect(turn.requests).toHaveLength(1);
  });
});

describe.each(interpreters)('tool timeouts (%s)', (interpreter) => {
  const done = { text: 'done' };
  const hangWith = (timeoutMs?: number) => toolOf('hang', () => never(), timeoutMs === undefined ? {} : { timeoutMs });

  test('toolTimeoutMs ends a call with a result that says so, and the turn continues', async () => {
    const turn = startTurn({ interpreter, toolTimeoutMs: 100, tools: [hangWith()], script: [calling('hang'), done] });
    await turn.host.advance(99);
    expect(turn.has('toolCall.settled')).toBe(false);
    expect((await turn.end(1)).reason).toBe('completed');
    expect(turn.lines()[2]).toMatch(/^timedOut: .*100 ms/);
  });

  test('the tool’s own limit wins over the engine’s', async () => {
    const turn = startTurn({
      interpreter,
      toolTimeoutMs: 100,
      tools: [hangWith(200)],
      script: [calling('hang'), done],
    });
    await turn.host.advance(199);
    expect(turn.has('toolCall.settled')).toBe(false);
    await turn.end(1);
  });

  test('its signal is aborted with a TimeoutError', async () => {
    const reasons: unknown[] = [];
    const tool = toolOf('hang', (_, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason.name));
      return never();
    });
    const turn = startTurn({ interpreter, toolTimeoutMs: 1, tools: [tool], script: [calling('hang'), done] });
    await turn.end(1);
    expect(reasons).toEqual(['TimeoutError']);
  });

  test('each call has its own time, from its own start', async () => {
    const turn = startTurn({
      interpreter,
      toolTimeoutMs: 100,
      tools: [hangWith()],
      script: [calling('hang', 'hang'), done],
    });
    await turn.host.advance(100);
    expect(turn.all('toolCall.settled')).toHaveLength(1);
    await turn.host.advance(99);
    expect(turn.all('toolCall.settled')).toHaveLength(1);
    await turn.end(1);
  });

  test('what comes after the timeout changes nothing', async () => {
    const gate = deferred<string>();
    const tool = toolOf('slow', () => gate.promise);
    const turn = startTurn({
      interpreter,
      toolTimeoutMs: 1,
      tools: [tool],
      script: [calling('slow'), { text: 'x', delayMs: 9 }],
    });
    await turn.host.advance(1);
    gate.reject(new Error('late'));
    await turn.end(9);
    expect(turn.results().map(({ status }) => status)).toEqual(['timedOut']);
  });
});
