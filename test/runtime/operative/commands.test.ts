import { describe, expect, test } from 'vitest';
import type { TurnchartError } from '../../../src/contracts/errors.ts';
import type { Host } from '../../../src/contracts/host.ts';
import type { OperativeCommand } from '../../../src/contracts/operative.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, userMessage } from '../../../src/conversation/message.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import { createOperative } from '../../../src/runtime/operative.ts';
import { scriptedModel, simulatedHost } from '../../../src/testing/index.ts';
import { bothWays, never, readAll, startOperative, toolOf } from './operative-bench.ts';
import { operativeIn, states, type State } from './operative-states.ts';

const asked = userMessage('go', { id: 'u0' });

describe.each(bothWays)('resume (%s)', (interpreter) => {
  test('on an empty transcript has nothing to do', async () => {
    const bench = startOperative({ interpreter });
    const { outcome, events } = await bench.operative.resume();
    const read = readAll(events);
    await bench.rest();
    expect([outcome, read]).toEqual(['nothingToDo', { events: [], isDone: true }]);
    expect(bench.log()).toEqual([]);
  });

  test('on an answered transcript has nothing to do', async () => {
    const conversation = createConversation({ messages: [asked, assistantMessage('Hi')] });
    const bench = startOperative({ interpreter, conversation });
    expect((await bench.operative.resume()).outcome).toBe('nothingToDo');
    await bench.rest();
  });

  test('answers when the last message is a user’s', async () => {
    const bench = startOperative({ interpreter, conversation: createConversation({ messages: [asked] }) });
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines()).toEqual(['user go', 'assistant read 1']);
  });

  test('answers when the last message holds tool results', async () => {
    const bench = startOperative({
      interpreter,
      maxIterations: 1,
      script: [{ calls: [{ name: 'ghost' }] }, { text: 'Hi' }],
    });
    void bench.submit('A');
    await bench.host.settle();
    expect(bench.conversation.messages.at(-1)?.role).toBe('tool');
    expect((await bench.operative.resume()).outcome).toBe('startedTurn');
    await bench.rest();
    expect(bench.lines().at(-1)).toBe('assistant Hi');
  });

  test.each(['reloading', 'running', 'settling', 'cancelling', 'preempting'] as const)(
    'while %s joins the turn',
    async (state) => {
      const bench = await operativeIn(state, { interpreter });
      const { outcome, events } = await bench.operative.resume();
      const read = readAll(events);
      await bench.rest();
      expect(outcome).toBe('alreadyRunning');
      expect(read.events.at(-1)?.type).toBe('turn.completed');
    },
  );

  test('carries the context of its turn', async () => {
    const seen: unknown[] = [];
    const bench = startOperative({
      interpreter,
      conversation: createConversation({ messages: [asked] }),
      transformers: [{ name: 'see', beforeTurn: (_conversation, { turnContext }) => void seen.push(turnContext) }],
    });
    await bench.operative.resume({ turnContext: 'mine' });
    await bench.rest();
    expect(seen).toEqual(['mine']);
  });
});

describe.each(bothWays)('cancel (%s)', (interpreter) => {
  test.each(['idle', 'closed'] as const)('while %s is undefined', async (state) => {
    const bench = await operativeIn(state, { interpreter });
    expect(await bench.operative.cancel()).toBeUndefined();
    await bench.rest();
  });

  test.each(['reloading', 'running', 'settling', 'cancelling', 'preempting', 'closing'] as const)(
    'while %s resolves with the result of the turn',
    async (state) => {
      const bench = await operativeIn(state, { interpreter });
      const cancelled = bench.operative.cancel();
      await bench.rest();
      expect(await cancelled).toMatchObject({ reason: 'aborted', turnId: 'turn_1' });
      expect(bench.results()[0]).toEqual(await cancelled);
    },
  );

  test('resolves for everybody who asked', async () => {
    const bench = await operativeIn('cancelling', { interpreter });
    const cancels = [bench.operative.cancel(), bench.operative.cancel()];
    await bench.rest();
    const [first, second] = await Promise.all(cancels);
    expect(first).toMatchObject({ reason: 'aborted' });
    expect(second).toBe(first);
  });

  test('of a later turn resolves with the result of that turn, and not before its end', async () => {
    const bench = await operativeIn('cancelling', {
      interpreter,
      script: () => ({ calls: [{ name: 'deaf' }] }),
    });
    await bench.host.advance(250);
    void bench.submit('B');
    await bench.host.settle();
    let result: unknown;
    void bench.operative.cancel().then((given) => (result = given));
    await bench.host.advance(249);
    expect(result).toBeUndefined();
    await bench.rest();
    expect(result).toMatchObject({ turnId: 'turn_2', reason: 'aborted' });
  });

  test('while tools run takes its own grace time', async () => {
    const bench = await operativeIn('cancelling', { interpreter });
    void bench.operative.cancel({ graceMs: 10 });
    await bench.host.advance(9);
    expect(bench.operative.state).toBe('cancelling');
    await bench.host.advance(1);
    expect(bench.operative.state).toBe('idle');
    await bench.rest();
  });

  test('of a sealed turn ends it as aborted with its answer kept', async () => {
    const bench = await operativeIn('settling', { interpreter });
    expect(await bench.operative.cancel()).toMatchObject({ reason: 'aborted' });
    await bench.rest();
    expect(bench.lines()).toEqual(['user A', 'assistant read 1']);
    expect(bench.fates()).toEqual(['startedTurn answered']);
  });

  test('resolves after turn.completed was heard', async () => {
    const bench = await operativeIn('running', { interpreter });
    const order: string[] = [];
    bench.operative.subscribe(({ type }) => type === 'turn.completed' && order.push(type));
    await bench.operative.cancel().then(() => order.push('cancel'));
    await bench.rest();
    expect(order).toEqual(['turn.completed', 'cancel']);
  });
});

