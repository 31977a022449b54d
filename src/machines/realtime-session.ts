// One live voice session: its link, the user's speech, the answer, the player, tool calls and owed replies, side by
// side. The chart decides; src/realtime acts, and reports what it saw as facts on the events.

import { and, not, or, raise, setup, stateIn, type DoneActorEvent } from 'xstate';
import type { RealtimeCloseReason, RealtimePhase } from '../contracts/realtime.ts';
import type { JsonValue } from '../conversation/json.ts';
import { serviceStub } from './service.ts';

/** Why an answer is cut off. */
export type InterruptionCause = 'speech' | 'request';

/** How a session ends. The first end that is reported counts. */
export interface SessionEnd {
  readonly reason: RealtimeCloseReason;
  readonly code?: number;
  readonly message?: string;
  /** What `connect` rejects with if the session was never ready. */
  readonly error?: unknown;
}

/** The chart's only handle on its session. No method throws; what they do is up to the session. */
export interface RealtimeScope {
  /** Opens a link. */
  dial(): void;
  /** Sends the configuration. */
  configure(): void;
  /** Adds the history to the conversation. */
  seed(): void;
  /** Announces that the session can be used and sends what waited. */
  begin(): void;
  /** Sends the next owed reply's `response.create`. */
  requestReply(): void;
  /** Gives up a request the server has not answered yet; if the answer begins anyway, it is cancelled. */
  recall(cause: InterruptionCause): void;
  /** Lets nothing more of the current answer through. */
  silence(cause: InterruptionCause): void;
  /** Asks the server to stop the current answer. */
  cancelResponse(): void;
  /** Reports to the server how much of its audio was heard, and stops the player. */
  cutOutput(cause: InterruptionCause): void;
  /** No reply is owed to the running calls any more; answers the caller once nothing is being interrupted. */
  awaitQuiet(event: ResponseInterrupt): void;
  /** The server did not answer in time. */
  giveUp(what: 'speech' | 'request' | 'occupied' | 'recall' | 'answer' | 'cancel' | 'flush' | 'play'): void;
  /** The session's time ends soon. */
  announceExpiry(): void;
  /** Notes that the session ends because the other end of the link no longer responds. */
  noteSilence(): void;
  /** Notes why the session ends. */
  noteEnd(end: SessionEnd): void;
  /** Begins the closing handshake. */
  closeLink(): void;
  /** Ends the link, every promise and every reader. */
  finish(): void;
  toJSON(): JsonValue;
}

/** Deadlines on the host's clock. Each ends with the facts of that moment. */
export type DeadlineKind =
  | 'connect'
  | 'speech'
  | 'grace'
  | 'request'
  | 'occupied'
  | 'recall'
  | 'answer'
  | 'cancel'
  | 'flush'
  | 'play'
  | 'drain'
  | 'close';

/** What a deadline is started with. */
export interface DeadlineInput {
  readonly scope: RealtimeScope;
  readonly kind: DeadlineKind;
}

/** The facts when a deadline ends. */
export interface DeadlineFacts {
  /** Replies still owed, without the one it waited for. */
  readonly owed: number;
  /** A request still awaits its answer. */
  readonly inFlight: boolean;
}

/** Whose answer has begun: one we asked for, one the server began by itself, or one that was given up. */
export type ResponseOwner = 'own' | 'server' | 'recalled';

/** A caller wants silence. `ticket` is the session's own. */
export interface ResponseInterrupt {
  readonly type: 'response.interrupt';
  readonly ticket: unknown;
}

