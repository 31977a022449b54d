// One line for each event and each service of the charts, for the chart pages and for whoever shows a chart.

import type { BackgroundTaskMachineEvent } from './background-task.ts';
import type { BackgroundTasksMachineEvent } from './background-tasks.ts';
import type { OperativeMachineEvent } from './operative.ts';
import type { RealtimeSessionMachineEvent } from './realtime-session.ts';
import type { ToolCallMachineEvent } from './tool-call.ts';
import type { TurnMachineEvent } from './turn.ts';

// Done and error events of services are described in `serviceDescriptions` below.
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
  readonly realtimeSession: Own<RealtimeSessionMachineEvent>;
} = {
  turn: {
    'turn.start': 'Starts the turn; sent once, right after it is created.',
    'turn.cancel': 'Ends the turn: at once, or within `graceMs` while tools run.',
    'approval.asked': 'A call waits for approval.',
    'approval.answered': 'An approval was answered or dropped; `waiting` others are open.',
  },
  toolCall: {
    'call.checked':
      'Facts known before anything runs: may the call run, was it cut, does the tool exist, do the arguments fit, is approval needed.',
    'approval.settled': 'The call was approved or denied; changed arguments were checked again.',
    'tool.settled': 'The tool returned, threw, or continues as a background task.',
    'call.timedOut': 'The tool took longer than its limit.',
    'call.cancel': 'The turn is being cancelled: a call that does not run yet never will.',
    'call.expire': 'The grace time of a cancel is over, or the tool has obeyed its signal.',
  },
  operative: {
    'message.submit': 'A message with its policy: steer, queue, reject or preempt.',
    'turn.resume': 'Continue without a new message; `answerable`: there is something to answer.',
    'turn.cancel': 'Stop the running turn; `graceMs` bounds how long its tools may take.',
    'operative.compact': 'Summarise the older part of the transcript; `possible`: there is something that can.',
    'operative.close': 'Stop what runs and reject everything from now on.',
    'turn.sealed': 'The running turn accepts no more messages.',
  },
  backgroundTasks: {
    'task.start': 'A tool is to run as a task; the caller is answered in this step.',
    'task.ended': 'A task has settled; `live` others have not.',
    'tasks.close': 'Stop every task and accept no new ones; `live` tasks have not ended.',
  },
  backgroundTask: {
    'tool.settled': 'The tool returned or threw.',
    'task.stop': 'The tool is to stop: its signal is aborted.',
  },
  realtimeSession: {
    'session.connect': 'Starts the session; sent once, right after it is created.',
    'wire.opened': 'The link is up.',
    'wire.closed': 'The link is gone; `end` says why.',
    'session.created': 'The server has created its session.',
    'session.configured': 'The server accepted the configuration; `seeds` items of history are to be added.',
    'history.seeded': 'The server has the whole history.',
    'session.close': 'The session is to end: at once, or once everything under way is over (`drains`).',
    'session.failed': 'Nothing can succeed any more, or the call was hung up; `end` says why.',
    'session.expiring': 'The server announced that the session’s time ends soon.',
    'microphone.opened': 'The first audio of the user was appended.',
    'microphone.congested': 'The socket accepts no more for now.',
    'microphone.relieved': 'The socket accepted everything that waited.',
    'speech.started': 'The user speaks; `interrupts`: the server stops its answer.',
    'speech.stopped': 'The user has stopped speaking; `answers`: the server answers by itself.',
    'input.committed': 'What the user said is, or is about to become, an item of the conversation.',
    'input.cleared': 'What the user said is, or is about to be, discarded.',
    'detection.changed': 'From now on someone else, or nobody, detects when the user speaks.',
    'activity.started': 'The application reports that the user speaks.',
    'activity.ended': 'The application reports that the user has stopped speaking.',
    'response.created':
      'An answer has begun: our `own`, the `server`’s, or one that was `recalled`; `owed` replies are left.',
    'response.done': 'The answer is over; `inFlight`: a request still awaits its answer.',
    'response.interrupt': 'A caller wants silence.',
    'request.refused': 'The request was refused; `occupied`: another answer is active.',
    'audio.begun': 'The first audio to be heard next has arrived.',
    'playback.finished': 'All audio that arrived was heard.',
    'output.acknowledged': 'The server knows what was heard.',
    'tool.requested': 'The model calls a tool.',
    'tool.settled': 'A call has its result, or will never have one; `open` others are still open.',
    'debt.changed': '`owed` replies are owed now.',
    'regions.moved': 'Raised by a region that made room: an owed reply may be requested, a draining session may end.',
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
    turn: 'runs one turn, which has its own chart',
    compact: 'summarises the older part of the transcript',
  },
  backgroundTasks: {},
  backgroundTask: { grace: 'waits for the tool’s grace time to pass' },
  realtimeSession: {
    dialDeadline: 'limits the wait for the link',
    sessionDeadline: 'limits the wait for the server’s session',
    configureDeadline: 'limits the wait for the configuration to be accepted',
    seedDeadline: 'limits the wait for the history to be accepted',
    expiry: 'waits until the session’s time is nearly over',
    keepAlive: 'asks for signs of life when nothing arrives over the link',
    drainDeadline: 'limits how long a drain may take',
    speechDeadline: 'limits the wait for the end of speech',
    replyGrace: 'waits for the server’s own answer to what the user said',
    requestDeadline: 'limits the wait for the requested answer',
    occupiedDeadline: 'limits the wait for the end of an answer that was never announced',
    recallDeadline: 'limits the wait for the fate of a recalled request',
    answerDeadline: 'ends an answer of which nothing more arrives',
    cancelDeadline: 'limits the wait for the end of an interrupted answer',
    playDeadline: 'limits the wait for the end of what the provider plays',
    flushDeadline: 'limits the wait until the server knows what was heard',
    reconnect: 'would restore the link; for now it only gives up',
    closeDeadline: 'limits the wait for the server to close',
  },
} as const satisfies Readonly<Record<keyof typeof eventDescriptions, Readonly<Record<string, string>>>>;
