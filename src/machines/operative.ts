// One conversation: idle, or one turn claimed, running, settling, being cancelled or replaced. The chart decides what a
// submitted message means; the runtime's ledger keeps the messages.

import { sendTo, setup, type DoneActorEvent, type ErrorActorEvent } from 'xstate';
import type { TurnResult } from '../contracts/events.ts';
import type { SubmitPolicy } from '../contracts/operative.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { ChildSends } from './chart-table.ts';
import { serviceStub } from './service.ts';
import { turnMachine, type TurnMachineInput, type TurnOutput } from './turn.ts';

/** A submitted message; the runtime adds the content and the way to answer the caller. */
export interface Submission {
  readonly messageId: string;
}

/** A command whose caller waits for an answer; the runtime adds the way to give it. */
export interface Question {
  readonly kind: 'resume' | 'cancel' | 'compact' | 'close';
}

/** What the reload saw when it settled. `answerable`: there is something for a model to answer. */
export interface ReloadFacts {
  readonly kind: 'loaded' | 'failed';
  readonly answerable: boolean;
}

/** What the compaction saw when it settled. */
export interface CompactFacts {
  /** Something was summarised. */
  readonly gained: boolean;
}

/** The chart's only handle on its conversation. No method throws; each answers the submission or question it gets. */
export interface OperativeScope {
  /** The submission starts the next turn, whose id and events exist from here on. */
  claim(submission: Submission): void;
  /** Like `claim`, without a message. */
  claimResume(question: Question): void;
  /** Claims the next turn for the waiting messages. */
  claimWaiting(): void;
  steer(submission: Submission): void;
  /** Accepted too late for the running turn. */
  keepLate(submission: Submission): void;
  hold(submission: Submission): void;
  preempt(submission: Submission): void;
  reject(submission: Submission, why: 'busy' | 'closed'): void;
  joinResume(question: Question): void;
  declineResume(question: Question): void;
  /** Drops a claimed turn that has nothing to answer, as if it had never been claimed. */
  dropClaim(): void;
  /** Ends the claimed turn before it began. */
  endClaim(reason: 'aborted' | 'failed'): void;
  /** Puts the claimed turn's messages into the transcript. */
  beginTurn(): void;
  turnInput(): TurnMachineInput;
  /** Appends the messages that no drain took; the end is published after the step. */
  finishTurn(result: TurnResult): void;
  /** Ends a turn whose chart died, which should never happen. */
  breakTurn(error: unknown): void;
  /** Turns waiting preempts into late messages. */
  demotePreempts(): void;
  awaitEnd(question: Question): void;
  answerIdle(question: Question): void;
  rejectClosed(question: Question): void;
  beginCompact(question: Question): void;
  /** The compaction is over; a turn that was claimed meanwhile follows. */
  endCompact(gained: boolean): void;
  /** Gives up the compaction, and a turn that was claimed meanwhile. */
  abandonCompact(): void;
  declineCompact(question: Question): void;
  /** Rejects what still waits for a decision and releases the conversation. */
  close(): void;
  toJSON(): JsonValue;
}

/** Constant for the life of the operative. */
export interface OperativeMachineContext {
  readonly scope: OperativeScope;
  /** `reloadBeforeStart` is set. */
  readonly reloads: boolean;
  /** `lateMessages: 'start'`. */
  readonly startsLate: boolean;
}

/** Events from callers, and from the turn it runs. */
export type OperativeMachineEvent =
  | { readonly type: 'message.submit'; readonly policy: SubmitPolicy; readonly submission: Submission }
  | { readonly type: 'turn.resume'; readonly answerable: boolean; readonly question: Question }
  | {
      readonly type: 'turn.cancel';
      readonly graceMs?: number;
      /** Messages are held for the next turn. */
      readonly holds: boolean;
      readonly question: Question;
    }
  | { readonly type: 'operative.compact'; readonly possible: boolean; readonly question: Question }
  | { readonly type: 'operative.close'; readonly question: Question }
  | { readonly type: 'turn.sealed' }
  | DoneActorEvent<TurnOutput, 'turn'>
  | ErrorActorEvent<unknown, 'turn'>;

const turnStart = { type: 'turn.start' } as const;
const turnCancel = { type: 'turn.cancel' } as const;

const startClaimed = [
  { guard: 'reloads', target: '#operative.reloading' },
  { target: '#operative.active', reenter: true },
] as const;

const claimOnSubmit = startClaimed.map((transition) => ({ ...transition, actions: 'claim' as const }));

const holdOrReject = [
  { guard: 'isQueue', actions: 'hold' },
  { guard: 'isReject', actions: 'rejectBusy' },
] as const;

