import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/contracts/operative.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { Ledger, SteerLedger } from '../../src/runtime/ledger.ts';
import { Ticket } from '../../src/runtime/ticket.ts';

const newTicket = (id: string, turnContext?: unknown) => new Ticket(userMessage(id, { id }), turnContext);
const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);
const fate = (of: Ticket): Promise<Delivery | 'open'> => Promise.race([of.delivery, Promise.resolve('open' as const)]);

describe('the ledger of an operative', () => {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = new Ledger((message) => ({ ...message, meta: { frame: 0 } }));
  });
  const ticket = (id: string, turnContext?: unknown): Ticket => {
    const noted = newTicket(id, turnContext);
    ledger.note(noted);
    return noted;
  };

  test('drains steers once, in order, framed', () => {
    ledger.start(ticket('A'));
    ledger.begin('turn');
    ledger.steer(ticket('B'));
    ledger.steer(ticket('C'));
    expect(ledger.pending).toBe(2);
    const drained = ledger.drain(2);
    expect(ids(drained)).toEqual(['B', 'C']);
    expect(drained[0]?.meta).toEqual({ frame: 0 });
    expect([ledger.pending, ids(ledger.drain(3))]).toEqual([0, []]);
  });

  test('begin hands out the starters, unframed', () => {
    ledger.start(ticket('A'));
    expect(ledger.begin('turn')).toEqual([userMessage('A', { id: 'A' })]);
    expect(ledger.begin('turn')).toEqual([]);
  });

  test('notices come before what starts a turn, and wait for one that begins', async () => {
    ledger.announce(userMessage('N', { id: 'N' }));
    ledger.start(ticket('A'));
    expect([ledger.pending, ledger.queued, ledger.has('N')]).toEqual([0, 0, true]);
    expect(ids(ledger.end().landed)).toEqual(['A']);
    ledger.startWaiting();
    expect(ids(ledger.begin('turn'))).toEqual(['N']);
    ledger.answered(1);
    expect(ledger.known('N')?.outcome).toEqual({ outcome: 'queued' });
    expect(await ledger.known('N')?.delivery).toMatchObject({ status: 'answered' });
  });

  test('an answer resolves the delivery of everything asked as answered', async () => {
    const [first, second, waiting] = [ticket('A'), ticket('B'), ticket('C')];
    ledger.start(first);
    ledger.begin('turn');
    ledger.steer(second);
    ledger.drain(2);
    ledger.steer(waiting);
    ledger.answered(2);
    expect(await fate(first)).toEqual({ status: 'answered', turnId: 'turn', iteration: 2 });
    expect(await fate(second)).toEqual({ status: 'answered', turnId: 'turn', iteration: 2 });
    expect(await fate(waiting)).toBe('open');
  });

  test('the end resolves what was asked without an answer as unanswered, and owes it', async () => {
    const asked = ticket('A');
    ledger.start(asked);
    ledger.begin('turn');
    ledger.end();
    expect(await fate(asked)).toEqual({ status: 'unanswered', turnId: 'turn', iteration: 0 });
    expect([ledger.owes, ids(ledger.outstanding())]).toEqual([true, ['A']]);
  });

  test('the end merges late and held messages by acceptance, and calls only steers late', () => {
    ledger.steer(ticket('L1'));
    ledger.hold(ticket('Q'));
    ledger.steer(ticket('L2'));
    const { landed, late } = ledger.end();
    expect([ids(landed), ids(late)]).toEqual([
      ['L1', 'Q', 'L2'],
      ['L1', 'L2'],
    ]);
    expect([ledger.pending, ledger.queued]).toEqual([0, 0]);
  });

  test('what landed is queued once nothing takes it along', async () => {
    const late = ticket('L');
    ledger.steer(late);
    ledger.end();
    expect(await fate(late)).toBe('open');
    ledger.rest();
    expect(await fate(late)).toEqual({ status: 'queued' });
    expect(ids(ledger.outstanding())).toEqual(['L']);
  });

  test('what landed is part of the next turn and not appended again', async () => {
    const late = ticket('L');
    ledger.steer(late);
    ledger.end();
    ledger.preempt(ticket('P'));
    ledger.startWaiting();
    expect(ids(ledger.begin('next'))).toEqual(['P']);
    ledger.answered(1);
    expect(await fate(late)).toMatchObject({ status: 'answered', turnId: 'next' });
  });

  test.each([
    ['a preempt', ['late', 'held', 'preempt'], 'preempt'],
    ['a held message', ['late', 'held'], 'held'],
    ['a late message', ['late'], 'late'],
  ] as const)('the next turn has the context of %s', (_name, lanes, context) => {
    if (lanes[0] === 'late') ledger.steer(ticket('L', 'late'));
    if (lanes[1] === 'held') ledger.hold(ticket('Q', 'held'));
    if (lanes[2] === 'preempt') ledger.preempt(ticket('P', 'preempt'));
    ledger.end();
    expect(ledger.startWaiting().turnContext).toBe(context);
  });

  test('a claim that ends before its turn lands its starters first', () => {
    ledger.start(ticket('A'));
    ledger.steer(ticket('S'));
    const { landed, late } = ledger.end();
    expect([ids(landed), ids(late)]).toEqual([
      ['A', 'S'],
      ['A', 'S'],
    ]);
  });

  test('withdraw takes steers and held messages that wait, and nothing else', () => {
    ledger.start(ticket('A'));
    ledger.begin('turn');
    ledger.steer(ticket('drained'));
    ledger.drain(2);
    ledger.steer(ticket('S'));
    ledger.hold(ticket('Q'));
    ledger.preempt(ticket('P'));
    const taken = ['A', 'drained', 'S', 'Q', 'P', 'none'].filter((id) => ledger.withdraw(id) !== undefined);
    expect(taken).toEqual(['S', 'Q']);
    expect([ledger.pending, ledger.queued]).toEqual([0, 0]);
  });

  test('what a reload brought is drained but not handed out, and cannot be withdrawn', () => {
    ledger.start(ticket('A'));
    ledger.steer(ticket('S'));
    ledger.hold(ticket('Q'));
    ledger.noteStored(new Set(['A', 'S', 'Q']));
    expect(['S', 'Q'].map((id) => ledger.withdraw(id))).toEqual([undefined, undefined]);
    expect([ids(ledger.begin('turn')), ids(ledger.drain(2)), ids(ledger.end().landed)]).toEqual([[], [], []]);
  });

  test('what the next reload lacks is handed out again', () => {
    ledger.start(ticket('A'));
    ledger.noteStored(new Set(['A']));
    ledger.noteStored(new Set());
    expect(ids(ledger.begin('turn'))).toEqual(['A']);
  });

  test('waiting preempts are taken once', () => {
    ledger.preempt(ticket('P'));
    expect([ledger.takePreempts().length, ledger.takePreempts().length]).toEqual([1, 0]);
    ledger.preempt(ticket('P2'));
    expect([ledger.startWaiting().preempts.length, ledger.startWaiting().preempts.length]).toEqual([1, 0]);
  });

  test('what a turn took along and answered is owed no more', () => {
    ledger.start(ticket('A'));
    ledger.begin('first');
    ledger.steer(ticket('L'));
    ledger.end();
    ledger.startWaiting();
    ledger.begin('next');
    ledger.answered(1);
    ledger.end();
    ledger.rest();
    expect([ledger.owes, ids(ledger.outstanding())]).toEqual([false, []]);
  });

  test('what is owed is owed once, however often turns end', () => {
    ledger.start(ticket('A'));
    ledger.begin('turn');
    ledger.steer(ticket('L'));
    for (let times = 0; times < 2; times++) {
      ledger.end();
      ledger.rest();
    }
    expect(ids(ledger.outstanding())).toEqual(['A', 'L']);
  });

  test('a late message is announced once', () => {
    ledger.steer(ticket('L'));
    expect(ids(ledger.end().late)).toEqual(['L']);
    ledger.startWaiting();
    expect(ids(ledger.end().late)).toEqual([]);
  });

  test.each(['answered', 'unanswered', 'queued', 'withdrawn'] as const)(
    'of a message that is told %s it remembers where it went, and not what it said',
    async (status) => {
      const told = ticket('A', { heavy: true });
      if (status === 'answered' || status === 'unanswered') ledger.start(told);
      else ledger.steer(told);
      told.decide({ outcome: 'startedTurn', turnId: 'turn' });
      ledger.begin('turn');
      if (status === 'answered') ledger.answered(3);
      if (status === 'withdrawn') ledger.withdraw('A');
      ledger.end();
      ledger.rest();
      const known = ledger.known('A');
      expect(known).not.toBe(told);
      expect([known?.message.content, known?.turnContext]).toEqual([[], undefined]);
      expect(known?.outcome).toEqual(told.outcome);
      expect(await known?.delivery).toEqual(await told.delivery);
      expect(await told.delivery).toMatchObject({ status });
      expect(ledger.withdraw('A')).toBeUndefined();
    },
  );

  test('knows a submission from the moment it is noted until it is refused', () => {
    const [first, other] = [newTicket('A'), newTicket('A')];
    ledger.note(first);
    expect(ledger.known('A')).toBe(first);
    ledger.forget(first);
    expect(ledger.known('A')).toBeUndefined();
    ledger.note(other);
    expect(ledger.known('A')).toBe(other);
  });
});