/** Events from the session. `owed` counts the replies owed, without one that is under way. */
export type RealtimeSessionMachineEvent =
  | { readonly type: 'session.connect' }
  | { readonly type: 'wire.opened' }
  | { readonly type: 'wire.closed'; readonly end: SessionEnd }
  | { readonly type: 'session.created' }
  | { readonly type: 'session.configured'; readonly seeds: number }
  | { readonly type: 'history.seeded' }
  | { readonly type: 'session.close'; readonly drains: boolean; readonly end: SessionEnd }
  | { readonly type: 'session.failed'; readonly end: SessionEnd }
  | { readonly type: 'session.expiring' }
  | { readonly type: 'microphone.opened' }
  | { readonly type: 'microphone.congested' }
  | { readonly type: 'microphone.relieved' }
  | { readonly type: 'speech.started'; readonly interrupts: boolean }
  | { readonly type: 'speech.stopped'; readonly answers: boolean }
  | { readonly type: 'input.committed'; readonly answers: boolean }
  | { readonly type: 'input.cleared' }
  | { readonly type: 'detection.changed' }
  | { readonly type: 'activity.started' }
  | { readonly type: 'activity.ended' }
  | { readonly type: 'response.created'; readonly owner: ResponseOwner; readonly owed: number }
  | { readonly type: 'response.done'; readonly inFlight: boolean; readonly owed: number }
  | ResponseInterrupt
  | { readonly type: 'request.refused'; readonly occupied: boolean; readonly owed: number }
  | { readonly type: 'audio.begun' }
  | { readonly type: 'playback.finished' }
  | { readonly type: 'output.acknowledged' }
  | { readonly type: 'tool.requested' }
  | { readonly type: 'tool.settled'; readonly open: number; readonly owed: number }
  | { readonly type: 'debt.changed'; readonly owed: number }
  | { readonly type: 'regions.moved' }
  | DoneActorEvent<DeadlineFacts, 'requestDeadline'>
  | DoneActorEvent<undefined, 'expiry'>;

/** Constant for the life of the session. */
export interface RealtimeSessionMachineContext {
  readonly scope: RealtimeScope;
}

// What guards and actions are called with.
interface Step {
  readonly context: RealtimeSessionMachineContext;
  readonly event: RealtimeSessionMachineEvent;
}

const guards = {
  hasHistory: ({ event }: Step) => event.type === 'session.configured' && event.seeds > 0,
  drains: ({ event }: Step) => event.type === 'session.close' && event.drains,
  interrupts: ({ event }: Step) => event.type === 'speech.started' && event.interrupts,
  answers: ({ event }: Step) => 'answers' in event && event.answers,
  isRecalled: ({ event }: Step) => event.type === 'response.created' && event.owner === 'recalled',
  isServers: ({ event }: Step) => event.type === 'response.created' && event.owner === 'server',
  isInFlight: ({ event }: Step) =>
    event.type === 'response.done' ? event.inFlight : factsOf(event)?.inFlight === true,
  isOccupied: ({ event }: Step) => event.type === 'request.refused' && event.occupied,
  isLast: ({ event }: Step) => event.type === 'tool.settled' && event.open === 0,
  owes: ({ event }: Step) => owedOf(event) > 0,
  owesNothing: ({ event }: Step) => owedOf(event) === 0,
  // Across regions: a reply is owed, the user does not speak, and the server had its chance to answer by itself.
  mayReply: and([
    stateIn({ live: { debt: 'owed' } }),
    or([stateIn({ live: { input: 'quiet' } }), stateIn({ live: { input: 'listening' } })]),
    not(stateIn({ live: { link: 'draining' } })),
  ]),
  // Across regions: nothing is said, played or run any more.
  isDrained: and([
    stateIn({ live: { response: 'idle' } }),
    stateIn({ live: { playback: 'silent' } }),
    stateIn({ live: { tools: 'noCall' } }),
  ]),
};

const actions = {
  dial: ({ context }: Step) => context.scope.dial(),
  configure: ({ context }: Step) => context.scope.configure(),
  seed: ({ context }: Step) => context.scope.seed(),
  begin: ({ context }: Step) => context.scope.begin(),
  requestReply: ({ context }: Step) => context.scope.requestReply(),
  recall: ({ context }: Step, params: { readonly cause: InterruptionCause }) => context.scope.recall(params.cause),
  silence: ({ context }: Step, params: { readonly cause: InterruptionCause }) => context.scope.silence(params.cause),
  cancelResponse: ({ context }: Step) => context.scope.cancelResponse(),
  cutOutput: ({ context }: Step, params: { readonly cause: InterruptionCause }) =>
    context.scope.cutOutput(params.cause),
  awaitQuiet: ({ context, event }: Step) => {
    if (event.type === 'response.interrupt') context.scope.awaitQuiet(event);
  },
  giveUp: ({ context }: Step, params: { readonly what: Parameters<RealtimeScope['giveUp']>[0] }) =>
    context.scope.giveUp(params.what),
  announceExpiry: ({ context }: Step) => context.scope.announceExpiry(),
  noteSilence: ({ context }: Step) => context.scope.noteSilence(),
  noteEnd: ({ context, event }: Step) => {
    if ('end' in event) context.scope.noteEnd(event.end);
  },
  noteTimeout: ({ context }: Step) =>
    context.scope.noteEnd({ reason: 'connectFailed', message: 'The server did not answer in time.' }),
  closeLink: ({ context }: Step) => context.scope.closeLink(),
  finish: ({ context }: Step) => context.scope.finish(),
};