/** What is allowed on an operative whose last message is an answer, or which is at message A. */
const allowed: Readonly<Record<State, readonly OperativeCommand[]>> = {
  idle: ['start'],
  reloading: ['steer', 'resume', 'cancel'],
  running: ['steer', 'resume', 'cancel'],
  settling: ['resume', 'cancel'],
  cancelling: ['resume', 'cancel'],
  preempting: ['resume', 'cancel'],
  closing: ['cancel'],
  closed: [],
};
const commands = ['steer', 'start', 'resume', 'cancel', 'compact'] as const;

describe.each(bothWays)('can (%s)', (interpreter) => {
  test.each(states.flatMap((state) => commands.map((command) => [state, command] as const)))(
    'while %s tells whether one can %s, and if not why',
    async (state, command) => {
      const bench = await operativeIn(state, { interpreter });
      const told = bench.operative.can(command);
      expect(told.allowed).toBe(allowed[state].includes(command));
      if (!told.allowed) expect(told.why).toMatch(/^[A-Z].*\.$/);
      await bench.rest();
    },
  );

  test('says that one can resume an unanswered transcript, and why not an answered or an empty one', async () => {
    const transcripts = [[asked], [asked, assistantMessage('Hi')], []];
    const told = transcripts.map((messages) =>
      startOperative({ interpreter, conversation: createConversation({ messages }) }).operative.can('resume'),
    );
    expect(told).toEqual([
      { allowed: true },
      { allowed: false, why: 'The last message is an answer already.' },
      { allowed: false, why: 'The transcript is empty.' },
    ]);
  });

  test('allows a resume if only the reload can tell', () => {
    const bench = startOperative({ interpreter, own: { reloadBeforeStart: () => createConversation() } });
    expect(bench.operative.can('resume')).toEqual({ allowed: true });
  });

  test('says why one cannot compact', () => {
    const { operative } = startOperative({ interpreter });
    expect(operative.can('compact')).toEqual({
      allowed: false,
      why: 'No transformer of this engine can compact.',
    });
  });
});

test('compact is false where nothing can compact', async () => {
  const bench = startOperative();
  expect(await bench.operative.compact()).toBe(false);
  await bench.rest();
});

