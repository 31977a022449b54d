// One turn: shape the context, call the model, run its tools, repeat until it stops. The chart decides; services act.

import { setup, type DoneActorEvent } from 'xstate';
import type { TurnReason, TurnResult } from '../contracts/events.ts';
import type { StopReason } from '../contracts/model.ts';
import type { Stage } from '../contracts/transformer.ts';
import type { JsonValue } from '../conversation/json.ts';
import { serviceStub } from './service.ts';

/**
 * What a service saw at the instant it settled. Guards read nothing else.
 *
 * `kind`: `answered` = the model's message is in the transcript; `retry` = try again after the delay; `overflow` =
 * the provider said the context is too long; `gaveUp` = no attempt is left; `settled` = the other services.
 */
export interface TurnFacts {
  readonly kind: 'answered' | 'retry' | 'overflow' | 'gaveUp' | 'settled';
  /** Why the last settled message stopped. */
  readonly stop: StopReason;
  /** Calls of the last settled message. */
  readonly calls: number;
  /** Accepted steers that no drain has taken yet. */
  readonly pending: number;
  /** No further iteration is allowed. */
  readonly last: boolean;
  /** The previous message was cut by the token limit too. */
  readonly cutBefore: boolean;
  /** This iteration's context was already re-shaped after an overflow. */
  readonly reshaped: boolean;
}

/** The end of a turn, and how much waits for the next one (counted when read). */
export interface TurnOutput extends TurnResult {
  readonly waiting: {
    /** Accepted steers that no drain took. */
    readonly late: number;
    /** Messages held for the next turn. */
    readonly queued: number;
  };
  /** What inspectors show of it. */
  readonly toJSON?: () => object;
}

/** The chart's only handle on its turn. No method throws; what they do is up to the runtime. */
export interface TurnScope {
  /** Counts the iteration and drains accepted steers into the transcript. */
  beginIteration(): void;
  /** The next shaping responds to a context overflow. */
  beginReshape(): void;
  /** From here on steers are too late. */
  seal(): void;
  /** Asks running tools to stop and bounds how long they may take. */
  interruptTools(graceMs: number | undefined): void;
  /** Notes how the turn ends. */
  conclude(reason: TurnReason): void;
  /** Notes the error of a service that broke. */
  breakDown(error: unknown): void;
  /** Leaves the transcript valid: keeps what was said, answers open calls. */
  land(): void;
  output(): TurnOutput;
  toJSON(): JsonValue;
}

/** Constant for the life of the turn. */
export interface TurnMachineContext {
  readonly scope: TurnScope;
  /** Which transformer stages have work; the others are skipped. */
  readonly stages: Readonly<Record<Stage, boolean>>;
}

/** What a turn is started with. */
export type TurnMachineInput = TurnMachineContext;

/** Events from outside. `graceMs` bounds how long running tools may take to stop. */
export type TurnMachineEvent =
  | { readonly type: 'turn.start' }
  | { readonly type: 'turn.cancel'; readonly graceMs?: number }
  | { readonly type: 'approval.asked' }
  | { readonly type: 'approval.answered'; readonly waiting: number }
  | DoneActorEvent<TurnFacts, 'dispatchTools'>;

/**
 * How the turn ends given these facts; undefined when another iteration follows. Tools of the last allowed iteration do
 * run; the limit is checked before steers are drained.
 */
export function reasonOf(facts: TurnFacts): TurnReason | undefined {
  if (facts.kind === 'overflow') return 'contextOverflow';
  if (facts.stop === 'refusal') return 'refused';
  const asked = facts.calls > 0;
  if (facts.stop === 'maxTokens' && (!asked || facts.cutBefore)) return 'maxTokens';
  const wantsMore = asked || facts.stop === 'pause';
  if (!wantsMore && (facts.pending === 0 || facts.last)) return 'completed';
  return facts.last ? 'maxIterations' : undefined;
}

