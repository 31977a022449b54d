// The turn chart's cases, and its behaviour written down again by hand.

import { turnMachine, type TurnFacts, type TurnMachineEvent, type TurnScope } from '../../src/machines/turn.ts';
import { chartLogic } from '../../src/machines/chart-logic.ts';
import type { TurnReason } from '../../src/contracts/events.ts';
import type { Stage } from '../../src/contracts/transformer.ts';
import type { PathCase } from '../../src/testing/index.ts';
import { startActor, type ChartSetting, type ChartWalk, type Expected, type Reference } from './execute-paths.ts';

/** What a settled service means for the turn: it says so itself, or the answer asks for tools, more, or nothing. */
type Meaning = 'retry' | 'overflow' | 'gaveUp' | 'tools' | 'more' | TurnReason;

export interface TurnCase extends PathCase {
  readonly name: string;
  readonly tells:
    | { readonly what: 'start' | 'asked' }
    | { readonly what: 'answered'; readonly waiting: number }
    | { readonly what: 'cancel'; readonly graceMs?: number }
    | { readonly what: 'settled'; readonly service: string; readonly means: Meaning }
    | { readonly what: 'broke'; readonly service: string };
}

const plain: TurnFacts = {
  kind: 'settled',
  stop: 'endTurn',
  calls: 0,
  pending: 0,
  last: false,
  cutBefore: false,
  reshaped: false,
};

const answered = { ...plain, kind: 'answered' } as const;

// What an answer may look like when the model, or the review after it, has settled.
const answers: readonly (readonly [string, Partial<TurnFacts>, Meaning])[] = [
  ['says all', {}, 'completed'],
  ['asks for tools', { stop: 'toolUse', calls: 1 }, 'tools'],
  ['was steered', { pending: 1 }, 'more'],
  ['was steered at the limit', { pending: 1, last: true }, 'completed'],
  ['pauses', { stop: 'pause' }, 'more'],
  ['pauses at the limit', { stop: 'pause', last: true }, 'maxIterations'],
  ['refuses', { stop: 'refusal' }, 'refused'],
  ['refuses, steered', { stop: 'refusal', pending: 1 }, 'refused'],
  ['refuses with calls', { stop: 'refusal', calls: 1 }, 'tools'],
  ['is cut', { stop: 'maxTokens' }, 'maxTokens'],
  ['is cut, steered', { stop: 'maxTokens', pending: 1 }, 'maxTokens'],
  ['is cut with calls', { stop: 'maxTokens', calls: 1 }, 'tools'],
];

// The facts after the tools of a message have run.
const toolEnds: readonly (readonly [string, Partial<TurnFacts>, Meaning])[] = [
  ['ran', { stop: 'toolUse' }, 'more'],
  ['ran at the limit', { stop: 'toolUse', last: true }, 'maxIterations'],
  ['were refused', { stop: 'refusal' }, 'refused'],
  ['were cut', { stop: 'maxTokens' }, 'more'],
  ['were cut at the limit', { stop: 'maxTokens', last: true }, 'maxIterations'],
  ['were cut twice', { stop: 'maxTokens', cutBefore: true }, 'maxTokens'],
];

// Simple paths need one case for each way out.
const simple: ReadonlySet<string> = new Set(['says all', 'asks for tools', 'was steered', 'ran', 'ran at the limit']);

const services = ['prepare', 'shape', 'streamModel', 'delay', 'review', 'dispatchTools', 'close'] as const;

