// The real side of an operative's life, and programs for it.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTurnchartError } from '../../src/contracts/errors.ts';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Operative, OperativeOptions } from '../../src/contracts/operative.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { createOperative } from '../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { arbitraryMoves, arbitrarySetups } from './arbitrary-moves.ts';
import { GatedWorld, logOf, shapeOf } from './gated-world.ts';
import type { ModelMove } from './reference-model-end.ts';
import { storedBy, type LifeAction, type LifeSetup } from './reference-operative.ts';
import { commandsOf, type RealSide } from './side-by-side.ts';
import type { Release } from './world-terms.ts';

interface SeenCall {
  readonly id: string;
  outcome: string | undefined;
  delivery: string | undefined;
  events: string[] | undefined;
}

interface SeenResume {
  answer: string | undefined;
  events: string[] | undefined;
}

const submitted = (id: string) => userMessage('more', { id });

const hostile = {
  blank: ' ',
  empty: { id: 'empty', role: 'user', content: [] },
  answer: { id: 'answer', role: 'assistant', content: [{ type: 'text', text: 'not yours' }] },
  result: {
    id: 'result',
    role: 'user',
    content: [{ type: 'toolResult', callId: 'c', status: 'completed', content: [] }],
  },
} as const satisfies Record<string, string | Message>;

/** An operative in a gated world. */
export class RealLife implements RealSide<LifeAction> {
  readonly world: GatedWorld;
  readonly conversation = createConversation();
  readonly operative: Operative;
  readonly events: OperativeEvent[] = [];
  readonly heard: string[] = [];
  readonly calls: SeenCall[] = [];
  readonly resumes: SeenResume[] = [];
  readonly cancels: (string | undefined)[] = [];
  readonly withdrawals: boolean[] = [];
  readonly compactions: string[] = [];
  /** Turns that were claimed while the transcript was compacted. */
  claimed = 0;
  readonly refusals: string[] = [];
  closed = 0;
  #loads = 0;
  readonly #armed = new Map<string, LifeAction>();
  readonly #reloads: ((how: Release, stored: readonly Message[]) => void)[] = [];

  constructor(life: LifeSetup) {
    this.world = new GatedWorld(life.turn);
    this.operative = createOperative({
      engine: () => {
        this.#hit('engine');
        return this.world.engine;
      },
      conversation: this.conversation,
      lateMessages: life.late,
      frameInjectedMessage: (message) => {
        this.#hit('frame');
        return { ...message, meta: { frame: 1 } };
      },
      ...(life.reload === 'none' ? {} : { reloadBeforeStart: () => this.#reload(life.reload) }),
    });
    this.world.onHit = (place) => this.#hit(place);
    this.operative.subscribe((event) => {
      this.events.push(event);
      const text = logOf(event);
      if (text !== undefined) this.heard.push(`${text} @${this.operative.state}`);
      if (text !== undefined) this.#hit(event.type);
    });
  }

  act(action: LifeAction): void {
    const { operative } = this;
    switch (action.do) {
      case 'submit':
        return void this.#submit(action.id, action.policy);
      case 'resume':
        return void this.#resume();
      case 'cancel': {
        const index = this.cancels.push(undefined) - 1;
        void operative.cancel(action.graceMs === undefined ? {} : { graceMs: action.graceMs }).then((result) => {
          this.cancels[index] = result?.reason ?? 'nothing';
        });
        return;
      }
      case 'withdraw':
        this.#withdraw(action.id);
        return;
      case 'compact':
        void operative.compact().then(
          (done) => this.compactions.push(String(done)),
          (error: unknown) => this.compactions.push(codeOf(error)),
        );
        return;
      case 'invalid':
        void operative.submit(hostile[action.kind]).catch((error: unknown) => this.refusals.push(codeOf(error)));
        return;
      case 'close':
        void operative.close().then(() => this.closed++);
    }
  }

  arm(place: string, action: LifeAction): void {
    this.#armed.set(place, action);
  }

  move(move: ModelMove, storedId: string | undefined): void {
    if (move.do !== 'release' || move.gate !== 'reload') return this.world.move(move);
    const waiting = storedId === undefined ? undefined : submitted(storedId);
    this.#reloads.shift()?.(move.how, storedBy(move.how, move.index, this.conversation.messages, waiting));
  }

  advance(ms: number): Promise<void> {
    return this.world.host.advance(ms);
  }

  async look(): Promise<unknown> {
    await this.world.host.settle();
    const { state } = this.operative;
    const isLive = state !== 'idle' && state !== 'closed';
    assert.deepEqual(this.world.faults, []);
    assert.ok(this.world.liveCalls() <= 1, 'one model call at a time');
    assert.deepEqual(repeated(this.conversation.messages), []);
    verifyEvents(this.events, { complete: !isLive });
    if (!isLive || state === 'reloading') verifyTranscript(this.conversation);
    return {
      state,
      transcript: this.conversation.messages.map(shapeOf),
      requests: this.world.requests,
      heard: this.heard,
      calls: this.calls,
      resumes: this.resumes,
      cancels: this.cancels,
      withdrawals: this.withdrawals,
      compactions: this.compactions,
      refusals: this.refusals,
      closed: this.closed,
    };
  }

  async #submit(id: string, policy: 'steer' | 'queue' | 'reject' | 'preempt'): Promise<void> {
    const call: SeenCall = { id, outcome: undefined, delivery: undefined, events: undefined };
    this.calls.push(call);
    const isCompacting = this.operative.state === 'compacting';
    const result = await this.operative.submit(submitted(id), { policy });
    if (isCompacting && result.outcome === 'startedTurn') this.claimed++;
    const more = 'turnId' in result ? ` ${this.#nameOf(result.turnId)}` : 'why' in result ? ` ${result.why}` : '';
    call.outcome = `${result.outcome}${more}`;
    call.events = [];
    void read(result.events, call.events);
    const delivery = await result.delivery;
    // In which iteration a message came that nobody answered is not predicted.
    const where = 'turnId' in delivery ? ` ${this.#nameOf(delivery.turnId)}` : '';
    call.delivery = `${delivery.status}${where}${delivery.status === 'answered' ? ` ${delivery.iteration}` : ''}`;
  }

  #withdraw(id: string): void {
    const index = this.withdrawals.push(false) - 1;
    this.withdrawals[index] = this.operative.withdraw(id);
  }