const nextIteration = [
  { guard: 'goesOnShaped', target: '#turn.shaping', actions: 'beginIteration' },
  // Reenter: from streaming to streaming the model must be called again.
  { guard: 'goesOn', target: '#turn.streaming', reenter: true, actions: 'beginIteration' },
  { guard: 'closes', target: '#turn.sealed', actions: 'concludeByFacts' },
  { target: '#turn.completed', actions: 'concludeByFacts' },
] as const;

const afterAnswer = [{ guard: 'asks', target: '#turn.dispatching' }, ...nextIteration] as const;

const firstIteration = [
  { guard: 'shapes', target: '#turn.shaping', actions: 'beginIteration' },
  { target: '#turn.streaming', actions: 'beginIteration' },
] as const;

const broken = { target: '#turn.failed', actions: 'breakDown' } as const;

// What guards and actions are called with: a command, or the done event of a service.
interface Step {
  readonly context: TurnMachineContext;
  readonly event: TurnMachineEvent;
}

const guards = {
  prepares: ({ context }: Step) => context.stages.beforeTurn,
  shapes: ({ context }: Step) => context.stages.beforeIteration,
  retries: ({ event }: Step) => factsOf(event)?.kind === 'retry',
  reshapes: ({ context, event }: Step) => {
    const facts = factsOf(event);
    return facts?.kind === 'overflow' && !facts.reshaped && context.stages.beforeIteration;
  },
  gaveUp: ({ event }: Step) => factsOf(event)?.kind === 'gaveUp',
  reviews: ({ context, event }: Step) => factsOf(event)?.kind === 'answered' && context.stages.afterIteration,
  asks: ({ event }: Step) => (factsOf(event)?.calls ?? 0) > 0,
  goesOn: ({ event }: Step) => goesOn(event),
  goesOnShaped: ({ context, event }: Step) => goesOn(event) && context.stages.beforeIteration,
  closes: ({ context }: Step) => context.stages.afterTurn,
  isLastAnswer: ({ event }: Step) => event.type === 'approval.answered' && event.waiting === 0,
};

const actions = {
  beginIteration: ({ context }: Step) => context.scope.beginIteration(),
  beginReshape: ({ context }: Step) => context.scope.beginReshape(),
  seal: ({ context }: Step) => context.scope.seal(),
  interruptTools: ({ context, event }: Step) =>
    context.scope.interruptTools(event.type === 'turn.cancel' ? event.graceMs : undefined),
  concludeByFacts: ({ context, event }: Step) => {
    const facts = factsOf(event);
    if (facts !== undefined) context.scope.conclude(reasonOf(facts) ?? 'completed');
  },
  conclude: ({ context }: Step, params: { readonly reason: TurnReason }) => context.scope.conclude(params.reason),
  breakDown: ({ context, event }: Step) => context.scope.breakDown('error' in event ? event.error : undefined),
  land: ({ context }: Step) => context.scope.land(),
};