const nextTurn = [
  { guard: 'reloads', target: '#operative.reloading', actions: ['finishTurn', 'claimWaiting'] },
  { target: '#operative.active', reenter: true, actions: ['finishTurn', 'claimWaiting'] },
] as const;

const afterTurn = [
  { guard: 'startsNextReloaded', target: '#operative.reloading', actions: ['finishTurn', 'claimWaiting'] },
  { guard: 'startsNext', target: '#operative.active', reenter: true, actions: ['finishTurn', 'claimWaiting'] },
  { target: '#operative.idle', actions: 'finishTurn' },
] as const;

const afterBreak = { target: '#operative.idle', actions: 'breakTurn' } as const;

const afterCompact = [
  { guard: 'reloads', target: '#operative.reloading', actions: 'endCompact' },
  { target: '#operative.active', actions: 'endCompact' },
] as const;

const closeTurn = { target: '#operative.active.closing', actions: ['awaitEnd', 'cancelTurn'] } as const;

// What guards and actions are called with: a command, or the done event of the turn or a service.
interface Step {
  readonly context: OperativeMachineContext;
  readonly event: OperativeMachineEvent;
}

const guards = {
  reloads: ({ context }: Step) => context.reloads,
  isAnswerable: ({ event }: Step) => event.type === 'turn.resume' && event.answerable,
  hasLoaded: ({ event }: Step) => outputOf<ReloadFacts>(event)?.kind === 'loaded',
  loadedAnswerable: ({ event }: Step) => outputOf<ReloadFacts>(event)?.answerable === true,
  isQueue: ({ event }: Step) => event.type === 'message.submit' && event.policy === 'queue',
  isReject: ({ event }: Step) => event.type === 'message.submit' && event.policy === 'reject',
  isPreempt: ({ event }: Step) => event.type === 'message.submit' && event.policy === 'preempt',
  holdsMessages: ({ event }: Step) => event.type === 'turn.cancel' && event.holds,
  isPossible: ({ event }: Step) => event.type === 'operative.compact' && event.possible,
  startsNext: ({ context, event }: Step) => startsNext(context, event),
  startsNextReloaded: ({ context, event }: Step) => context.reloads && startsNext(context, event),
};

const takesSubmission =
  (deed: 'claim' | 'steer' | 'keepLate' | 'hold' | 'preempt') =>
  ({ context, event }: Step): void => {
    if (event.type === 'message.submit') context.scope[deed](event.submission);
  };

const takesQuestion =
  (
    deed:
      | 'claimResume'
      | 'joinResume'
      | 'declineResume'
      | 'awaitEnd'
      | 'answerIdle'
      | 'beginCompact'
      | 'declineCompact',
  ) =>
  ({ context, event }: Step): void => {
    if ('question' in event) context.scope[deed](event.question);
  };

const actions = {
  claim: takesSubmission('claim'),
  steer: takesSubmission('steer'),
  keepLate: takesSubmission('keepLate'),
  hold: takesSubmission('hold'),
  preempt: takesSubmission('preempt'),
  claimResume: takesQuestion('claimResume'),
  joinResume: takesQuestion('joinResume'),
  declineResume: takesQuestion('declineResume'),
  awaitEnd: takesQuestion('awaitEnd'),
  answerIdle: takesQuestion('answerIdle'),
  beginCompact: takesQuestion('beginCompact'),
  declineCompact: takesQuestion('declineCompact'),
  claimWaiting: ({ context }: Step) => context.scope.claimWaiting(),
  dropClaim: ({ context }: Step) => context.scope.dropClaim(),
  beginTurn: ({ context }: Step) => context.scope.beginTurn(),
  demotePreempts: ({ context }: Step) => context.scope.demotePreempts(),
  abandonCompact: ({ context }: Step) => context.scope.abandonCompact(),
  close: ({ context }: Step) => context.scope.close(),
  rejectBusy: ({ context, event }: Step) => {
    if (event.type === 'message.submit') context.scope.reject(event.submission, 'busy');
  },
  rejectClosed: ({ context, event }: Step) => {
    if (event.type === 'message.submit') context.scope.reject(event.submission, 'closed');
    else if ('question' in event) context.scope.rejectClosed(event.question);
  },
  endClaim: ({ context }: Step, params: { readonly reason: 'aborted' | 'failed' }) =>
    context.scope.endClaim(params.reason),
  finishTurn: ({ context, event }: Step) => {
    if (event.type === 'xstate.done.actor.turn') context.scope.finishTurn(event.output);
  },
  breakTurn: ({ context, event }: Step) => context.scope.breakTurn('error' in event ? event.error : undefined),
  endCompact: ({ context, event }: Step) => context.scope.endCompact(outputOf<CompactFacts>(event)?.gained === true),
};

