// The state of one session: its link, its ledgers and what is being waited for. Made by session.ts; read and changed by
// the files that receive facts, act for the chart and perform inputs.

import { messageOf, reasonOf, ModelError, TurnchartError } from '../contracts/errors.ts';
import { hostWith, type Host } from '../contracts/host.ts';
import type {
  RealtimeAudioFormat,
  RealtimeCapability,
  RealtimeDeadlines,
  RealtimeEvent,
  RealtimePhase,
  RealtimeSessionOptions,
  RealtimeUsage,
} from '../contracts/realtime.ts';
import { noUsage } from '../conversation/usage.ts';
import type { RealtimeChart } from '../machines/run-realtime-session.ts';
import type { RealtimeSessionMachineEvent, SessionEnd } from '../machines/realtime-session.ts';
import { whenGiven } from '../services/user-code.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { bytesPerMs } from './audio-format.ts';
import { EventOutlet, type OutletLimits } from './event-outlet.ts';
import { historyItems } from './history-items.ts';
import { Microphone } from './microphone.ts';
import { OpenCalls } from './open-calls.ts';
import { PlaybackLedger } from './playback.ts';
import { ReplyLedger } from './reply-ledger.ts';
import { Responses } from './responses.ts';
import { Transcripts } from './transcripts.ts';
import type { RealtimeWire, WireCommand, WireFact, WireItem, WireLink, WireSettings } from './wire.ts';

// The platform's timers take at most this many milliseconds; with more they fire at once.
const longestDelayMs = 2 ** 31 - 1;

const defaultDeadlines: Required<RealtimeDeadlines> = {
  connectMs: 15_000,
  responseMs: 10_000,
  speechMs: 60_000,
  answerMs: 120_000,
  playbackMs: 600_000,
  replyGraceMs: 1_000,
  closeMs: 2_000,
  expiryNoticeMs: 60_000,
};
const defaultMicrophoneMs = 10_000;
const defaultHighWaterBytes = 262_144;
const defaultOutputMs = 600_000;

// Field by field: a field set to undefined means the default, not an endless wait.
function deadlinesWith(given: RealtimeDeadlines = {}): Required<RealtimeDeadlines> {
  return {
    connectMs: given.connectMs ?? defaultDeadlines.connectMs,
    responseMs: given.responseMs ?? defaultDeadlines.responseMs,
    speechMs: given.speechMs ?? defaultDeadlines.speechMs,
    answerMs: given.answerMs ?? defaultDeadlines.answerMs,
    playbackMs: given.playbackMs ?? defaultDeadlines.playbackMs,
    replyGraceMs: given.replyGraceMs ?? defaultDeadlines.replyGraceMs,
    closeMs: given.closeMs ?? defaultDeadlines.closeMs,
    expiryNoticeMs: given.expiryNoticeMs ?? defaultDeadlines.expiryNoticeMs,
  };
}

/** The state of one session. */
export class SessionRecord {
  readonly wire: RealtimeWire;
  readonly options: RealtimeSessionOptions;
  readonly host: Host;
  readonly deadlines: Required<RealtimeDeadlines>;
  readonly capabilities: ReadonlySet<RealtimeCapability>;
  readonly events: EventOutlet;
  readonly microphone: Microphone;
  readonly playback: PlaybackLedger;
  readonly ledger = new ReplyLedger();
  readonly responses = new Responses();
  readonly calls = new OpenCalls();
  readonly acknowledgements: Acknowledgements;
  readonly transcripts = new Transcripts();
  /** Settles when the session is ready or has failed. */
  readonly ready = openPromise();
  readonly closed = openPromise();

  link: WireLink | undefined;
  chart: RealtimeChart | undefined;
  phase: RealtimePhase = 'connecting';
  isLive = false;
  /** The session is ending: further facts are ignored. */
  isStopped = false;
  sessionId: string;
  settings: WireSettings = {};
  usage: RealtimeUsage = noUsage;
  end: SessionEnd | undefined;
  closeCode: number | undefined;
  drainMs = 0;
  /** The items the conversation begins with. */
  readonly history: readonly WireItem[];
  /** When something last arrived over the link. */
  heardAt = 0;
  /** Counts the audio deltas that were passed on. */
  sequence = 0;
  /** The user's audio has begun. */
  hasMicrophone = false;
  /** If the provider plays the audio: whether it is playing now. */
  isPlayedByServer = false;
  /** The server's turn detection gave up waiting, which causes the next answer it begins. */
  isIdleAnnounced = false;
  /** How much of the current item was heard, according to the caller of the interruption. */
  playedMs: number | undefined;
  /** Events of an interruption that the server has not answered. */
  readonly flushing = new Set<string>();
  /** Callers that wait until nothing is being interrupted. */
  quiet: (() => void)[] = [];
  /** The last error since the last request, for the message when the server stops answering. */
  lastError: string | undefined;
  /** The event that configures the session. */
  configuration: string | undefined;

  readonly #prefix: string;
  #eventCount = 0;
  #facts: WireFact[] = [];
  #isReceiving = false;