const bySpeech = { cause: 'speech' } as const;
const byRequest = { cause: 'request' } as const;

const deadline =
  (kind: DeadlineKind) =>
  ({ context }: Pick<Step, 'context'>): DeadlineInput => ({ scope: context.scope, kind });

const connectFailure = { target: '#realtimeSession.closing', actions: 'noteTimeout' } as const;

// The server did not answer in time: the waiting caller is informed, and the region is free again.
const toIdle = (what: 'request' | 'occupied' | 'recall' | 'cancel') =>
  ({ target: 'idle', actions: { type: 'giveUp', params: { what } } }) as const;
const toSilent = (what: 'flush' | 'play') =>
  ({ target: 'silent', actions: { type: 'giveUp', params: { what } } }) as const;
const toListening = { target: 'listening', actions: { type: 'giveUp', params: { what: 'speech' } } } as const;
// The answer may still go on; whatever the server does, the region is free.
const unended = {
  target: 'idle',
  actions: ['cancelResponse', { type: 'giveUp', params: { what: 'answer' } }],
} as const;

// A request that crossed the answer still awaits its own: no other may be sent before that.
const afterDone = [{ guard: 'isInFlight', target: 'requested' }, { target: 'idle' }] as const;

const interruptedBySpeech = {
  guard: 'interrupts',
  target: 'cancelling',
  actions: { type: 'silence', params: bySpeech },
} as const;
const interruptedByRequest = {
  target: 'cancelling',
  actions: [{ type: 'silence', params: byRequest }, 'cancelResponse'],
} as const;
const unwanted = { guard: 'isRecalled', target: 'cancelling', actions: 'cancelResponse' } as const;
const begun = [unwanted, { target: 'active' }] as const;

const closeFromLive = [
  { guard: 'drains', target: 'draining', actions: 'noteEnd' },
  { target: '#realtimeSession.closing', actions: 'noteEnd' },
] as const;

const owing = { guard: 'owes', target: 'owed' } as const;
const even = { guard: 'owesNothing', target: 'even' } as const;

