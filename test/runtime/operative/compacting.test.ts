// First with a compaction of the test's own, on the operative's real scope, ledger and chart; then with a transformer that
// compacts.

import { createActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { OperativeEvent } from '../../../src/contracts/events.ts';
import type { Delivery, SubmitOutcome, SubmitPolicy } from '../../../src/contracts/operative.ts';
import type { Transformer, View } from '../../../src/contracts/transformer.ts';
import { createConversation } from '../../../src/conversation/conversation.ts';
import { assistantMessage, userMessage, type Message } from '../../../src/conversation/message.ts';
import { chartLogic } from '../../../src/machines/chart-logic.ts';
import {
  operativeChart,
  type CompactFacts,
  type OperativeMachineContext,
  type OperativeMachineEvent,
} from '../../../src/machines/operative.ts';
import { serviceLogic } from '../../../src/machines/service.ts';
import { standardCharts } from '../../../src/runtime/charts.ts';
import { createEngine } from '../../../src/runtime/engine.ts';
import type { OpenQuestion } from '../../../src/runtime/open-question.ts';
import { ConversationScope } from '../../../src/runtime/operative-scope.ts';
import { createSession } from '../../../src/runtime/session.ts';
import { Ticket } from '../../../src/runtime/ticket.ts';
import { reload } from '../../../src/services/reload.ts';
import { scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../../src/testing/index.ts';
import { answerAll, linesOf, logOf, readAll, startOperative, type OperativeSetup } from './operative-bench.ts';

async function compacting({ reloads = false } = {}) {
  const host = simulatedHost();
  const conversation = createConversation({ messages: [userMessage('old', { id: 'old' })] });
  const engine = createEngine({ transformers: [], model: scriptedModel(answerAll, { host }), host });
  const events: OperativeEvent[] = [];
  const answers: unknown[] = [];
  let settle: (facts: CompactFacts) => void = () => undefined;
  let isAbandoned = false;
  const compact = serviceLogic<unknown, CompactFacts>((_scope, service) => {
    settle = service.settle;
    return () => (isAbandoned = true);
  });
  const scope: ConversationScope = new ConversationScope(
    { engine, ...(reloads ? { reloadBeforeStart: () => conversation } : {}) },
    {
      conversation,
      session: createSession(host),
      host,
      onListenerError: () => undefined,
      watch: undefined,
      notify: () => actor.send({ type: 'turn.sealed' }),
    },
  );
  scope.hub.subscribe((event) => events.push(event));
  const logic = chartLogic<OperativeMachineEvent, OperativeMachineContext, undefined>(
    operativeChart,
    { turn: () => standardCharts.turn, reload, compact },
    { services: 'actors' },
  );
  const actor = createActor(logic, { input: { scope, reloads, startsLate: false } });
  actor.subscribe(() => scope.afterStep());
  actor.start();
  /** `isPossible`: there is something to compact, or to answer. */
  const ask = (kind: OpenQuestion['kind'], isPossible = true): void => {
    const question: OpenQuestion = {
      kind,
      answer: (value) =>
        answers.push(
          `${kind}: ${typeof value === 'object' ? ('outcome' in value ? value.outcome : value.reason) : value}`,
        ),
      refuse: ({ code }) => answers.push(`${kind}: ${code}`),
    };
    const events: Readonly<Record<OpenQuestion['kind'], OperativeMachineEvent>> = {
      compact: { type: 'operative.compact', possible: isPossible, question },
      resume: { type: 'turn.resume', answerable: isPossible, question },
      cancel: {
        type: 'turn.cancel',
        question,
        get holds() {
          return scope.ledger.queued > 0;
        },
      },
      close: { type: 'operative.close', question },
    };
    actor.send(events[kind]);
  };
  ask('compact');
  expect(actor.getSnapshot().value).toEqual({ compacting: 'free' });
  return {
    ask,
    answers,
    conversation,
    log: () => logOf(events),
    lines: () => linesOf(conversation.messages),
    isAbandoned: () => isAbandoned,
    compacted: (gained = true) => settle({ gained }),
    submit(id: string, policy: SubmitPolicy) {
      const sent: { decision?: SubmitOutcome; delivery?: Delivery } = {};
      const submission = new Ticket(userMessage(id, { id }), undefined);
      submission.onDecision((decision) => (sent.decision = decision));
      void submission.delivery.then((delivery) => (sent.delivery = delivery));
      scope.ledger.note(submission);
      actor.send({ type: 'message.submit', policy, submission });
      return () => `${sent.decision?.outcome} ${sent.delivery?.status}`;
    },
    async rest() {
      await host.advance(10_000);
      expect(['idle', 'closed']).toContain(actor.getSnapshot().value);
      verifyEvents(events);
      verifyTranscript(conversation);
    },
  };
}

describe('a submit while compacting', () => {
  test.each([
    ['steer', 'startedTurn answered'],
    ['queue', 'startedTurn answered'],
    ['preempt', 'startedTurn answered'],
    ['reject', 'rejected rejected'],
  ] as const)('by %s: %s, once the compaction has ended', async (policy, fate) => {
    const bench = await compacting();
    const fateOf = bench.submit('M', policy);
    expect(bench.lines()).toEqual(['user old']);
    bench.compacted();
    await bench.rest();
    expect(fateOf()).toBe(fate);
  });

  test('a second one joins the turn that is claimed', async () => {
    const bench = await compacting();
    const fates = [bench.submit('A', 'steer'), bench.submit('B', 'steer')];
    bench.compacted();
    await bench.rest();
    expect(fates.map((fateOf) => fateOf())).toEqual(['startedTurn answered', 'injected answered']);
    expect(bench.log().filter((line) => line === 'turn.started')).toHaveLength(1);
  });

  test.each([
    ['queue', 'queued answered', ['turn.started', 'turn.started']],
    ['reject', 'rejected rejected', ['turn.started']],
    ['preempt', 'startedTurn answered', ['turn.started', 'turn.started']],
  ] as const)('a second one by %s finds a claimed turn: %s', async (policy, fate, turns) => {
    const bench = await compacting();
    const first = bench.submit('A', 'steer');
    const second = bench.submit('B', policy);
    bench.compacted();
    await bench.rest();
    expect(first()).toBe('startedTurn answered');
    expect(second()).toBe(fate);
    expect(bench.log().filter((line) => line === 'turn.started')).toEqual(turns);
  });

  test('held for the next turn starts it also when the claimed one is cancelled', async () => {
    const bench = await compacting();
    bench.submit('A', 'steer');
    const second = bench.submit('B', 'queue');
    bench.ask('cancel');
    expect(bench.isAbandoned()).toBe(false);
    bench.compacted();
    await bench.rest();
    expect(bench.answers).toEqual(['cancel: aborted', 'compact: true']);
    expect(second()).toBe('queued answered');
  });

  test('starts a turn that reloads where the operative reloads', async () => {
    const bench = await compacting({ reloads: true });
    const fateOf = bench.submit('A', 'steer');
    bench.compacted();
    await bench.rest();
    expect(fateOf()).toBe('startedTurn answered');
    expect(bench.log()).toContain('reloaded 1');
  });
});

describe('a compaction', () => {
  test('ends in idle and answers who asked', async () => {
    for (const gained of [true, false]) {
      const bench = await compacting();
      bench.compacted(gained);
      await bench.rest();
      expect(bench.answers).toEqual([`compact: ${gained}`]);
      expect(bench.log()).toEqual([]);
    }
  });

  test('is one at a time', async () => {
    const bench = await compacting();
    bench.ask('compact');
    expect(bench.answers).toEqual(['compact: false']);
    bench.compacted(false);
    await bench.rest();
  });

  test('is given up by cancel, together with the turn that was claimed', async () => {
    const bench = await compacting();
    const fateOf = bench.submit('A', 'steer');
    bench.ask('cancel');
    await bench.rest();
    expect(bench.isAbandoned()).toBe(true);
    expect(bench.answers).toEqual(['compact: false', 'cancel: aborted']);
    expect(fateOf()).toBe('startedTurn queued');
    expect(bench.lines()).toEqual(['user old', 'user A']);
  });

  test('is given up by cancel where no turn was claimed', async () => {
    const bench = await compacting();
    bench.ask('cancel');
    await bench.rest();
    expect(bench.answers).toEqual(['compact: false', 'cancel: undefined']);
  });

  test('is given up by close', async () => {
    const bench = await compacting();
    const fateOf = bench.submit('A', 'steer');
    bench.ask('close');
    await bench.rest();
    expect(bench.answers).toEqual(['compact: false', 'close: undefined']);
    expect(fateOf()).toBe('startedTurn queued');
    expect(bench.log().slice(-2)).toEqual(['completed aborted', 'operative.closed']);
  });

  test('lets a resume claim a turn that starts when it ends', async () => {
    const bench = await compacting();
    bench.ask('resume');
    bench.compacted();
    await bench.rest();
    expect(bench.answers).toEqual(['resume: startedTurn', 'compact: true']);
    expect(bench.lines()).toEqual(['user old', 'assistant read 1']);
  });

  test('lets a resume join the turn that a submit has claimed', async () => {
    const bench = await compacting();
    bench.submit('A', 'steer');
    bench.ask('resume');
    bench.compacted();
    await bench.rest();
    expect(bench.answers).toEqual(['resume: alreadyRunning', 'compact: true']);
  });

  test('declines a resume with nothing to answer', async () => {
    const bench = await compacting();
    bench.ask('resume', false);
    bench.compacted();
    await bench.rest();
    expect(bench.answers).toEqual(['resume: nothingToDo', 'compact: true']);
  });
});

describe('while a transformer compacts', () => {
  function compactingLife(own: OperativeSetup['own'] = {}, messages: readonly Message[] = [userMessage('old')]) {
    const settle: ((view: View | undefined) => void)[] = [];
    const transformers: Transformer[] = [
      { name: 'compactor', compact: () => new Promise((resolve) => void settle.push(resolve)) },
    ];
    const conversation = createConversation({ messages });
    const bench = startOperative({ transformers, conversation, own: own ?? {} });
    const boundary: Message = {
      id: 'b',
      role: 'user',
      content: [{ type: 'boundary', summary: 'so far', keepFrom: messages.at(-1)?.id ?? '' }],
    };
    const compacted = bench.operative.compact();
    expect(bench.operative.state).toBe('compacting');
    return {
      bench,
      compacted,
      gain: () => settle[0]?.({ append: [boundary] }),
      findNothing: () => settle[0]?.(undefined),
      fail: () => settle[0]?.(7 as never),
    };
  }

  test('a turn is claimed: its listeners find it begun', async () => {
    const { bench, gain } = compactingLife();
    const heard: string[] = [];
    bench.operative.subscribe(({ type }) => heard.push(`${type} ${bench.operative.state}`));
    void bench.submit('A');
    gain();
    await bench.rest();
    expect(heard.slice(0, 2)).toEqual(['message.appended compacting', 'turn.started running']);
  });

  test('a claim that is given up puts its message there, and costs the compaction nothing', async () => {
    const { bench, compacted, gain } = compactingLife();
    void bench.submit('A');
    void bench.submit('B', { policy: 'preempt' });
    gain();
    expect(await compacted).toBe(true);
    await bench.rest();
    expect(bench.lines().slice(0, 2)).toEqual(['user old', 'user A']);
    expect(bench.conversation.messages[2]?.id).toBe('b');
    expect(bench.events.map(({ type }) => type)).not.toContain('transformer.failed');
  });

  test('a compaction that fails is told with its stage, in sentences that end once', async () => {
    const failing = {
      name: 'bad',
      compact: () => {
        throw new Error('It broke.');
      },
    };
    const bench = startOperative({ transformers: [failing] });
    expect(await bench.operative.compact()).toBe(false);
    await bench.rest();
    expect(bench.events).toMatchObject([
      {
        type: 'transformer.failed',
        stage: 'compact',
        error: { message: 'The transformer "bad" (compact) failed: It broke. Nothing was compacted.' },
      },
    ]);
  });

  test('messages of a claim that was given up are not a gain', async () => {
    const { bench, compacted, findNothing } = compactingLife();
    void bench.submit('A');
    void bench.submit('B', { policy: 'preempt' });
    findNothing();
    expect(await compacted).toBe(false);
    await bench.rest();
  });

  test('messages of a claim that was given up are no change by a compaction that fails', async () => {
    const { bench, compacted, fail } = compactingLife();
    void bench.submit('A');
    void bench.submit('B', { policy: 'preempt' });
    fail();
    expect(await compacted).toBe(false);
    await bench.rest();
    expect(bench.log()).toContain('transformer.failed');
    expect(bench.log()).not.toContain('transcript.replaced');
  });

  test('a resume waits for the reload, which alone knows whether there is anything to do', async () => {
    const stored = createConversation({ messages: [userMessage('old', { id: 'old' }), userMessage('new')] });
    const messages = [userMessage('old', { id: 'old' }), assistantMessage('done')];
    const { bench, gain } = compactingLife({ reloadBeforeStart: () => stored }, messages);
    const resumed = bench.operative.resume();
    gain();
    expect((await resumed).outcome).toBe('startedTurn');
    await bench.rest();
  });

  test.each(['steer', 'queue'] as const)(
    'a message by %s makes a turn of a resume, whatever the reload brings',
    async (policy) => {
      const messages = [userMessage('old', { id: 'old' }), assistantMessage('done', { id: 'done' })];
      const stored = createConversation({ messages });
      const { bench, gain } = compactingLife({ reloadBeforeStart: () => stored }, messages);
      const resumed = bench.operative.resume();
      void bench.submit('M', { policy });
      gain();
      expect((await resumed).outcome).toBe('startedTurn');
      await bench.rest();
      expect(bench.fates()).toEqual([policy === 'steer' ? 'injected answered' : 'queued answered']);
    },
  );

  test('the events of a turn that is claimed begin with its start, whatever is held meanwhile', async () => {
    const { bench, gain } = compactingLife();
    const { events } = await bench.operative.submit('A');
    const read = readAll(events);
    await bench.operative.submit(userMessage('B', { id: 'B' }), { policy: 'queue' });
    expect(bench.operative.withdraw('B')).toBe(true);
    gain();
    await bench.rest();
    expect(read.events[0]?.type).toBe('turn.started');
    expect(bench.log().filter((line) => /queued|withdrawn|turn.started/.test(line))).toEqual([
      'queued B',
      'withdrawn B',
      'turn.started',
    ]);
  });

  test('a cut answer stays answerable after the compaction', async () => {
    const messages = [userMessage('old'), assistantMessage('half an ans', { meta: { cut: 'aborted' } })];
    const { bench, compacted, gain } = compactingLife({}, messages);
    gain();
    await compacted;
    const stored = createConversation({ messages: [...bench.conversation.messages] });
    await bench.operative.close();
    const next = startOperative({ conversation: stored });
    expect(next.operative.can('resume')).toEqual({ allowed: true });
    expect((await next.operative.resume()).outcome).toBe('startedTurn');
    await next.rest();
  });
});
