// The registry of background tasks: open, closing, closed. The tasks are separate actors, not its children.

import { setup } from 'xstate';
import type { JsonValue } from '../conversation/json.ts';

/** A caller that waits for the registry's decision or its end; the runtime adds the way to answer it. */
export interface TaskQuestion {
  readonly kind: 'start' | 'close';
}

/** The chart's only handle on its tasks. No method throws. */
export interface BackgroundTasksScope {
  accept(question: TaskQuestion): void;
  refuse(question: TaskQuestion): void;
  /** Asks every live task to stop. */
  stopAll(): void;
  awaitClosed(question: TaskQuestion): void;
  /** Answers every caller that waits for the end. */
  answerClosed(): void;
  toJSON(): JsonValue;
}

/** Constant for the life of the registry. */
export interface BackgroundTasksMachineContext {
  readonly scope: BackgroundTasksScope;
}

/** Requests of callers, and the ends of tasks. `live`: how many tasks have not ended at that moment. */
export type BackgroundTasksMachineEvent =
  | { readonly type: 'task.start'; readonly question: TaskQuestion }
  | { readonly type: 'task.ended'; readonly live: number }
  | { readonly type: 'tasks.close'; readonly live: number; readonly question: TaskQuestion };

// What guards and actions are called with.
interface Step {
  readonly context: BackgroundTasksMachineContext;
  readonly event: BackgroundTasksMachineEvent;
}

const guards = {
  isNoneLeft: ({ event }: Step) => event.type !== 'task.start' && event.live === 0,
};

const actions = {
  accept: ({ context, event }: Step) => {
    if (event.type === 'task.start') context.scope.accept(event.question);
  },
  refuse: ({ context, event }: Step) => {
    if (event.type === 'task.start') context.scope.refuse(event.question);
  },
  stopAll: ({ context }: Step) => context.scope.stopAll(),
  awaitClosed: ({ context, event }: Step) => {
    if (event.type === 'tasks.close') context.scope.awaitClosed(event.question);
  },
  answerClosed: ({ context }: Step) => context.scope.answerClosed(),
};

const config = {
  id: 'backgroundTasks',
  description: 'The registry of background tasks.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: BackgroundTasksMachineContext }) => ({ scope: input.scope }),
  initial: 'open',
  states: {
    open: {
      description: 'Accepts new tasks.',
      on: {
        'task.start': { actions: 'accept' },
        'tasks.close': [
          { guard: 'isNoneLeft', target: 'closed', actions: ['awaitClosed', 'answerClosed'] },
          { target: 'closing', actions: ['awaitClosed', 'stopAll'] },
        ],
      },
    },
    closing: {
      description: 'Every task was asked to stop; at least one has not ended yet.',
      on: {
        'task.start': { actions: 'refuse' },
        'task.ended': { guard: 'isNoneLeft', target: 'closed', actions: 'answerClosed' },
        'tasks.close': { actions: 'awaitClosed' },
      },
    },
    closed: {
      description: 'Nothing runs and no new task is accepted; settled tasks can still be read.',
      on: {
        'task.start': { actions: 'refuse' },
        'tasks.close': { actions: ['awaitClosed', 'answerClosed'] },
      },
    },
  },
} as const;

/** The chart as data. */
export const backgroundTasksChart = { id: config.id, config, implementations: { guards, actions } };

/** The chart as an XState machine, to read and explore. */
export const backgroundTasksMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as BackgroundTasksMachineContext,
      input: {} as BackgroundTasksMachineContext,
      events: {} as BackgroundTasksMachineEvent,
    },
    guards,
    actions,
  }).createMachine(config);
}
