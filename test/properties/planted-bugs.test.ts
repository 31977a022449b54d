// The net itself: small bugs planted into the runtime are found by the property tests, and the counterexamples are
// short.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../src/conversation/message.ts';
import { EventHub } from '../../src/runtime/event-hub.ts';
import { Ledger, SteerLedger } from '../../src/runtime/ledger.ts';
import { ConversationScope } from '../../src/runtime/operative-scope.ts';
import { Ticket } from '../../src/runtime/ticket.ts';
import { Fold } from '../../src/services/fold.ts';
import { TurnRecord } from '../../src/services/turn-record.ts';
import { livesProperty } from './check-lives.ts';
import { turnsProperty } from './check-turns.ts';
import { lifeCommands } from './life-commands.ts';
import { Tally } from './tally.ts';

// A method with its `this` in front; `original` is called the same way.
type Broken = (original: (...given: any[]) => any, self: any, ...given: any[]) => unknown;

/** A bug: a method that does something else. */
interface Bug {
  readonly name: string;
  readonly in: 'turn' | 'operative';
  readonly owner: object;
  readonly method: string;
  readonly broken: Broken;
  /** Found within this many runs. */
  readonly within: number;
  /** With no more commands left than this. */
  readonly commands: number;
}

const bugs: readonly Bug[] = [
  {
    name: 'a bare turn loses one of several steers it drains',
    in: 'turn',
    owner: SteerLedger.prototype,
    method: 'drain',
    broken: (drain) => {
      const drained = drain();
      return drained.length > 1 ? drained.slice(1) : drained;
    },
    within: 1_000,
    commands: 4,
  },
  {
    name: 'a bare turn takes steers after it is sealed',
    in: 'turn',
    owner: TurnRecord.prototype,
    method: 'seal',
    broken: () => undefined,
    within: 200,
    commands: 3,
  },
  {
    name: 'a cancel leaves calls without results and drops what was said',
    in: 'turn',
    owner: TurnRecord.prototype,
    method: 'land',
    broken: () => undefined,
    within: 500,
    commands: 3,
  },
  {
    name: 'a cancelled answer keeps its calls',
    in: 'turn',
    owner: Fold.prototype,
    method: 'partial',
    broken: (_partial, fold: Fold, cut: string) => ({ ...fold.message(), meta: { cut } }),
    within: 500,
    commands: 3,
  },
  {
    name: 'a result stands twice',
    in: 'turn',
    owner: TurnRecord.prototype,
    method: 'settleResults',
    broken: (settle, _record, content: Message['content']) => settle([...content, ...content.slice(0, 1)]),
    within: 200,
    commands: 2,
  },
  {
    name: 'an interrupted call is said not to have started',
    in: 'turn',
    owner: TurnRecord.prototype,
    method: 'settleResults',
    broken: (settle, _record, content: Message['content']) =>
      settle(
        content.map((block) =>
          block.type === 'toolResult' && block.status === 'interrupted' ? { ...block, status: 'notStarted' } : block,
        ),
      ),
    within: 1_000,
    commands: 3,
  },
  {
    name: 'a drained steer is lost',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'drain',
    broken: (drain, _ledger, iteration: number) => drain(iteration).slice(1),
    within: 1_000,
    commands: 4,
  },
  {
    name: 'a late message is forgotten',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'end',
    broken: (end) => {
      const ended = end();
      return { ...ended, landed: ended.landed.slice(1) };
    },
    within: 300,
    commands: 4,
  },
  {
    name: 'late messages land in the wrong order',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'end',
    broken: (end) => {
      const ended = end();
      return { ...ended, landed: ended.landed.toReversed() };
    },
    within: 500,
    commands: 5,
  },
  {
    name: 'a late message is decided as injected',
    in: 'operative',
    owner: ConversationScope.prototype,
    method: 'keepLate',
    broken: (_keepLate, scope: ConversationScope, ticket: Ticket) => scope.steer(ticket),
    within: 1_000,
    commands: 5,
  },
  {
    name: 'a fate is never told',
    in: 'operative',
    owner: Ticket.prototype,
    method: 'deliver',
    broken: (deliver, _ticket, delivery: { readonly status: string }) =>
      delivery.status === 'unanswered' ? undefined : deliver(delivery),
    within: 200,
    commands: 3,
  },
  {
    name: 'an answer does not count for what it answered',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'answered',
    broken: () => undefined,
    within: 200,
    commands: 3,
  },
  {
    name: 'the end is told before the state is left',
    in: 'operative',
    owner: EventHub.prototype,
    method: 'hold',
    broken: () => undefined,
    within: 200,
    commands: 2,
  },
  {
    name: 'two events of one fact are told apart',
    in: 'operative',
    owner: EventHub.prototype,
    method: 'together',
    broken: (_together, _hub, work: () => void) => work(),
    within: 2_000,
    commands: 5,
  },
  {
    name: 'a reload loses what waited for an answer',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'outstanding',
    broken: () => [],
    within: 2_000,
    commands: 8,
  },
  {
    name: 'what a store has already is appended again',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'noteStored',
    broken: () => undefined,
    within: 1_000,
    commands: 3,
  },
  {
    name: 'an id is accepted twice',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'known',
    broken: () => undefined,
    within: 200,
    commands: 3,
  },
  {
    name: 'a withdrawn message is drained all the same',
    in: 'operative',
    owner: Ledger.prototype,
    method: 'withdraw',
    broken: (withdraw, ledger: Ledger, id: string) => {
      const ticket = withdraw(id);
      if (ticket !== undefined) ledger.steer(ticket);
      return ticket;
    },
    within: 1_000,
    commands: 4,
  },
  {
    name: 'a turn that is claimed during a compaction is told in the middle of it',
    in: 'operative',
    owner: ConversationScope.prototype,
    method: 'beginCompact',
    broken: () => undefined,
    within: 300,
    commands: 2,
  },
  {
    name: 'a compaction that is given up answers nobody',
    in: 'operative',
    owner: ConversationScope.prototype,
    method: 'abandonCompact',
    broken: () => undefined,
    within: 1_000,
    commands: 3,
  },
  {
    name: 'the turn that a compaction held up is told before it has begun',
    in: 'operative',
    owner: ConversationScope.prototype,
    method: 'endCompact',
    broken: (endCompact, scope: ConversationScope, gained: boolean) => {
      const { hub } = scope;
      hub.hold = () => undefined;
      endCompact(gained);
      Reflect.deleteProperty(hub, 'hold');
    },
    within: 2_000,
    commands: 4,
  },
  {
    name: 'a cancel forgets the preempts that wait',
    in: 'operative',
    owner: ConversationScope.prototype,
    method: 'demotePreempts',
    broken: () => undefined,
    within: 2_000,
    commands: 5,
  },
];

function plant({ owner, method, broken }: Bug): () => void {
  const original = Reflect.get(owner, method) as (...given: unknown[]) => unknown;
  Reflect.set(owner, method, function (this: unknown, ...given: unknown[]) {
    return broken((...passed) => original.apply(this, passed), this, ...given);
  });
  return () => void Reflect.set(owner, method, original);
}

const properties = {
  turn: () => turnsProperty(new Tally()) as fc.IAsyncProperty<unknown>,
  operative: () => livesProperty(lifeCommands, new Tally()) as fc.IAsyncProperty<unknown>,
};

for (const bug of bugs) {
  test(`found: ${bug.name}`, { timeout: 120_000 }, async () => {
    const takeOut = plant(bug);
    try {
      const found = await fc.check(properties[bug.in](), { numRuns: bug.within, seed: 42 });
      const counterexample = found.counterexample as readonly [unknown, Iterable<unknown>] | null;
      const program = counterexample === null ? [] : [...counterexample[1]];
      expect(found.failed).toBe(true);
      console.log(`${bug.name}: run ${found.numRuns}, ${program.length} commands: ${program.join('; ')}`);
      expect(program.length).toBeLessThanOrEqual(bug.commands);
    } finally {
      takeOut();
    }
  });
}
