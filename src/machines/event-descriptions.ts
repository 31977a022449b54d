// One line for each event and each service of the charts, for the chart pages and for whoever shows a chart.

import type { BackgroundTaskMachineEvent } from './background-task.ts';
import type { BackgroundTasksMachineEvent } from './background-tasks.ts';
import type { OperativeMachineEvent } from './operative.ts';
import type { RealtimeSessionMachineEvent } from './realtime-session.ts';
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
  readonly realtimeSession: Own<RealtimeSessionMachineEvent>;
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
    'call.expire': 'The grace time of a cancel is over, or the tool has obeyed its signal.',
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
  realtimeSession: {
    'session.connect': 'Begins; sent once, right after the session was made.',
    'wire.opened': 'The link is up.',
    'wire.closed': 'The link is gone; `end` says why.',
    'session.created': 'The server has a session.',
    'session.configured': 'The server took the configuration; `seeds` items of history are to be put in.',
    'history.seeded': 'The server has the whole history.',
    'session.close': 'Somebody wants the end: at once, or when what runs is over (`drains`).',
    'session.failed': 'Nothing will succeed any more, or the call was hung up; `end` says why.',
    'session.expiring': 'The server says that the session’s time ends soon.',
    'microphone.opened': 'The first audio of the user was appended.',
    'microphone.congested': 'The socket takes no more.',
    'microphone.relieved': 'The socket took everything that waited.',
    'speech.started': 'The user speaks; `interrupts` tells whether the server stops its answer.',
    'speech.stopped': 'The user has spoken; `answers` tells whether the server answers by itself.',
    'input.committed': 'What the user said is, or is to be, an item of the conversation.',
    'input.cleared': 'What the user said is, or is to be, thrown away.',
    'detection.changed': 'Somebody else, or nobody, finds out from now on when the user speaks.',
    'activity.started': 'The application says that the user speaks.',
    'activity.ended': 'The application says that the user has spoken.',
    'response.created':
      'An answer has begun: `own`, the `server`’s, or one that was `recalled`; `owed` replies are left.',
    'response.done': 'The answer is over; `inFlight` tells whether a request is still to be answered.',
    'response.interrupt': 'Somebody wants silence.',
    'request.refused': 'The request was not taken; `occupied` tells that another answer is active.',
    'audio.begun': 'The first audio that is now to be heard has come.',
    'playback.finished': 'Everything that came was heard.',
    'output.acknowledged': 'The server knows what was heard.',
    'tool.requested': 'The model calls a tool.',
    'tool.settled': 'A call has its result, or never will; `open` others have not.',
    'debt.changed': '`owed` replies are owed now.',
    'regions.moved': 'Raised by a region that made room: an owed reply may be asked for, a draining session may end.',
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
  realtimeSession: {
    dialDeadline: 'waits for the link',
    sessionDeadline: 'waits for the server’s session',
    configureDeadline: 'waits for the configuration to be taken',
    seedDeadline: 'waits for the history to be taken',
    expiry: 'waits until the session’s time is nearly over',
    keepAlive: 'asks for signs of life when nothing comes over the link',
    drainDeadline: 'waits as long as a drain may take',
    speechDeadline: 'waits for the word that the user has spoken',
    replyGrace: 'waits for the server’s own answer to what the user said',
    requestDeadline: 'waits for the answer that was asked for',
    occupiedDeadline: 'waits for the end of an answer that was not told',
    recallDeadline: 'waits for the fate of a request that was given up',
    answerDeadline: 'waits while something comes of the answer',
    cancelDeadline: 'waits for the end of an interrupted answer',
    playDeadline: 'waits for the end of what the provider plays',
    flushDeadline: 'waits until the server knows what was heard',
    reconnect: 'would bring the link back, and gives up for now',
    closeDeadline: 'waits for the server to close',
  },
} as const satisfies Readonly<Record<keyof typeof eventDescriptions, Readonly<Record<string, string>>>>;