const config = {
  id: 'realtimeSession',
  description: 'One live voice session, from dialling to its end.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: RealtimeSessionMachineContext }) => ({ scope: input.scope }),
  initial: 'resting',
  states: {
    resting: {
      description: 'Waits for `session.connect`: no work may begin in a machine’s initial step.',
      tags: 'connecting',
      on: { 'session.connect': 'connecting', 'session.close': { target: 'closed', actions: 'noteEnd' } },
    },
    connecting: {
      description: 'The link is opened, the session configured, the history added; each step has its own deadline.',
      tags: 'connecting',
      initial: 'dialing',
      on: {
        'wire.closed': { target: 'closed', actions: 'noteEnd' },
        'session.close': { target: 'closing', actions: 'noteEnd' },
        'session.failed': { target: 'closing', actions: 'noteEnd' },
      },
      states: {
        dialing: {
          description: 'Waits for the link.',
          entry: 'dial',
          invoke: {
            src: 'deadline',
            input: deadline('connect'),
            id: 'dialDeadline',
            onDone: connectFailure,
            onError: connectFailure,
          },
          on: { 'wire.opened': 'awaitingSession' },
        },
        awaitingSession: {
          description: 'Waits for the server’s session.',
          invoke: {
            src: 'deadline',
            input: deadline('connect'),
            id: 'sessionDeadline',
            onDone: connectFailure,
            onError: connectFailure,
          },
          on: { 'session.created': 'configuring' },
        },
        configuring: {
          description: 'Waits for the configuration to be accepted.',
          entry: 'configure',
          invoke: {
            src: 'deadline',
            input: deadline('connect'),
            id: 'configureDeadline',
            onDone: connectFailure,
            onError: connectFailure,
          },
          on: {
            'session.configured': [{ guard: 'hasHistory', target: 'seeding' }, { target: '#realtimeSession.live' }],
          },
        },
        seeding: {
          description: 'Waits for the history to be accepted.',
          entry: 'seed',
          invoke: {
            src: 'deadline',
            input: deadline('connect'),
            id: 'seedDeadline',
            onDone: connectFailure,
            onError: connectFailure,
          },
          on: { 'history.seeded': '#realtimeSession.live' },
        },
      },
    },
    live: {
      description: 'The session can be used. Six regions, one for each concern.',
      type: 'parallel',
      entry: 'begin',
      invoke: [
        {
          src: 'expiry',
          id: 'expiry',
          input: ({ context }: Pick<Step, 'context'>) => context.scope,
          onDone: { actions: 'announceExpiry' },
          onError: { actions: 'announceExpiry' },
        },
        {
          src: 'keepAlive',
          id: 'keepAlive',
          input: ({ context }: Pick<Step, 'context'>) => context.scope,
          onDone: { target: 'reconnecting', actions: 'noteSilence' },
          onError: { target: 'reconnecting', actions: 'noteSilence' },
        },
      ],
      on: {
        'wire.closed': { target: 'reconnecting', actions: 'noteEnd' },
        'session.failed': { target: 'closing', actions: 'noteEnd' },
      },
      states: {
        link: {
          description: 'The state of the socket.',
          initial: 'open',
          states: {
            open: {
              description: 'Everything is sent at once.',
              on: {
                'microphone.congested': 'congested',
                'session.expiring': 'expiring',
                'xstate.done.actor.expiry': { target: 'expiring', actions: 'announceExpiry' },
                'session.close': closeFromLive,
              },
            },
            congested: {
              description: 'The socket accepts no more: microphone audio waits, and what exceeds the limit is dropped.',
              on: {
                'microphone.relieved': 'open',
                'session.expiring': 'expiring',
                'xstate.done.actor.expiry': { target: 'expiring', actions: 'announceExpiry' },
                'session.close': closeFromLive,
              },
            },
            expiring: {
              description: 'The session’s time ends soon.',
              on: { 'session.close': closeFromLive },
            },
            draining: {
              description: 'Closing was requested: what is being said, played or run may finish; nothing new begins.',
              tags: 'draining',
              entry: 'lookAround',
              invoke: {
                src: 'deadline',
                input: deadline('drain'),
                id: 'drainDeadline',
                onDone: '#realtimeSession.closing',
                onError: '#realtimeSession.closing',
              },
              on: {
                'regions.moved': { guard: 'isDrained', target: '#realtimeSession.closing' },
                'session.close': [{ guard: 'drains' }, { target: '#realtimeSession.closing' }],
                'wire.closed': '#realtimeSession.closed',
              },
            },
          },
        },
        input: {
          description: 'What the user does.',
          initial: 'quiet',
          states: {
            quiet: {
              description: 'No audio was sent yet.',
              tags: 'ready',
              on: {
                'microphone.opened': 'listening',
                'speech.started': 'speaking',
                'activity.started': 'holding',
              },
            },
            listening: {
              description: 'The microphone is open and the user does not speak.',
              tags: 'listening',
              entry: 'lookAround',
              on: { 'speech.started': 'speaking', 'activity.started': 'holding' },
            },
            speaking: {
              description: 'The user speaks: owed replies wait until one of the events that report the end arrives.',
              tags: 'userSpeaking',
              invoke: {
                src: 'deadline',
                input: deadline('speech'),
                id: 'speechDeadline',
                onDone: toListening,
                onError: toListening,
              },
              on: {
                // Reenter: the end of the previous speech was lost; this one has its own deadline.
                'speech.started': { target: 'speaking', reenter: true },
                'speech.stopped': [{ guard: 'answers', target: 'committed' }, { target: 'listening' }],
                'input.committed': [{ guard: 'answers', target: 'committed' }, { target: 'listening' }],
                'input.cleared': 'listening',
                // Whoever would have reported the end no longer listens.
                'detection.changed': 'listening',
                // A server answers by itself when the user has spoken.
                'response.created': { guard: 'isServers', target: 'listening' },
                'activity.started': 'holding',
              },
            },
            committed: {
              description:
                'The user has spoken and the server may answer by itself: owed replies wait a moment longer.',
              tags: 'listening',
              invoke: {
                src: 'deadline',
                input: deadline('grace'),
                id: 'replyGrace',
                onDone: 'listening',
                onError: 'listening',
              },
              on: {
                'response.created': 'listening',
                'speech.started': 'speaking',
                'activity.started': 'holding',
              },
            },
            holding: {
              description: 'The application reports that the user speaks.',
              tags: 'userSpeaking',
              on: { 'activity.ended': 'listening', 'input.cleared': 'listening' },
            },
          },
        },
        response: {
          description: 'The answer in the conversation. Out-of-band answers do not count here.',
          initial: 'idle',
          states: {
            idle: {
              description: 'The model is silent; an owed reply is requested as soon as it may be.',
              entry: 'lookAround',
              on: {
                'regions.moved': { guard: 'mayReply', target: 'requested', actions: 'requestReply' },
                'response.created': begun,
              },
            },
            requested: {
              description: 'An answer was requested and has not begun.',
              tags: 'responding',
              invoke: {
                src: 'deadline',
                input: deadline('request'),
                id: 'requestDeadline',
                onDone: toIdle('request'),
                onError: toIdle('request'),
              },
              on: {
                'response.created': begun,
                'request.refused': [{ guard: 'isOccupied', target: 'occupied' }, { target: 'idle' }],
                'response.interrupt': { target: 'recalling', actions: { type: 'recall', params: byRequest } },
                'speech.started': {
                  guard: 'interrupts',
                  target: 'recalling',
                  actions: { type: 'recall', params: bySpeech },
                },
              },
            },
            occupied: {
              description: 'The server reports an active answer that it never announced: waits for its end.',
              tags: 'responding',
              invoke: {
                src: 'deadline',
                input: deadline('occupied'),
                id: 'occupiedDeadline',
                onDone: toIdle('occupied'),
                onError: toIdle('occupied'),
              },
              on: {
                'response.created': begun,
                'response.done': 'idle',
                'response.interrupt': interruptedByRequest,
                'speech.started': interruptedBySpeech,
              },
            },
            recalling: {
              description: 'Interrupted before the answer began: it is cancelled when it begins.',
              tags: 'interrupting',
              invoke: {
                src: 'deadline',
                input: deadline('recall'),
                id: 'recallDeadline',
                onDone: toIdle('recall'),
                onError: toIdle('recall'),
              },
              on: {
                'response.created': begun,
                'request.refused': [{ guard: 'isOccupied', target: 'occupied' }, { target: 'idle' }],
              },
            },
            active: {
              description: 'The model answers; an answer of which nothing more arrives counts as ended.',
              tags: 'responding',
              invoke: {
                src: 'deadline',
                input: deadline('answer'),
                id: 'answerDeadline',
                onDone: [{ ...unended, guard: 'isInFlight', target: 'requested' }, unended],
                onError: unended,
              },
              on: {
                'response.created': unwanted,
                'response.done': afterDone,
                'response.interrupt': interruptedByRequest,
                'speech.started': interruptedBySpeech,
              },
            },
            cancelling: {
              description: 'Interrupted: nothing more of the answer is passed on; waits for the server to end it.',
              tags: 'interrupting',
              invoke: {
                src: 'deadline',
                input: deadline('cancel'),
                id: 'cancelDeadline',
                onDone: [{ ...toIdle('cancel'), guard: 'isInFlight', target: 'requested' }, toIdle('cancel')],
                onError: toIdle('cancel'),
              },
              on: {
                // Reenter: for another answer the server has the whole deadline again.
                'response.created': [{ ...unwanted, reenter: true }, { target: 'active' }],
                'response.done': afterDone,
              },
            },
          },
        },
        playback: {
          description: 'What the user hears; it outlives the answer.',
          initial: 'silent',
          states: {
            silent: {
              description: 'Nothing is played.',
              entry: 'lookAround',
              on: { 'audio.begun': 'playing' },
            },
            playing: {
              description: 'Received audio is being played.',
              tags: 'responding',
              invoke: {
                src: 'deadline',
                input: deadline('play'),
                id: 'playDeadline',
                onDone: toSilent('play'),
                onError: toSilent('play'),
              },
              on: {
                // Reenter: the end of the previous playback was lost.
                'audio.begun': { target: 'playing', reenter: true },
                'playback.finished': 'silent',
                'response.interrupt': { target: 'flushing', actions: { type: 'cutOutput', params: byRequest } },
                'speech.started': {
                  guard: 'interrupts',
                  target: 'flushing',
                  actions: { type: 'cutOutput', params: bySpeech },
                },
              },
            },
            flushing: {
              description: 'The server is informed of what was not heard; waits for its acknowledgement.',
              tags: 'interrupting',
              invoke: {
                src: 'deadline',
                input: deadline('flush'),
                id: 'flushDeadline',
                onDone: toSilent('flush'),
                onError: toSilent('flush'),
              },
              on: { 'output.acknowledged': 'silent', 'audio.begun': 'playing' },
            },
          },
        },
        tools: {
          description: 'Calls of the model that have no result yet.',
          initial: 'noCall',
          states: {
            noCall: {
              description: 'No call is open.',
              entry: 'lookAround',
              on: { 'tool.requested': 'running', 'response.interrupt': { actions: 'awaitQuiet' } },
            },
            running: {
              description: 'At least one call is open.',
              tags: 'toolRunning',
              on: {
                'tool.settled': { guard: 'isLast', target: 'noCall' },
                'response.interrupt': { actions: 'awaitQuiet' },
              },
            },
          },
        },
        debt: {
          description: 'Owed replies: the ledger holds them, this region says whether there are any.',
          initial: 'even',
          states: {
            even: {
              description: 'No reply is owed.',
              on: {
                'debt.changed': owing,
                'tool.settled': owing,
                'response.created': owing,
                'response.done': owing,
                'request.refused': owing,
                'xstate.done.actor.requestDeadline': owing,
              },
            },
            owed: {
              description: 'At least one reply is owed.',
              entry: 'lookAround',
              on: {
                'debt.changed': even,
                'tool.settled': even,
                'response.created': even,
                'response.done': even,
                'request.refused': even,
                'xstate.done.actor.requestDeadline': even,
              },
            },
          },
        },
      },
    },
    reconnecting: {
      description: 'The link is gone. Nothing restores it yet: moves on to closed and says why.',
      tags: 'reconnecting',
      invoke: {
        src: 'reconnect',
        id: 'reconnect',
        input: ({ context }: Pick<Step, 'context'>) => context.scope,
        onDone: 'closed',
        onError: 'closed',
      },
      on: { 'session.close': { target: 'closed', actions: 'noteEnd' } },
    },
    closing: {
      description: 'Waits for the server to close the link.',
      tags: 'draining',
      entry: 'closeLink',
      invoke: { src: 'deadline', input: deadline('close'), id: 'closeDeadline', onDone: 'closed', onError: 'closed' },
      on: { 'wire.closed': 'closed' },
    },
    closed: {
      description: 'Over. Not a final state, so that late events are ignored instead of reaching a dead actor.',
      tags: 'closed',
      entry: 'finish',
    },
  },
} as const;

