// One line for each event and each service of the charts, for the chart pages and for whoever shows a chart.

import type { BackgroundTaskMachineEvent } from './background-task.ts';
import type { BackgroundTasksMachineEvent } from './background-tasks.ts';
import type { OperativeMachineEvent } from './operative.ts';
import type { ToolCallMachineEvent } from './tool-call.ts';
import type { TurnMachineEvent } from './turn.ts';

// What services report when they settle is told by the service.
type Own<Event extends { readonly type: string }> = Readonly<
  Record<Exclude<Event['type'], `xstate.${string}`>, string>
>;

/** By chart and type. */
export const eventDescriptions: {
  readonly turn: Own<TurnMachineEvent>;
  readonly toolCall: Own<ToolCallMachineEvent>;
  readonly operative: Own<OperativeMachineEvent>;
  readonly backgroundTasks: Own<BackgroundTasksMachineEvent>;
  readonly backgroundTask: Own<BackgroundTaskMachineEvent>;
} = {
  turn: {
    'turn.start': 'Begins the work; sent once, right after the turn was made.',
    'turn.cancel': 'Ends the turn: at once, or within `graceMs` while tools run.',
    'approval.asked': 'A call waits for somebody’s yes or no.',
    'approval.answered': 'A question was answered or dropped; `waiting` others are open.',
  },
  toolCall: {
    'call.checked':
      'What is known before anything runs: may it run, was it cut, is there such a tool, do the arguments fit, must somebody be asked.',
    'approval.settled': 'Somebody said yes or no; changed arguments were checked again.',
    'tool.settled': 'The tool returned, threw, or went on as a background task.',
    'call.timedOut': 'The tool took longer than its limit.',
    'call.cancel': 'The turn is being cancelled: what does not run yet never will.',
    'call.expire': 'The grace time of a cancel is over.',
  },
  operative: {
    'message.submit': 'A message with its policy: steer, queue, reject or preempt.',
    'turn.resume': 'Go on without a new message; `answerable` tells whether there is something to answer.',
    'turn.cancel': 'Stop the running turn; `graceMs` bounds how long its tools may take.',
    'operative.compact': 'Summarise the older part of the transcript; `possible` tells whether something can.',
    'operative.close': 'Stop what runs and reject everything from now on.',
    'turn.sealed': 'The running turn takes no more messages.',
  },
  backgroundTasks: {
    'task.start': 'A tool is to run as a task; the question is answered in this step.',
    'task.ended': 'A task has settled; `live` others have not.',
    'tasks.close': 'Stop every task and take no new ones; `live` tells how many there are.',
  },
  backgroundTask: {
    'tool.settled': 'The tool returned or threw.',
    'task.stop': 'The tool is to end: its signal is aborted.',
  },
};

/** By chart and invoke id. */
export const serviceDescriptions = {
  turn: {
    prepare: 'runs the beforeTurn transformers',
    shape: 'runs the beforeIteration transformers',
    streamModel: 'calls the model once and puts its answer into the transcript',
    delay: 'waits before a retry',
    review: 'runs the afterIteration transformers',
    dispatchTools: 'carries out the calls of a message and appends their results',
    close: 'runs the afterTurn transformers',
  },
  toolCall: {},
  operative: {
    reload: 'fetches the transcript from the host’s store',
    turn: 'is one turn, a chart of its own',
    compact: 'summarises the older part of the transcript',
  },
  backgroundTasks: {},
  backgroundTask: { grace: 'waits until the tool has had its time to stop' },
} as const satisfies Readonly<Record<keyof typeof eventDescriptions, Readonly<Record<string, string>>>>;