describe('a ticket', () => {
  test('its first fate counts', async () => {
    const one = newTicket('A');
    one.deliver({ status: 'queued' });
    one.deliver({ status: 'withdrawn' });
    expect(await one.delivery).toEqual({ status: 'queued' });
  });

  test('reports the decision once to everyone, also to those who ask later', () => {
    const one = newTicket('A');
    const heard: unknown[] = [];
    one.onDecision(({ outcome }) => heard.push(outcome));
    one.onDecision(({ outcome }) => heard.push(outcome));
    expect(heard).toEqual([]);
    one.decide({ outcome: 'queued' });
    expect(heard).toEqual(['queued', 'queued']);
    one.onDecision(({ outcome }) => heard.push(outcome));
    expect(heard).toEqual(['queued', 'queued', 'queued']);
  });
});

describe('the ledger of a bare run', () => {
  test('drains each accepted message once, in order', () => {
    const ledger = new SteerLedger();
    for (const id of ['A', 'B']) ledger.accept(userMessage(id, { id }));
    expect([ledger.pending, ids(ledger.drain()), ids(ledger.drain())]).toEqual([2, ['A', 'B'], []]);
  });

  test('remembers ids of drained messages', () => {
    const ledger = new SteerLedger();
    ledger.accept(userMessage('A', { id: 'A' }));
    ledger.drain();
    expect([ledger.has('A'), ledger.has('B')]).toEqual([true, false]);
  });
});