  constructor(wire: RealtimeWire, options: RealtimeSessionOptions) {
    this.wire = wire;
    this.options = options;
    this.host = hostWith(options.host);
    this.deadlines = deadlinesWith(options.deadlines);
    this.capabilities = new Set(wire.capabilities);
    this.history = itemsOf(options.history ?? []);
    this.sessionId = this.host.createId('session');
    this.#prefix = `tc${this.sessionId.replaceAll(/[^A-Za-z0-9]/g, '').slice(-10)}`;
    const { backpressure = {}, playback } = options;
    const perMs = () => bytesPerMs(this.outputFormat);
    this.events = new EventOutlet(() => this.outputLimits);
    this.acknowledgements = new Acknowledgements({
      startTimer: (then) => this.startTimer(this.deadlines.responseMs, then),
      stopTimer: (timer) => this.host.clearTimeout(timer),
      // What waits in this process, or for audio before it, has not reached the server.
      isUnsent: (eventId) => this.microphone.holds(eventId),
      isSending: () => (this.link?.bufferedBytes ?? 0) > 0,
      unanswered: () => this.unanswered(),
    });
    this.microphone = new Microphone({
      host: this.host,
      bytesPerMs: () => bytesPerMs(this.inputFormat),
      capacityMs: backpressure.microphoneMs ?? defaultMicrophoneMs,
      highWaterBytes: backpressure.highWaterBytes ?? defaultHighWaterBytes,
      report: (queuedMs, droppedMs) => this.tell({ type: 'congestion', direction: 'input', queuedMs, droppedMs }),
      stalled: (isStalled) => this.post({ type: isStalled ? 'microphone.congested' : 'microphone.relieved' }),
    });
    this.playback = new PlaybackLedger({
      host: this.host,
      bytesPerMs: perMs,
      clock: typeof playback === 'object' ? playback : 'estimate',
      finished: () => this.post({ type: 'playback.finished' }),
      onClockError: (thrown) => this.reportThrown(thrown),
    });
  }

  /** Audio is played through this process, which then reports what was heard. */
  get isPlayedHere(): boolean {
    return this.wire.playedBy === 'client' && this.options.playback !== 'server';
  }

  get inputFormat(): RealtimeAudioFormat {
    return this.settings.inputFormat ?? this.options.inputFormat ?? this.wire.inputFormat;
  }

  get outputFormat(): RealtimeAudioFormat {
    return this.settings.outputFormat ?? this.options.outputFormat ?? this.wire.outputFormat;
  }

  get outputLimits(): OutletLimits {
    const perMs = bytesPerMs(this.outputFormat);
    return { audioBytes: (this.options.backpressure?.outputMs ?? defaultOutputMs) * perMs, bytesPerMs: perMs };
  }

  tell(event: RealtimeEvent): void {
    this.events.push(event);
  }

  post(event: RealtimeSessionMachineEvent): void {
    this.chart?.send(event);
  }

  /** A timer on the host's clock; none for an infinite time. */
  startTimer(ms: number, then: () => void): unknown {
    return ms <= longestDelayMs ? this.host.setTimeout(then, ms) : undefined;
  }

  command(command: WireCommand): void {
    this.link?.send(command);
  }

  /** An id that is unique in this session, also among other clients of the same session. */
  nextId(): string {
    this.#eventCount++;
    return `${this.#prefix}_${this.#eventCount.toString(36)}`;
  }

  /** Handles facts one after the other: one that arrives meanwhile waits. */
  receive(fact: WireFact, take: (record: SessionRecord, fact: WireFact) => void): void {
    this.heardAt = this.host.now();
    if (this.#isReceiving) return void this.#facts.push(fact);
    this.#isReceiving = true;
    this.#take(fact, take);
    while (this.#facts.length > 0) for (const next of this.#facts.splice(0)) this.#take(next, take);
    this.#isReceiving = false;
  }

  #take(fact: WireFact, take: (record: SessionRecord, fact: WireFact) => void): void {
    try {
      take(this, fact);
    } catch (thrown) {
      // A malformed fact: costs one event of a provider, not the session.
      this.tell({ type: 'error', recoverable: true, code: 'fact.unreadable', message: messageOf(thrown) });
    }
  }

  /** User code threw: reported to `onListenerError` only. */
  reportThrown(thrown: unknown): void {
    const { onListenerError } = this.options;
    // An error in `onListenerError` itself is ignored.
    whenGiven(() => onListenerError?.(thrown), ignore, ignore);
  }

  /** The error for every request to a session that is over. */
  closedError(): TurnchartError {
    const why = this.end === undefined ? '' : ` (${this.end.reason}${this.end.message ? `: ${this.end.message}` : ''})`;
    return new TurnchartError(
      'operative.closed',
      `The realtime session is closed${why}. Connect again for a new one.`,
      this.end?.error === undefined ? {} : { cause: this.end.error },
    );
  }

  /** The error for a request the server never answered. */
  unanswered(): ModelError {
    const { lastError } = this;
    const words = lastError === undefined ? '' : ` The last error it reported: ${lastError}`;
    return new ModelError('model.rejected', `The server did not answer in time.${words}`, {
      retryable: true,
      providerCode: 'response.timeout',
    });
  }

  /** The error for an event the server refused. */
  refusal(code: string, message: string): ModelError {
    return new ModelError('model.rejected', `The server refused it: ${message}`, {
      retryable: false,
      providerCode: code,
    });
  }
}

function itemsOf(history: NonNullable<RealtimeSessionOptions['history']>): readonly WireItem[] {
  try {
    return historyItems(history);
  } catch (cause) {
    throw new TurnchartError(
      'options.invalid',
      `The option "history" contains something that is not a message: ${reasonOf(cause)}. Pass messages of a conversation.`,
      { cause },
    );
  }
}

const ignore = (): void => undefined;

/** A caller that waits until nothing is being interrupted. */
export interface QuietTicket {
  readonly settle: () => void;
  /** The user speaks: replies to results that arrive meanwhile are owed, as after any interruption by voice. */
  readonly isUser: boolean;
}

/** A promise settled from outside, which may be ignored. */
export interface OpenPromise {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A new one. If ignored, it does not cause an unhandled rejection. */
export function openPromise(): OpenPromise {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
