// A real turn whose every service waits for the test: the model for its answer, transformers, tools and approvals for
// theirs, the retry delay for the clock. A path of the turn chart is turned into what the world outside does.

import type { AnyActorLogic, AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import type { EngineOptions, TurnRun } from '../../src/contracts/engine.ts';
import { ModelError } from '../../src/contracts/errors.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import type { Stage, Transformer } from '../../src/contracts/transformer.ts';
import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import { actorOf } from '../../src/embedding/actor-of.ts';
import { chartsOf, turnServices } from '../../src/runtime/charts.ts';
import { createChartedEngine } from '../../src/runtime/engine.ts';
import { toolCallMachine } from '../../src/machines/tool-call.ts';
import { turnMachine } from '../../src/machines/turn.ts';
import type { TurnCharts } from '../../src/services/settings.ts';
import { scriptedModel, simulatedHost, type ScriptedStep } from '../../src/testing/index.ts';
import { stateKeyOf } from '../../src/testing/machine-paths.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Runner } from './execute-paths.ts';

/** Something that breaks the next time it begins. */
export type Breakable = 'prepare' | 'shape' | 'review' | 'close' | 'streamModel' | 'delay' | 'dispatchTools';

/** How one turn is set up. */
export interface RealTurnOptions {
  readonly stages: Readonly<Record<Stage, boolean>>;
  readonly maxIterations?: number;
  /** Default: the turn chart; else a mutant of it. */
  readonly machine?: AnyStateMachine;
}

/** Grace time of a cancel, in virtual milliseconds. */
export const graceMs = 100;

const stageOfService: Readonly<Record<string, Stage>> = {
  prepare: 'beforeTurn',
  shape: 'beforeIteration',
  review: 'afterIteration',
  close: 'afterTurn',
};

/** The world around real services: an engine's options, and the strings to pull. Shared by turns and operatives. */
export class HeldWorld {
  readonly host = simulatedHost();
  readonly answers: ((step: ScriptedStep) => void)[] = [];
  readonly stages: (() => void)[] = [];
  readonly tools: { readonly name: string; settle(): void }[] = [];
  readonly approvals: ((allow: boolean) => void)[] = [];
  /** What a tool named `canceller` does when it runs. */
  onCanceller: () => void = () => undefined;
  readonly #broken = new Set<string>();

  readonly model = scriptedModel(() => new Promise<ScriptedStep>((resolve) => this.answers.push(resolve)));

  /** The next time it begins, the service throws. */
  breakNext(service: Breakable | 'now'): void {
    this.#broken.add(service);
  }

  engineOptions(stages: Readonly<Record<Stage, boolean>>): EngineOptions {
    const { host } = this;
    return {
      model: this.model,
      tools: ['solo', 'slow', 'guarded', 'canceller', 'breaker'].map((name) => this.#tool(name)),
      transformers: Object.entries(stages)
        .filter(([, isOn]) => isOn)
        .map(([stage]) => this.#transformer(stage as Stage)),
      cancelGraceMs: graceMs,
      maxParallelTools: 2,
      retry: { attempts: 50, baseDelayMs: 10, maxDelayMs: 10 },
      idleTimeoutMs: 1_000_000,
      approve: ({ tool }) => {
        if (tool.name !== 'guarded') return { allow: true };
        if (this.#broken.delete('later')) this.breakNext('now');
        return new Promise((resolve) => {
          this.approvals.push((allow) => resolve(allow ? { allow } : { allow, message: 'no' }));
        });
      },
      steps: {
        buildRequest: (request) => this.#orBreak('streamModel', () => request),
        planCalls: (calls) => {
          const solo = calls.filter(({ name }) => name === 'solo').map((call) => [call]);
          const rest = calls.filter(({ name }) => name !== 'solo');
          return this.#orBreak('dispatchTools', () => (rest.length === 0 ? solo : [...solo, rest]));
        },
      },
      host: {
        ...host,
        now: () => this.#orBreak('now', host.now),
        setTimeout: (fn, ms) => this.#orBreak('delay', () => host.setTimeout(fn, ms)),
      },
    };
  }

  /** A guarded call or a canceller makes the clock fail for the call after it. */
  breakBatch(): void {
    this.#broken.add('later');
  }

  #orBreak<Value>(service: string, value: () => Value): Value {
    if (this.#broken.delete(service)) throw new Error(`${service} broke`);
    return value();
  }

  #tool(name: string) {
    return defineTool({
      name,
      description: name,
      parameters: { type: 'object', properties: {} },
      isConcurrencySafe: name !== 'solo',
      needsApproval: name === 'guarded',
      execute: () => {
        if (name === 'canceller') {
          if (this.#broken.delete('later')) this.breakNext('now');
          this.onCanceller();
        }
        return new Promise((resolve) => {
          this.tools.push({ name, settle: () => resolve('done') });
        });
      },
    });
  }

  // A transformer that throws is an event; only one that cannot even say its name breaks the stage.
  #transformer(stage: Stage): Transformer {
    const service = Object.keys(stageOfService).find((one) => stageOfService[one] === stage) ?? '';
    let isNameless = false;
    return {
      get name() {
        if (isNameless) throw new Error(`${service} broke`);
        return service;
      },
      [stage]: () => {
        if (this.#broken.delete(service)) {
          isNameless = true;
          throw new Error('the transformer failed');
        }
        return new Promise<void>((resolve) => this.stages.push(resolve));
      },
    };
  }

  /** Answers the last request. */
  async answer(step: ScriptedStep): Promise<void> {
    this.answers.pop()?.(step);
    await this.host.settle();
  }

  async settleStage(): Promise<void> {
    this.stages.pop()?.();
    await this.host.settle();
  }

  async settleTools(only?: string): Promise<void> {
    for (const tool of this.tools.splice(0)) {
      if (only === undefined || tool.name === only) tool.settle();
      else this.tools.push(tool);
    }
    await this.host.settle();
  }

  async allow(): Promise<void> {
    this.approvals.shift()?.(true);
    await this.host.settle();
  }
}

/** Which pairs of state and event real actors went through, by the id of the actor. */
export class PairLog {
  readonly pairs = new Map<string, Set<string>>();
  readonly #states = new WeakMap<object, string>();

  /** Notes where an actor stands before its next event. */
  know(actor: AnyActorRef): void {
    this.#states.set(actor, stateOf(actor.getSnapshot()));
  }

  readonly inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.snapshot') return;
    const { actorRef, snapshot } = event;
    const [id = ''] = (actorRef as AnyActorRef).id.split(':');
    const from = this.#states.get(actorRef);
    this.#states.set(actorRef, stateOf(snapshot));
    if (from !== undefined && !event.event.type.startsWith('xstate.init')) this.note(id, from, event.event.type);
  };

  note(id: string, state: string, event: string): void {
    const known = this.pairs.get(id) ?? new Set();
    this.pairs.set(id, known.add(`${state} ${event}`));
  }
}

/** A turn in a held world. */
export class RealTurn {
  readonly world = new HeldWorld();
  readonly conversation = createConversation();
  readonly events: EngineEvent[] = [];
  readonly log = new PairLog();
  readonly run: TurnRun;
  readonly reading: Promise<void>;

  readonly #isBare: boolean;
  /** Accepted so far. */
  steers = 0;

  constructor(
    { stages, maxIterations, machine = turnMachine }: RealTurnOptions,
    runner: Runner,
    prepare: (world: HeldWorld) => void = () => undefined,
  ) {
    prepare(this.world);
    this.conversation.messages.push(userMessage('go'));
    const options: EngineOptions = {
      ...this.world.engineOptions(stages),
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(runner === 'bare' ? {} : { inspect: this.log.inspect as NonNullable<EngineOptions['inspect']> }),
    };
    this.run = createChartedEngine(options, realCharts(machine, runner)).run(this.conversation);
    this.#isBare = runner === 'bare';
    if (this.#isBare) this.actor.system.inspect(this.log.inspect);
    this.log.know(this.actor);
    this.world.onCanceller = () => void this.run.cancel();
    this.reading = this.#read();
  }

  steer(): void {
    if (this.run.steer('and this') === 'accepted') this.steers++;
  }

  get actor(): AnyActorRef {
    return actorOf(this.run) as unknown as AnyActorRef; // its events are the turn's
  }

  get state(): string {
    return stateOf(this.actor.getSnapshot());
  }

  /** Ids of the services that live; undefined where they are not actors and cannot be seen. */
  get live(): readonly string[] | undefined {
    if (this.#isBare) return undefined;
    const { children, status } = this.actor.getSnapshot() as { children: Record<string, AnyActorRef>; status: string };
    return status === 'active' ? Object.keys(children) : [];
  }

  async #read(): Promise<void> {
    for await (const event of this.run) this.events.push(event);
  }
}

/** Charts with the real services, run by either runner. */
export function realCharts(turn: AnyStateMachine, runner: Runner): TurnCharts {
  const charts = chartsOf(turn, toolCallMachine);
  if (runner !== 'xstate') return charts;
  const logic: AnyActorLogic = turn.provide({ actors: turnServices });
  return { ...charts, inspectedTurn: logic as unknown as TurnCharts['turn'] }; // XState's own interpreter
}

/** The state of a snapshot as a key. */
export function stateOf(snapshot: unknown): string {
  return stateKeyOf((snapshot as { readonly value?: unknown }).value ?? '');
}

/** Failures as models report them. */
export const modelFailures = {
  retryable: new ModelError('model.overloaded', 'busy', { retryable: true }),
  final: new ModelError('model.rejected', 'no', { retryable: false }),
  tooLong: new ModelError('model.contextOverflow', 'too long', { retryable: false }),
} as const;