  async #resume(): Promise<void> {
    const call: SeenResume = { answer: undefined, events: undefined };
    this.resumes.push(call);
    try {
      const { outcome, events } = await this.operative.resume();
      call.answer = outcome;
      call.events = [];
      void read(events, call.events);
    } catch (error) {
      call.answer = codeOf(error);
    }
  }

  #reload(mode: LifeSetup['reload']): ReturnType<NonNullable<OperativeOptions['reloadBeforeStart']>> {
    this.#loads++;
    const isSync = mode === 'sync' || (mode === 'mixed' && this.#loads % 2 === 1);
    this.#hit('reload');
    if (isSync) return createConversation({ messages: this.conversation.messages });
    return new Promise((resolve, reject) => {
      this.#reloads.push((how, messages) =>
        how === 'throws' ? reject(new Error('no store')) : resolve(createConversation({ messages })),
      );
    });
  }

  // Turns are numbered as they start; one that was claimed during a compaction is the next to start.
  #nameOf(turnId: string): string {
    const turns = this.events.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []));
    const index = turns.indexOf(turnId);
    return `turn_${(index < 0 ? turns.length : index) + 1}`;
  }

  #hit(place: string): void {
    const action = this.#armed.get(place);
    this.#armed.delete(place);
    if (action !== undefined) this.act(action);
  }
}

async function read(events: AsyncIterable<OperativeEvent>, into: string[]): Promise<void> {
  for await (const event of events) into.push(...[logOf(event) ?? []].flat());
  into.push('end');
}

function repeated(messages: readonly Message[]): readonly string[] {
  const ids = messages.map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

function codeOf(error: unknown): string {
  return isTurnchartError(error) ? error.code : String(error);
}

const ids = fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9');

const actions: fc.Arbitrary<LifeAction> = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      id: ids,
      policy: fc.constantFrom('steer', 'steer', 'queue', 'reject', 'preempt'),
    }),
    weight: 24,
  },
  { arbitrary: fc.constant({ do: 'resume' as const }), weight: 3 },
  {
    arbitrary: fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(undefined, 0, 40, 150) }),
    weight: 3,
  },
  { arbitrary: fc.record({ do: fc.constant('withdraw' as const), id: ids }), weight: 4 },
  { arbitrary: fc.constant({ do: 'compact' as const }), weight: 4 },
  {
    arbitrary: fc.record({
      do: fc.constant('invalid' as const),
      kind: fc.constantFrom('blank', 'empty', 'answer', 'result'),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ do: 'close' as const }), weight: 1 },
);

const moves: fc.Arbitrary<ModelMove> = fc.oneof(
  { arbitrary: arbitraryMoves, weight: 6 },
  {
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      gate: fc.constant('reload' as const),
      index: fc.nat(3),
      how: fc.constantFrom('ok', 'ok', 'other', 'stored', 'throws'),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      gate: fc.constant('compact' as const),
      index: fc.nat(2),
      how: fc.constantFrom('ok', 'ok', 'other', 'throws'),
    }),
    weight: 1,
  },
);

/** Where user code runs. */
const codePlaces = ['tool', 'transformer', 'approval', 'model', 'reload', 'compact', 'engine', 'frame'] as const;

/** The events a listener may hear. */
export const eventPlaces = [
  'turn.started',
  'turn.reloaded',
  'message.appended',
  'message.injected',
  'message.queued',
  'message.withdrawn',
  'message.start',
  'text.delta',
  'message.end',
  'stream.retrying',
  'stream.reset',
  'assistant.settled',
  'toolCall.awaitingApproval',
  'toolCall.started',
  'toolResults.settled',
  'transcript.replaced',
  'transformer.applied',
  'transformer.failed',
  'turn.completed',
  'operative.closed',
] as const;

/** Commands for an operative that never come from inside anything. */
export const outerCommands = commandsOf(moves, actions, []);

/** Commands for an operative, also from inside listeners and user code. */
export const lifeCommands = commandsOf(moves, actions, [...codePlaces, ...eventPlaces]);

/** Operatives that differ in engine, storage and what they do with late messages. */
export const arbitraryLives: fc.Arbitrary<LifeSetup> = fc.record({
  turn: arbitrarySetups,
  reload: fc.constantFrom('none', 'none', 'none', 'sync', 'mixed', 'gated', 'gated'),
  late: fc.constantFrom('hold', 'start'),
});