/** The phases by precedence: a session is in the first one whose tag is set. */
const realtimePhases = [
  'closed',
  'reconnecting',
  'connecting',
  'draining',
  'interrupting',
  'userSpeaking',
  'toolRunning',
  'responding',
  'listening',
  'ready',
] as const satisfies readonly RealtimePhase[];

/** The flat phase of a session: one word for six regions. */
export function phaseOf(snapshot: { hasTag(tag: RealtimePhase): boolean }): RealtimePhase {
  return realtimePhases.find((phase) => snapshot.hasTag(phase)) ?? 'closed';
}

/**
 * The chart as an XState machine, to run, read, explore and replace parts of. Its services are stubs until they are
 * provided. It runs on XState's interpreter because it has parallel regions and gets only a few events per second.
 */
export const realtimeSessionMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as RealtimeSessionMachineContext,
      input: {} as RealtimeSessionMachineContext,
      events: {} as RealtimeSessionMachineEvent,
      tags: {} as RealtimePhase,
    },
    actors: {
      deadline: serviceStub<DeadlineInput, DeadlineFacts>('deadline'),
      expiry: serviceStub<RealtimeScope, undefined>('expiry'),
      keepAlive: serviceStub<RealtimeScope, undefined>('keepAlive'),
      reconnect: serviceStub<RealtimeScope, undefined>('reconnect'),
    },
    guards,
    actions: {
      ...actions,
      // When it is handled all regions have moved: an owed reply may be requested, a draining session may end.
      lookAround: raise({ type: 'regions.moved' }),
    },
  }).createMachine(config);
}

function owedOf(event: object): number {
  if ('owed' in event) return event.owed as number;
  // The one deadline whose end changes what is owed.
  return factsOf(event)?.owed ?? -1;
}

// Every done event of a deadline carries facts; the expiry’s has none.
function factsOf(event: object): DeadlineFacts | undefined {
  return 'output' in event ? (event.output as DeadlineFacts | undefined) : undefined;
}
