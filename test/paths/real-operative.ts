// A real operative in a held world: its turns, its reload and everything below wait for the test.

import type { AnyActorRef, AnyStateMachine } from 'xstate';
import type { EngineOptions } from '../../src/contracts/engine.ts';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import type { Transformer } from '../../src/contracts/transformer.ts';
import type { Delivery, Operative, SubmitOutcome, SubmitPolicy } from '../../src/contracts/operative.ts';
import { createConversation, type Conversation } from '../../src/conversation/conversation.ts';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { actorOf } from '../../src/embedding/actor-of.ts';
import { turnMachine } from '../../src/machines/turn.ts';
import { createChartedEngine } from '../../src/runtime/engine.ts';
import { createOperative } from '../../src/runtime/operative.ts';
import type { Runner } from './execute-paths.ts';
import { HeldWorld, PairLog, realCharts, stateOf } from './real-turn.ts';

/** How one operative is set up. */
export interface RealOperativeOptions {
  readonly reloads: boolean;
  readonly startsLate: boolean;
  /** What the transcript holds before the first step. */
  readonly holds: 'nothing' | 'question' | 'answer';
  readonly maxIterations?: number;
}

/** One submission and what became of it. */
export interface Submitted {
  readonly message: Message;
  outcome?: SubmitOutcome;
  delivery?: Delivery;
}

const noStages = { beforeTurn: false, beforeIteration: false, afterIteration: false, afterTurn: true };

/** An operative in a held world. */
export class RealOperative {
  readonly world = new HeldWorld();
  readonly operative: Operative;
  readonly events: OperativeEvent[] = [];
  readonly submitted: Submitted[] = [];
  readonly log = new PairLog();
  readonly reloads: { settle(): void; fail(): void }[] = [];
  readonly compactions: ((hasGained: boolean) => void)[] = [];
  /** The engine that the next claim or compaction asks for has somebody who can compact. */
  canCompact = true;
  /** The next step of the running turn kills its chart. */
  isTurnDoomed = false;

  constructor({ reloads, startsLate, holds, maxIterations }: RealOperativeOptions, runner: Runner) {
    const isWatched = runner !== 'bare';
    const options: EngineOptions = {
      ...this.world.engineOptions(noStages),
      ...(maxIterations === undefined ? {} : { maxIterations }),
    };
    const charts = realCharts(this.#mortalTurn(), runner);
    const plain = createChartedEngine(options, charts);
    const transformers = [...(options.transformers ?? []), this.#compactor()];
    const compacting = createChartedEngine({ ...options, transformers }, charts);
    this.operative = createOperative({
      engine: () => (this.canCompact ? compacting : plain),
      conversation: conversationWith(holds),
      lateMessages: startsLate ? 'start' : 'hold',
      ...(reloads ? { reloadBeforeStart: () => this.#reload() } : {}),
      ...(isWatched ? { inspect: this.log.inspect as (event: unknown) => void } : {}),
    });
    this.operative.subscribe((event) => this.events.push(event));
    if (!isWatched) this.actor.system.inspect(this.log.inspect);
    this.log.know(this.actor);
  }

  get actor(): AnyActorRef {
    return actorOf(this.operative) as unknown as AnyActorRef; // its events are the operative's
  }

  get state(): string {
    return stateOf(this.actor.getSnapshot());
  }

  async submit(policy: SubmitPolicy): Promise<Submitted> {
    const submitted: Submitted = { message: userMessage(`${policy} ${this.submitted.length}`) };
    this.submitted.push(submitted);
    void this.operative.submit(submitted.message, { policy }).then(async ({ delivery, ...outcome }) => {
      submitted.outcome = outcome;
      submitted.delivery = await delivery;
    });
    await this.world.host.settle();
    return submitted;
  }

  // The turn chart with two actions that can be made to throw: what it is written never to do.
  #mortalTurn(): AnyStateMachine {
    const { actions } = turnMachine.implementations as unknown as {
      readonly actions: Readonly<Record<'beginIteration' | 'land', (...args: unknown[]) => void>>;
    };
    const mortal =
      (action: 'beginIteration' | 'land') =>
      (...args: unknown[]) => {
        if (this.isTurnDoomed) {
          this.isTurnDoomed = false;
          throw new Error('the chart died');
        }
        actions[action](...args);
      };
    return (turnMachine as AnyStateMachine).provide({
      actions: { beginIteration: mortal('beginIteration'), land: mortal('land') },
    });
  }

  #compactor(): Transformer {
    return {
      name: 'compactor',
      compact: ({ messages }) => {
        const keepFrom = messages.at(-1)?.id ?? '';
        const boundary = userMessage([{ type: 'boundary', summary: 'so far', keepFrom }]);
        return new Promise((resolve) => {
          this.compactions.push((hasGained) => resolve(hasGained ? { append: [boundary] } : undefined));
        });
      },
    };
  }

  // The store holds exactly what the transcript held when it was asked.
  #reload(): Promise<Conversation> {
    const { system, messages } = this.operative.conversation;
    const stored: Conversation = { system, messages: [...messages] };
    return new Promise((resolve, reject) => {
      this.reloads.push({ settle: () => resolve(stored), fail: () => reject(new Error('no store')) });
    });
  }
}

function conversationWith(holds: RealOperativeOptions['holds']): Conversation {
  const conversation = createConversation();
  if (holds !== 'nothing') conversation.messages.push(userMessage('first'));
  if (holds === 'answer') {
    conversation.messages.push({ id: 'stored', role: 'assistant', content: [{ type: 'text', text: 'yes' }] });
  }
  return conversation;
}