describe('an operative whose chart has died', () => {
  const broken = { code: 'turn.broken', message: expect.stringContaining('Its conversation is free') as string };

  test('says so, to whoever it decided about before as well', async () => {
    const { operative, conversation } = startOperative();
    Object.freeze(conversation.messages);
    await expect(operative.submit('A')).rejects.toMatchObject(broken);
    await expect(operative.submit('B')).rejects.toMatchObject(broken);
    await expect(operative.resume()).rejects.toMatchObject(broken);
    await expect(operative.cancel()).rejects.toMatchObject(broken);
  });

  test('rejects nothing of a submission that was refused before', async () => {
    const conversation = createConversation({
      messages: [userMessage('Hello'), assistantMessage('Hi', { id: 'answer' })],
    });
    const { operative } = startOperative({ conversation });
    const unheard: unknown[] = [];
    const note = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', note);
    const refused = operative.submit(userMessage('Again', { id: 'answer' }));
    await expect(refused).rejects.toMatchObject({ code: 'message.invalid' });
    Object.freeze(conversation.messages);
    await expect(operative.submit('A')).rejects.toMatchObject(broken);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unheard).toEqual([]);
  });

  test('takes nothing, and closes without hiding what it died of', async () => {
    const { operative, conversation } = startOperative();
    Object.freeze(conversation.messages);
    await expect(operative.submit('A')).rejects.toMatchObject(broken);
    expect(operative.state).toBe('closed');
    expect(operative.can('start')).toEqual({ allowed: false, why: broken.message });
    await expect(operative.close()).resolves.toBeUndefined();
    await expect(operative[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  test('ends the turn that ran, for those who read it and those who wait', async () => {
    const host = simulatedHost();
    let ids = 0;
    const createId: Host['createId'] = (kind) => {
      if (kind === 'turn' && ++ids > 1) throw new Error('no more ids');
      return host.createId(kind);
    };
    const model = scriptedModel([{ calls: [{ name: 'hang' }] }], { host });
    const tools = [toolOf('hang', () => never())];
    const operative = createOperative({ engine: createEngine({ model, tools, host: { ...host, createId } }) });
    const { events } = await operative.submit('A');
    await host.settle();
    const read = readAll(events);
    const second = codeOf(operative.submit('B', { policy: 'preempt' }));
    await host.advance(1_000);
    expect(read.isDone).toBe(true);
    expect(await Promise.race([second, host.settle()])).toBe('turn.broken');
  });

  test('refuses a message that is submitted again as well', async () => {
    const { operative, conversation } = startOperative();
    Object.freeze(conversation.messages);
    for (const id of ['a', 'b', 'b', 'a']) {
      expect(await codeOf(operative.submit(userMessage('Hi', { id })))).toBe('turn.broken');
    }
  });

  test.each(['table', 'inspected'])('answers what was asked behind the step that broke it (%s)', async (how) => {
    const simulated = simulatedHost();
    let isFaulty = false;
    const createId: Host['createId'] = (kind) => {
      if (isFaulty && kind === 'turn') throw new Error('no more ids');
      return simulated.createId(kind);
    };
    const engine = createEngine({ model: scriptedModel([{ text: 'ok' }]), host: { ...simulated, createId } });
    const operative = createOperative({ engine, ...(how === 'table' ? {} : { inspect: () => undefined }) });
    const told: Record<string, string> = {};
    operative.subscribe(({ type }) => {
      if (type !== 'turn.completed') return;
      isFaulty = true;
      const again = userMessage('again', { id: 'm' });
      const asked = {
        starts: operative.submit('B'),
        submit: operative.submit(again),
        repeated: operative.submit(again),
        resume: operative.resume(),
        cancel: operative.cancel(),
        compact: operative.compact(),
        close: operative.close(),
      };
      for (const [name, answer] of Object.entries(asked)) void codeOf(answer).then((code) => (told[name] = code));
    });
    await operative.submit('A');
    await simulated.advance(100);
    expect(told).toEqual({
      starts: 'turn.broken',
      submit: 'turn.broken',
      repeated: 'turn.broken',
      resume: 'turn.broken',
      cancel: 'turn.broken',
      compact: 'turn.broken',
      close: 'none',
    });
  });

  test.each([['while it reloads', true] as const, ['at once', false] as const])(
    'refuses a resume that broke it behind another step, %s',
    async (_how, reloads) => {
      const simulated = simulatedHost();
      let isFaulty = false;
      const createId: Host['createId'] = (kind) => {
        if (isFaulty && kind === 'turn') throw new Error('no more ids');
        return simulated.createId(kind);
      };
      const engine = createEngine({ model: scriptedModel([{ throw: 'no' }]), host: { ...simulated, createId } });
      const load = () => ({ system: [], messages: [asked] });
      const operative = createOperative({ engine, ...(reloads ? { reloadBeforeStart: load } : {}) });
      const told: string[] = [];
      operative.subscribe(({ type }) => {
        if (type !== 'turn.completed') return;
        isFaulty = true;
        void codeOf(operative.resume()).then((code) => told.push(code));
      });
      await operative.submit('A');
      await simulated.advance(100);
      expect(told).toEqual(['turn.broken']);
    },
  );

  test('says of a held message that is in the transcript already that it stays there', async () => {
    const host = simulatedHost();
    let ids = 0;
    const createId: Host['createId'] = (kind) => {
      if (kind === 'turn' && ++ids > 1) throw new Error('no more ids');
      return host.createId(kind);
    };
    const model = scriptedModel([{ text: 'ok', delayMs: 1 }], { host });
    const operative = createOperative({ engine: createEngine({ model, host: { ...host, createId } }) });
    await operative.submit('A');
    const held = await operative.submit('B', { policy: 'queue' });
    await host.advance(10);
    expect(operative.state).toBe('closed');
    expect(operative.conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(await Promise.race([held.delivery, host.settle()])).toEqual({ status: 'queued' });
  });
});

function codeOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(
    () => 'none',
    (error: TurnchartError) => error.code,
  );
}
