// An operative whose submissions are written down with outcome and fate, to compare them with what happened.

import assert from 'node:assert/strict';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Operative, OperativeOptions, SubmitPolicy, SubmitResult } from '../../src/contracts/operative.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { createOperative } from '../../src/index.ts';
import { verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import { GatedWorld } from './gated-world.ts';
import type { Tally } from './tally.ts';
import { expectToldTrue, type Told } from './told-fates.ts';
import { plain, type TurnSetup } from './world-terms.ts';

/** The operative, and the way to its end. */
export class ToldLife {
  readonly world: GatedWorld;
  readonly conversation = createConversation();
  readonly operative: Operative;
  readonly events: OperativeEvent[] = [];
  readonly #submissions: {
    readonly id: string;
    readonly policy: SubmitPolicy;
    readonly result: Promise<SubmitResult>;
  }[] = [];

  constructor(setup: Partial<TurnSetup>, options: Partial<OperativeOptions> = {}) {
    this.world = new GatedWorld({ ...plain, ...setup });
    this.operative = createOperative({ engine: this.world.engine, conversation: this.conversation, ...options });
    this.operative.subscribe((event) => this.events.push(event));
  }

  submit(id: string, policy: SubmitPolicy = 'steer'): void {
    this.#submissions.push({ id, policy, result: this.operative.submit(userMessage('more', { id }), { policy }) });
  }

  /** Lets the world do what it owes until the operative rests, then closes it and checks all that was told. */
  async finish(tally: Tally): Promise<void> {
    const { world, operative } = this;
    for (let round = 0; round < 12 && operative.state !== 'idle' && operative.state !== 'closed'; round++) {
      await world.host.settle();
      for (const gate of ['reload', 'tool', 'transformer'] as const) world.release(gate, 0, 'ok');
      await world.host.settle();
      world.answer({ text: true, calls: [], stop: 'natural' });
      await world.host.advance(300);
    }
    assert.ok(operative.state === 'idle' || operative.state === 'closed', `it rests, and is ${operative.state}`);
    await operative.close();
    const told = await Promise.all(
      this.#submissions.map(async ({ id, policy, result }): Promise<Told> => {
        const outcome = await result;
        const delivery = await outcome.delivery;
        tally.count(`outcome ${outcome.outcome === 'rejected' ? `rejected ${outcome.why}` : outcome.outcome}`);
        tally.count(`delivery ${delivery.status}`);
        tally.count(`${outcome.outcome}, ${delivery.status}`);
        return { id, policy, outcome, delivery };
      }),
    );
    verifyEvents(this.events);
    verifyTranscript(this.conversation);
    assert.deepEqual(world.faults, []);
    assert.equal(world.host.pendingTimers(), 0);
    expectToldTrue(told, this.events, this.conversation.messages);
  }
}