const config = {
  id: 'operative',
  description: 'One conversation with one turn at a time; messages that arrive meanwhile steer it.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: OperativeMachineContext }) => ({
    scope: input.scope,
    reloads: input.reloads,
    startsLate: input.startsLate,
  }),
  initial: 'idle',
  states: {
    idle: {
      description: 'Nothing runs; the next submit or resume claims a turn.',
      on: {
        'message.submit': claimOnSubmit,
        'turn.resume': [
          { guard: 'reloads', target: 'reloading', actions: 'claimResume' },
          { guard: 'isAnswerable', target: 'active', actions: 'claimResume' },
          { actions: 'declineResume' },
        ],
        'turn.cancel': { actions: 'answerIdle' },
        'operative.compact': [
          { guard: 'isPossible', target: 'compacting', actions: 'beginCompact' },
          { actions: 'declineCompact' },
        ],
        'operative.close': { target: 'closed', actions: ['awaitEnd', 'close'] },
      },
    },
    reloading: {
      description: 'A turn is claimed; the transcript is being loaded from durable storage.',
      invoke: {
        src: 'reload',
        id: 'reload',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: [
          { guard: 'loadedAnswerable', target: 'active' },
          { guard: 'hasLoaded', target: 'idle', actions: 'dropClaim' },
          { target: 'idle', actions: { type: 'endClaim', params: { reason: 'failed' } } },
        ],
        onError: { target: 'idle', actions: { type: 'endClaim', params: { reason: 'failed' } } },
      },
      on: {
        'message.submit': [
          ...holdOrReject,
          {
            guard: 'isPreempt',
            target: 'reloading',
            reenter: true,
            actions: ['preempt', { type: 'endClaim', params: { reason: 'aborted' } }, 'claimWaiting'],
          },
          { actions: 'steer' },
        ],
        'turn.resume': { actions: 'joinResume' },
        'turn.cancel': [
          {
            guard: 'holdsMessages',
            target: 'reloading',
            reenter: true,
            actions: ['awaitEnd', { type: 'endClaim', params: { reason: 'aborted' } }, 'claimWaiting'],
          },
          { target: 'idle', actions: ['awaitEnd', { type: 'endClaim', params: { reason: 'aborted' } }] },
        ],
        'operative.compact': { actions: 'declineCompact' },
        'operative.close': {
          target: 'closed',
          actions: ['awaitEnd', { type: 'endClaim', params: { reason: 'aborted' } }, 'close'],
        },
      },
    },
    active: {
      description: 'A turn is under way.',
      initial: 'running',
      entry: 'beginTurn',
      invoke: {
        src: 'turn',
        id: 'turn',
        input: ({ context }: Pick<Step, 'context'>) => context.scope.turnInput(),
        onDone: afterTurn,
        onError: afterBreak,
      },
      on: {
        'turn.resume': { actions: 'joinResume' },
        'operative.compact': { actions: 'declineCompact' },
        'operative.close': closeTurn,
      },
      states: {
        running: {
          description: 'The turn accepts steers.',
          entry: 'startTurn',
          on: {
            'turn.sealed': 'settling',
            'message.submit': [
              ...holdOrReject,
              { guard: 'isPreempt', target: 'preempting', actions: ['preempt', 'cancelTurn'] },
              { actions: 'steer' },
            ],
            'turn.cancel': { target: 'cancelling', actions: ['awaitEnd', 'cancelTurn'] },
          },
        },
        settling: {
          description: 'The turn is sealed: its answer is final, and messages that arrive now are late.',
          on: {
            'message.submit': [
              ...holdOrReject,
              { guard: 'isPreempt', target: 'preempting', actions: ['preempt', 'cancelTurn'] },
              { actions: 'keepLate' },
            ],
            'turn.cancel': { target: 'cancelling', actions: ['awaitEnd', 'cancelTurn'] },
          },
        },
        cancelling: {
          description: 'The turn was asked to stop; its tools have their grace time.',
          on: {
            'message.submit': [
              ...holdOrReject,
              { guard: 'isPreempt', target: 'preempting', actions: 'preempt' },
              { actions: 'keepLate' },
            ],
            'turn.cancel': { actions: ['awaitEnd', 'cancelTurn'] },
          },
        },
        preempting: {
          description: 'The turn was asked to stop so that the next one can start with the waiting messages.',
          on: {
            'message.submit': [...holdOrReject, { guard: 'isPreempt', actions: 'preempt' }, { actions: 'keepLate' }],
            'turn.cancel': { target: 'cancelling', actions: ['demotePreempts', 'awaitEnd', 'cancelTurn'] },
            'xstate.done.actor.turn': nextTurn,
          },
        },
        closing: {
          description: 'The operative closes as soon as its turn has stopped.',
          on: {
            'message.submit': { actions: 'rejectClosed' },
            'turn.resume': { actions: 'rejectClosed' },
            'operative.compact': { actions: 'rejectClosed' },
            'turn.cancel': { actions: ['awaitEnd', 'cancelTurn'] },
            'operative.close': { actions: 'awaitEnd' },
            'xstate.done.actor.turn': { target: '#operative.closed', actions: ['finishTurn', 'close'] },
            'xstate.error.actor.turn': { target: '#operative.closed', actions: ['breakTurn', 'close'] },
          },
        },
      },
    },
    compacting: {
      description: 'The older part of the transcript is being summarised.',
      initial: 'free',
      invoke: {
        src: 'compact',
        id: 'compact',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: { target: '#operative.idle', actions: 'endCompact' },
        onError: { target: '#operative.idle', actions: 'endCompact' },
      },
      on: {
        'turn.cancel': { target: 'idle', actions: ['awaitEnd', 'abandonCompact'] },
        'operative.compact': { actions: 'declineCompact' },
        'operative.close': { target: 'closed', actions: ['awaitEnd', 'abandonCompact', 'close'] },
      },
      states: {
        free: {
          description: 'Nobody has claimed the next turn yet.',
          on: {
            'message.submit': [
              { guard: 'isReject', actions: 'rejectBusy' },
              { target: 'claimed', actions: 'claim' },
            ],
            'turn.resume': [
              { guard: 'reloads', target: 'claimed', actions: 'claimResume' },
              { guard: 'isAnswerable', target: 'claimed', actions: 'claimResume' },
              { actions: 'declineResume' },
            ],
          },
        },
        claimed: {
          description: 'A turn is claimed and begins as soon as the summary is ready.',
          on: {
            'message.submit': [
              ...holdOrReject,
              {
                guard: 'isPreempt',
                actions: ['preempt', { type: 'endClaim', params: { reason: 'aborted' } }, 'claimWaiting'],
              },
              { actions: 'steer' },
            ],
            'turn.resume': { actions: 'joinResume' },
            'turn.cancel': {
              guard: 'holdsMessages',
              actions: ['awaitEnd', { type: 'endClaim', params: { reason: 'aborted' } }, 'claimWaiting'],
            },
            'xstate.done.actor.compact': afterCompact,
            'xstate.error.actor.compact': afterCompact,
          },
        },
      },
    },
    closed: {
      description: 'Rejects everything. Not a final state, so that late callers still get an answer.',
      on: {
        'message.submit': { actions: 'rejectClosed' },
        'turn.resume': { actions: 'rejectClosed' },
        'turn.cancel': { actions: 'answerIdle' },
        'operative.compact': { actions: 'rejectClosed' },
        'operative.close': { actions: 'answerIdle' },
      },
    },
  },
} as const;