const config = {
  id: 'turn',
  description: 'One turn of an agent: model calls and tool runs until the model stops.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: TurnMachineInput }) => ({ scope: input.scope, stages: input.stages }),
  initial: 'idle',
  output: ({ context }: Pick<Step, 'context'>) => context.scope.output(),
  states: {
    idle: {
      description: 'Waits for its start: no work may begin in a machine’s initial step.',
      on: {
        'turn.start': [{ guard: 'prepares', target: 'preparing' }, ...firstIteration],
        'turn.cancel': 'aborted',
      },
    },
    preparing: {
      description: 'The beforeTurn transformers rewrite the transcript.',
      invoke: {
        src: 'applyTransformers',
        id: 'prepare',
        input: ({ context }: Pick<Step, 'context'>) => ({ scope: context.scope, stage: 'beforeTurn' as const }),
        onDone: firstIteration,
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    shaping: {
      description: 'The beforeIteration transformers make the model’s view of the transcript.',
      invoke: {
        src: 'applyTransformers',
        id: 'shape',
        input: ({ context }: Pick<Step, 'context'>) => ({ scope: context.scope, stage: 'beforeIteration' as const }),
        onDone: 'streaming',
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    streaming: {
      description: 'The model answers.',
      invoke: {
        src: 'streamModel',
        id: 'streamModel',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: [
          { guard: 'retries', target: 'waiting' },
          { guard: 'reshapes', target: 'shaping', actions: 'beginReshape' },
          { guard: 'gaveUp', target: 'failed' },
          { guard: 'reviews', target: 'reviewing' },
          ...afterAnswer,
        ],
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    waiting: {
      description: 'Waits before a failed model call is tried again.',
      invoke: {
        src: 'delay',
        id: 'delay',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: 'streaming',
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    reviewing: {
      description: 'The afterIteration transformers look at the answer before its tools run.',
      invoke: {
        src: 'applyTransformers',
        id: 'review',
        input: ({ context }: Pick<Step, 'context'>) => ({ scope: context.scope, stage: 'afterIteration' as const }),
        onDone: afterAnswer,
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    dispatching: {
      description: 'The calls of the last message are carried out.',
      initial: 'live',
      invoke: {
        src: 'dispatchTools',
        id: 'dispatchTools',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: nextIteration,
        onError: broken,
      },
      states: {
        live: {
          description: 'Calls run.',
          on: { 'approval.asked': 'awaitingApproval', 'turn.cancel': 'interrupting' },
        },
        awaitingApproval: {
          description: 'At least one call waits for approval; others may run.',
          on: {
            'approval.answered': { guard: 'isLastAnswer', target: 'live' },
            'turn.cancel': 'interrupting',
          },
        },
        interrupting: {
          description: 'Cancelled: running tools have the grace time to return a result.',
          entry: ['seal', 'interruptTools'],
          on: {
            'turn.cancel': { actions: 'interruptTools' },
            'xstate.done.actor.dispatchTools': '#turn.aborted',
          },
        },
      },
    },
    sealed: {
      description: 'The answer is final; the afterTurn transformers run and steers are no longer accepted.',
      entry: 'seal',
      invoke: {
        src: 'applyTransformers',
        id: 'close',
        input: ({ context }: Pick<Step, 'context'>) => ({ scope: context.scope, stage: 'afterTurn' as const }),
        onDone: 'completed',
        onError: broken,
      },
      on: { 'turn.cancel': 'aborted' },
    },
    completed: {
      description: 'Ended by itself: the model stopped, or a limit was reached.',
      type: 'final',
      entry: ['seal', 'land'],
    },
    aborted: {
      description: 'Ended by cancel.',
      type: 'final',
      entry: ['seal', { type: 'conclude', params: { reason: 'aborted' } }, 'land'],
    },
    failed: {
      description: 'Ended because the model could not answer, or a step broke.',
      type: 'final',
      entry: ['seal', { type: 'conclude', params: { reason: 'failed' } }, 'land'],
    },
  },
} as const;

/** The chart as data; turns run from its table. */
export const turnChart = { id: config.id, config, implementations: { guards, actions } };

/**
 * The chart as an XState machine, to read, explore and replace parts of. Its services are stubs until they are
 * provided; `engineWith` provides the real ones.
 */
export const turnMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as TurnMachineContext,
      input: {} as TurnMachineInput,
      events: {} as TurnMachineEvent,
      output: {} as TurnOutput,
    },
    actors: {
      applyTransformers: serviceStub<{ readonly scope: TurnScope; readonly stage: Stage }, TurnFacts>(
        'applyTransformers',
      ),
      streamModel: serviceStub<TurnScope, TurnFacts>('streamModel'),
      delay: serviceStub<TurnScope, TurnFacts>('delay'),
      dispatchTools: serviceStub<TurnScope, TurnFacts>('dispatchTools'),
    },
    guards,
    actions,
  }).createMachine(config);
}

function goesOn(event: object): boolean {
  const facts = factsOf(event);
  return facts !== undefined && reasonOf(facts) === undefined;
}

// Every done event of this chart carries facts; any other event has none.
function factsOf(event: object): TurnFacts | undefined {
  return 'output' in event ? (event.output as TurnFacts) : undefined;
}
