// The real side of a bare turn, and programs for it.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TurnRun } from '../../src/contracts/engine.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { arbitraryMoves } from './arbitrary-moves.ts';
import { GatedWorld, logOf, shapeOf } from './gated-world.ts';
import type { ModelMove } from './reference-model-end.ts';
import type { RunAction } from './reference-run.ts';
import { commandsOf, type RealSide } from './side-by-side.ts';
import type { TurnSetup } from './world-terms.ts';

/** A bare turn in a gated world. */
export class RealTurn implements RealSide<RunAction> {
  readonly world: GatedWorld;
  readonly conversation = createConversation({ messages: [userMessage('first', { id: 'first' })] });
  readonly run: TurnRun;
  readonly events: EngineEvent[] = [];
  readonly answers: string[] = [];
  end: { readonly reason: string } | undefined;
  readonly #armed = new Map<string, RunAction>();
  #isRead = false;

  constructor(setup: TurnSetup) {
    this.world = new GatedWorld(setup);
    this.run = this.world.engine.run(this.conversation);
    this.world.onHit = (place) => {
      const action = this.#armed.get(place);
      this.#armed.delete(place);
      if (action !== undefined) this.act(action);
    };
    void this.#read();
    void this.run.result.then((result) => {
      const { reason, iterations, message, error, undrained } = result;
      this.end = {
        reason,
        iterations,
        message: message === undefined ? undefined : shapeOf(message),
        error: error?.code,
        undrained: undrained?.map(({ id }) => id) ?? [],
      } as { readonly reason: string };
    });
  }

  act(action: RunAction): void {
    if (action.do === 'cancel') {
      void this.run.cancel(action.graceMs === undefined ? {} : { graceMs: action.graceMs });
      return;
    }
    this.answers.push(`${action.id} ${this.run.steer(userMessage('more', { id: action.id }))}`);
  }

  arm(place: string, action: RunAction): void {
    this.#armed.set(place, action);
  }

  move(move: ModelMove): void {
    this.world.move(move);
  }

  advance(ms: number): Promise<void> {
    return this.world.host.advance(ms);
  }

  async look(): Promise<unknown> {
    await this.world.host.settle();
    assert.deepEqual(this.world.faults, []);
    verifyEvents(this.events, { complete: this.end !== undefined });
    if (this.end !== undefined) verifyTranscript(this.conversation);
    assert.equal(this.#isRead, this.end !== undefined);
    return {
      transcript: this.conversation.messages.map(shapeOf),
      requests: this.world.requests,
      events: this.events.flatMap((event) => logOf(event) ?? []),
      answers: this.answers,
      end: this.end,
    };
  }

  async #read(): Promise<void> {
    for await (const event of this.run) this.events.push(event);
    this.#isRead = true;
  }
}

const actions: fc.Arbitrary<RunAction> = fc.oneof(
  {
    arbitrary: fc.record({ do: fc.constant('steer' as const), id: fc.constantFrom('s1', 's2', 's3', 's4') }),
    weight: 9,
  },
  {
    arbitrary: fc.record({ do: fc.constant('cancel' as const), graceMs: fc.constantFrom(undefined, 0, 40, 150) }),
    weight: 1,
  },
);

/** Commands for a bare turn. */
export const turnCommands = commandsOf(arbitraryMoves, actions, ['tool', 'transformer', 'approval', 'model']);