/** What the chart's two `sendTo` actions do: the table needs it and XState does not expose it. */
const sends: ChildSends = {
  startTurn: { child: 'turn', eventOf: () => turnStart },
  cancelTurn: { child: 'turn', eventOf: ({ event }) => cancelOf(event) },
};

/** The chart as data; operatives run from its table. */
export const operativeChart = { id: config.id, config, implementations: { guards, actions }, sends };

/** The chart as an XState machine, to read and explore. Its turn and its services are stubs until they are provided. */
export const operativeMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as OperativeMachineContext,
      input: {} as OperativeMachineContext,
      events: {} as OperativeMachineEvent,
    },
    actors: {
      turn: turnMachine,
      reload: serviceStub<OperativeScope, ReloadFacts>('reload'),
      compact: serviceStub<OperativeScope, CompactFacts>('compact'),
    },
    guards,
    actions: {
      ...actions,
      startTurn: sendTo('turn', turnStart),
      cancelTurn: sendTo('turn', ({ event }) => cancelOf(event)),
    },
  }).createMachine(config);
}

// Passes on the grace time of a cancel; a preempt or a close uses the engine's.
function cancelOf(event: object): { readonly type: 'turn.cancel'; readonly graceMs?: number } {
  const { graceMs } = event as { readonly graceMs?: number };
  return graceMs === undefined ? turnCancel : { type: 'turn.cancel', graceMs };
}

const startReasons: ReadonlySet<string> = new Set(['completed', 'maxIterations', 'maxTokens', 'refused']);

// Queued messages always start the next turn; late ones only when asked to, and never after a turn that did not end
// well.
function startsNext(context: OperativeMachineContext, event: OperativeMachineEvent): boolean {
  if (event.type !== 'xstate.done.actor.turn') return false;
  const { waiting, reason } = event.output;
  return waiting.queued > 0 || (context.startsLate && waiting.late > 0 && startReasons.has(reason));
}

// The facts of a service's done event: only the chart's own handlers, and not shared guards, have them typed.
function outputOf<Facts>(event: object): Facts | undefined {
  return 'output' in event ? (event.output as Facts) : undefined;
}