/** Every event of the chart, with one payload for each thing it can mean. */
const turnCases: readonly TurnCase[] = [
  { name: 'start', event: { type: 'turn.start' }, tells: { what: 'start' } },
  { name: 'cancel', event: { type: 'turn.cancel' }, tells: { what: 'cancel' } },
  {
    name: 'cancel within 5 ms',
    event: { type: 'turn.cancel', graceMs: 5 },
    tells: { what: 'cancel', graceMs: 5 },
    inSimplePaths: false,
  },
  { name: 'approval asked', event: { type: 'approval.asked' }, while: 'dispatchTools', tells: { what: 'asked' } },
  approvalAnswered('one of two approvals answered', 1),
  approvalAnswered('last approval answered', 0),
  settled('prepare', 'prepared', plain, 'more'),
  settled('shape', 'shaped', plain, 'more'),
  settled('delay', 'waited', plain, 'more'),
  settled('close', 'closed', plain, 'completed'),
  settled('streamModel', 'model failed, try again', { ...plain, kind: 'retry' }, 'retry'),
  settled('streamModel', 'context too long', { ...plain, kind: 'overflow' }, 'overflow'),
  settled('streamModel', 'context still too long', { ...plain, kind: 'overflow', reshaped: true }, 'contextOverflow'),
  settled('streamModel', 'model gave up', { ...plain, kind: 'gaveUp' }, 'gaveUp'),
  ...answers.map(([name, facts, means]) => settled('streamModel', `model ${name}`, { ...answered, ...facts }, means)),
  ...answers.map(([name, facts, means]) => settled('review', `review: ${name}`, { ...plain, ...facts }, means)),
  ...toolEnds.map(([name, facts, means]) =>
    settled('dispatchTools', `tools ${name}`, { ...plain, calls: 1, ...facts }, means),
  ),
  ...services.map((service): TurnCase => ({
    name: `${service} broke`,
    event: { type: `xstate.error.actor.${service}`, error: new Error(`${service} broke`) },
    tells: { what: 'broke', service },
    inSimplePaths: service === 'streamModel',
  })),
];

const nothing = { beforeTurn: false, beforeIteration: false, afterIteration: false, afterTurn: false };

/** The settings of the walk. Stages decide which states exist at all. */
export const stagesOf: Readonly<Record<string, Readonly<Record<Stage, boolean>>>> = {
  'all stages': { beforeTurn: true, beforeIteration: true, afterIteration: true, afterTurn: true },
  'no stage': nothing,
  'shaping and closing only': { ...nothing, beforeIteration: true, afterTurn: true },
  'review only': { ...nothing, afterIteration: true },
  'preparing only': { ...nothing, beforeTurn: true },
};

/** The walk through the turn chart. */
export const turnWalk: ChartWalk<TurnCase> = {
  machine: turnMachine,
  cases: turnCases,
  settings: Object.entries(stagesOf).map(([name, stages]) => settingOf(name, stages)),
};

function settingOf(name: string, stages: Readonly<Record<Stage, boolean>>): ChartSetting<TurnCase> {
  return {
    name,
    input: { scope: { toJSON: () => null, output: () => null }, stages },
    reference: () => new TurnReference(stages),
    start: (machine, runner, world) => {
      const scope = world.scope<TurnScope>({ output: 'the result' });
      const stage = (input: unknown) => (input as { readonly stage: Stage }).stage;
      const label = (id: string, input: unknown) => (id in stageOf ? `${id} at ${stage(input)}` : id);
      const names = ['applyTransformers', 'streamModel', 'delay', 'dispatchTools'];
      const idOf = (name: string) => (input: unknown) =>
        name === 'applyTransformers' ? (serviceAt.get(stage(input)) ?? name) : name;
      const service = (name: string) =>
        runner === 'bare' ? world.bareService(idOf(name), label) : world.service(label);
      const actors = Object.fromEntries(names.map((name) => [name, service(name)]));
      const logic =
        runner === 'xstate'
          ? machine.provide({ actors })
          : chartLogic<TurnMachineEvent, unknown, unknown>(machine, actors, {
              services: runner === 'bare' ? 'bare' : 'actors',
            });
      return startActor(logic, { scope, stages });
    },
  };
}

const stageOf: Readonly<Record<string, Stage>> = {
  prepare: 'beforeTurn',
  shape: 'beforeIteration',
  review: 'afterIteration',
  close: 'afterTurn',
};

const serviceAt = new Map(Object.entries(stageOf).map(([service, stage]) => [stage, service]));

const serviceOf: Readonly<Record<string, string>> = {
  preparing: 'prepare',
  shaping: 'shape',
  streaming: 'streamModel',
  waiting: 'delay',
  reviewing: 'review',
  'dispatching.live': 'dispatchTools',
  'dispatching.awaitingApproval': 'dispatchTools',
  'dispatching.interrupting': 'dispatchTools',
  sealed: 'close',
};

/** The rules of a turn, by event. */
class TurnReference implements Reference<TurnCase> {
  readonly #stages: Readonly<Record<Stage, boolean>>;
  #state = 'idle';
  #log: string[] = [];
  #isServiceLeft = false;

  constructor(stages: Readonly<Record<Stage, boolean>>) {
    this.#stages = stages;
  }

