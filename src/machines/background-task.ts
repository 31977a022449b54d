// One background task from its start to its end. The chart decides; the registry runs the tool and reports how it
// ended.

import { setup, type DoneActorEvent, type ErrorActorEvent } from 'xstate';
import type { JsonValue } from '../conversation/json.ts';
import { serviceStub } from './service.ts';

/** The chart's only handle on its task. No method throws. */
export interface BackgroundTaskScope {
  /** Aborts the tool's signal. */
  abort(): void;
  toJSON(): JsonValue;
}

/** Constant for the life of the task. */
export interface BackgroundTaskMachineContext {
  readonly scope: BackgroundTaskScope;
}

/** What the registry reports, and the end of the grace time. */
export type BackgroundTaskMachineEvent =
  | { readonly type: 'tool.settled'; readonly isError: boolean }
  | { readonly type: 'task.stop' }
  | DoneActorEvent<unknown, 'grace'>
  | ErrorActorEvent<unknown, 'grace'>;

// What guards and actions are called with.
interface Step {
  readonly context: BackgroundTaskMachineContext;
  readonly event: BackgroundTaskMachineEvent;
}

const guards = {
  isError: ({ event }: Step) => event.type === 'tool.settled' && event.isError,
};

const actions = {
  abort: ({ context }: Step) => context.scope.abort(),
};

const config = {
  id: 'backgroundTask',
  description: 'One background task: it runs, may be asked to stop, and ends.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: BackgroundTaskMachineContext }) => ({ scope: input.scope }),
  initial: 'running',
  states: {
    running: {
      description: 'The tool runs.',
      on: {
        'tool.settled': [{ guard: 'isError', target: 'failed' }, { target: 'completed' }],
        'task.stop': { target: 'stopping', actions: 'abort' },
      },
    },
    stopping: {
      description: 'The tool was asked to stop; its grace time is running.',
      invoke: {
        src: 'grace',
        id: 'grace',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: 'stopped',
        onError: 'stopped',
      },
      on: { 'tool.settled': 'stopped' },
    },
    completed: { description: 'The tool returned.', type: 'final' },
    failed: { description: 'The tool threw, returned an error, or was ended from outside.', type: 'final' },
    stopped: { description: 'It ended after being asked to stop, or was given up because it did not.', type: 'final' },
  },
} as const;

/** The chart as data. Its states are the statuses of a task. */
export const backgroundTaskChart = { id: config.id, config, implementations: { guards, actions } };

/** The chart as an XState machine, to read and explore. Its service is a stub until it is provided. */
export const backgroundTaskMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as BackgroundTaskMachineContext,
      input: {} as BackgroundTaskMachineContext,
      events: {} as BackgroundTaskMachineEvent,
    },
    actors: { grace: serviceStub<BackgroundTaskScope, unknown>('grace') },
    guards,
    actions,
  }).createMachine(config);
}