  step({ tells }: TurnCase): Expected {
    this.#log = [];
    if (!this.#isOver()) {
      this.#isServiceLeft = tells.what !== 'settled' && tells.what !== 'broke';
      switch (tells.what) {
        case 'start':
          if (this.#state === 'idle') this.#start();
          break;
        case 'cancel':
          this.#cancel(tells.graceMs);
          break;
        case 'asked':
          if (this.#state === 'dispatching.live') this.#state = 'dispatching.awaitingApproval';
          break;
        case 'answered':
          if (this.#state === 'dispatching.awaitingApproval' && tells.waiting === 0) this.#state = 'dispatching.live';
          break;
        case 'broke':
          this.#log.push(`breakDown ${tells.service} broke`);
          this.#end('failed');
          break;
        case 'settled':
          this.#settled(tells.service, tells.means);
      }
    }
    const label = labelOf(this.#state);
    return {
      state: this.#state,
      log: this.#log,
      live: label === undefined ? [] : [label],
      ...(this.#isOver() ? { output: 'the result' } : {}),
    };
  }

  #isOver(): boolean {
    return ['completed', 'aborted', 'failed'].includes(this.#state);
  }

  #start(): void {
    if (this.#stages.beforeTurn) this.#go('preparing');
    else this.#iterate();
  }

  #iterate(): void {
    this.#log.push('beginIteration');
    this.#go(this.#stages.beforeIteration ? 'shaping' : 'streaming');
  }

  #cancel(graceMs: number | undefined): void {
    const stop = graceMs === undefined ? 'interruptTools' : `interruptTools ${graceMs}`;
    if (this.#state === 'dispatching.interrupting') this.#log.push(stop);
    else if (this.#state.startsWith('dispatching')) {
      this.#log.push('seal', stop);
      this.#state = 'dispatching.interrupting'; // the tools stay
    } else this.#end('aborted');
  }

  #settled(service: string, means: Meaning): void {
    if (service === 'prepare') return this.#iterate();
    if (service === 'shape' || service === 'delay') return this.#go('streaming');
    if (service === 'close') return this.#end('completed');
    if (this.#state === 'dispatching.interrupting') return this.#end('aborted');
    if (service === 'streamModel') {
      if (means === 'retry') return this.#go('waiting');
      if (means === 'gaveUp') return this.#end('failed');
      if (means === 'overflow' && this.#stages.beforeIteration) {
        this.#log.push('beginReshape');
        return this.#go('shaping');
      }
      if (means === 'overflow') return this.#conclude('contextOverflow');
      if (means !== 'contextOverflow' && this.#stages.afterIteration) return this.#go('reviewing');
    }
    if (means === 'tools') return this.#go('dispatching.live');
    if (means === 'more') return this.#iterate();
    this.#conclude(means as TurnReason); // what is left are reasons
  }

  #conclude(reason: TurnReason): void {
    this.#log.push(`conclude ${reason}`);
    if (!this.#stages.afterTurn) return this.#end('completed');
    this.#log.push('seal');
    this.#go('sealed');
  }

  // However a turn ends, it is sealed first and its transcript is left valid last.
  #end(how: 'completed' | 'aborted' | 'failed'): void {
    this.#log.push('seal', ...(how === 'completed' ? [] : [`conclude ${how}`]), 'land', 'output');
    this.#go(how);
  }

  #go(to: string): void {
    const left = labelOf(this.#state);
    if (this.#isServiceLeft && left !== undefined) this.#log.push(`stop ${left}`);
    this.#state = to;
    const entered = labelOf(to);
    if (entered !== undefined) this.#log.push(`start ${entered}`);
  }
}

function labelOf(state: string): string | undefined {
  const service = serviceOf[state];
  if (service === undefined) return undefined;
  const stage = stageOf[service];
  return stage === undefined ? service : `${service} at ${stage}`;
}

function settled(service: string, name: string, output: TurnFacts, means: Meaning): TurnCase {
  const inSimplePaths =
    !/^(?:model|review:|tools) /.test(name) || means === 'retry' || [...simple].some((one) => name.endsWith(` ${one}`));
  const event = { type: `xstate.done.actor.${service}`, output };
  return { name, event, tells: { what: 'settled', service, means }, inSimplePaths };
}

function approvalAnswered(name: string, waiting: number): TurnCase {
  const event = { type: 'approval.answered', waiting };
  return { name, event, while: 'dispatchTools', tells: { what: 'answered', waiting }, inSimplePaths: waiting === 0 };
}
