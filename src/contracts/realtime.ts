// The seam to live voice sessions: what a realtime model gives, what a session is told and what it tells.

import type { Block, ImageBlock, ResultContent, ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import type { EngineEvent } from './events.ts';
import type { Host } from './host.ts';
import type { Inspect } from './inspect.ts';
import type { ToolChoice, ToolDefinition } from './model.ts';
import type { Tool, ToolResult } from './tool.ts';

/** One thing a session can do. What a session cannot do it refuses with a clear error. */
export type RealtimeCapability =
  | 'audioInProcess'
  | 'toolCalling'
  | 'transcripts'
  | 'nativeResumption'
  | 'clientAssistedResumption'
  | 'serverTurnDetection'
  | 'manualTurns'
  | 'interrupt'
  | 'outputTruncation'
  | 'textInput'
  | 'imageInput'
  | 'midSessionUpdate'
  | 'outOfBandResponses'
  | 'usageReports'
  | 'callControl';

/** The flat phase of a session: one word for what its regions do together. The first that fits, in this order, from the end. */
export type RealtimePhase =
  | 'ready'
  | 'listening'
  | 'responding'
  | 'toolRunning'
  | 'userSpeaking'
  | 'interrupting'
  | 'draining'
  | 'connecting'
  | 'reconnecting'
  | 'closed';

/** Samples are 16-bit little endian where `type` is `pcm16`, one channel always. `rate` in hertz; default 24,000. */
export type RealtimeAudioFormat =
  | { readonly type: 'pcm16'; readonly rate?: number }
  | { readonly type: 'g711Ulaw' }
  | { readonly type: 'g711Alaw' };

/** How the user's speech is written down. `off` = no transcripts of it. */
export type RealtimeTranscription =
  | 'off'
  | { readonly model?: string; readonly language?: string; readonly prompt?: string };

/**
 * Who decides when the user has spoken. `server`: by silence; `semantic`: by meaning; `manual`: the application commits.
 * Fields that are absent are left to the provider.
 */
export interface RealtimeTurnDetection {
  readonly mode: 'server' | 'semantic' | 'manual';
  /** 0 to 1, `server` only: the louder the surroundings the higher. */
  readonly threshold?: number;
  readonly prefixPaddingMs?: number;
  readonly silenceMs?: number;
  /** `semantic` only. */
  readonly eagerness?: 'low' | 'medium' | 'high' | 'auto';
  /** Whether the server answers by itself when the user has spoken. */
  readonly createResponse?: boolean;
  /** Whether the server stops its answer when the user speaks. */
  readonly interruptResponse?: boolean;
  /** `server` only: the model speaks up after so long a silence. */
  readonly idleTimeoutMs?: number;
}

/** A player that can be asked at any time. What it throws counts as knowing nothing. */
export interface PlaybackClock {
  /** Milliseconds of this content of this item that were played, or undefined when nothing is known of it. */
  playedMs(itemId: string, contentIndex: number): number | undefined;
}

/** Bounds of what may wait to be sent. */
export interface RealtimeBackpressure {
  /** Microphone audio kept while the session connects or the socket stalls, in milliseconds. Default 10,000. */
  readonly microphoneMs?: number;
  /** Bytes handed to the socket and not yet taken by it, above which microphone audio waits. Default 262,144. */
  readonly highWaterBytes?: number;
  /** Answer audio kept for a reader that lags, in milliseconds. Default 600,000. */
  readonly outputMs?: number;
}

/** Time limits of a session, in milliseconds. */
export interface RealtimeDeadlines {
  /** For each step of connecting. Default 15,000. */
  readonly connectMs?: number;
  /** For the server to begin or to stop an answer it was asked to, and to acknowledge an input. Default 10,000. */
  readonly responseMs?: number;
  /**
   * How long the user counts as speaking when the server never says that the speech is over; owed replies wait no longer.
   * Default 60,000.
   */
  readonly speechMs?: number;
  /** How long nothing may come of an answer that has begun; after that it counts as ended. Default 120,000. */
  readonly answerMs?: number;
  /** How long the provider may play, where it plays itself, without saying that it has ended. Default 600,000. */
  readonly playbackMs?: number;
  /** How long a reply that is owed waits, after the user has spoken, for the server's own. Default 1,000. */
  readonly replyGraceMs?: number;
  /** For the server to close. Default 2,000. */
  readonly closeMs?: number;
  /** How long before its end a session says that it expires. Default 60,000. */
  readonly expiryNoticeMs?: number;
}

/** How a link is looked after whose other end may be gone without a word. Milliseconds. */
export interface RealtimeKeepAlive {
  /** A ping is sent when nothing has come for so long. Default 20,000. */
  readonly everyMs?: number;
  /** For the answer to it, or for anything else to come: after that the link is lost. Default 10,000. */
  readonly answerMs?: number;
}

/** How the context of a long session is cut. `auto`: by the provider; `off`: an error instead; a number: the part kept. */
export type RealtimeTruncation = 'auto' | 'off' | { readonly retentionRatio: number };

/** What a session is made of. Everything is optional; what is absent is left to the provider. */
export interface RealtimeSessionOptions {
  systemPrompt?: readonly Block[];
  /** Their definitions are shown to the model; `createRealtimeOperative` runs them. */
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  voice?: string;
  /** What the model answers with. Default: audio. Audio comes with its transcript. */
  modalities?: readonly ('audio' | 'text')[];
  inputFormat?: RealtimeAudioFormat;
  outputFormat?: RealtimeAudioFormat;
  inputTranscription?: RealtimeTranscription;
  turnDetection?: RealtimeTurnDetection;
  /** `near`: a headset; `far`: a laptop or a room. */
  noiseReduction?: 'near' | 'far' | 'off';
  maxOutputTokens?: number;
  reasoningEffort?: string;
  truncation?: RealtimeTruncation;
  /** Speaking rate, 1 = usual. */
  speed?: number;
  /** Put into the session before it is ready: text, tool calls and their results. */
  history?: readonly Message[];
  /**
   * Whose word counts for what was heard. A clock is asked; `server`: the provider plays and truncates itself;
   * `estimate` (default): `playback.report` inputs, and the clock on the wall, flagged, until the first of them.
   */
  playback?: PlaybackClock | 'server' | 'estimate';
  backpressure?: RealtimeBackpressure;
  /**
   * The user's audio, read from the moment of the call, as fast as there is room: what comes while the session connects
   * waits in the queue and is sent first. What it throws goes to `onListenerError`.
   */
  microphone?: AsyncIterable<Uint8Array>;
  deadlines?: RealtimeDeadlines;
  /** Notices that the server is gone without closing. `off`: nobody looks. Browsers cannot ping: there it does nothing. */
  keepAlive?: RealtimeKeepAlive | 'off';
  /** Passed to the provider as it is, over everything else. */
  providerOptions?: JsonValue;
  /** Closes the session when aborted, also while it connects. */
  signal?: AbortSignal;
  host?: Partial<Host>;
  /** Receives XState's inspection events of the session's chart. A transcript it shows for operatives it does not show here. */
  inspect?: Inspect;
  /** Told when user code throws: a clock, an inspector. Default: ignored. */
  onListenerError?: (error: unknown) => void;
}

/** Who asked for an answer: the server's turn detection, the application, a tool's result, or the server after a silence. */
export type ResponseOrigin = 'vad' | 'client' | 'tool' | 'idle' | 'outOfBand';

/** How an answer ended. */
export type ResponseStatus = 'completed' | 'cancelled' | 'incomplete' | 'failed';

/** Why a session is over. `code` in the event is the socket's close code where there was one. */
export type RealtimeCloseReason =
  | 'requested'
  | 'aborted'
  | 'connectFailed'
  | 'connectionLost'
  | 'expired'
  | 'fatal'
  | 'callEnded';

/** Tokens by kind. `details` is the provider's own object, of a single report. */
export interface RealtimeUsage extends Usage {
  readonly inputAudioTokens?: number;
  readonly inputTextTokens?: number;
  readonly inputImageTokens?: number;
  readonly outputAudioTokens?: number;
  readonly outputTextTokens?: number;
}

/** What a session tells, in the order in which it happened. `session.closed` comes exactly once and last. */
export type RealtimeEvent =
  | {
      readonly type: 'session.ready';
      readonly sessionId: string;
      /** Milliseconds since the epoch, where the provider says it. */
      readonly expiresAt?: number;
      readonly capabilities: readonly RealtimeCapability[];
    }
  | {
      readonly type: 'session.expiring';
      readonly inMs: number;
      readonly source: 'timer' | 'goAway' | 'server';
    }
  | { readonly type: 'session.updated'; readonly settings?: JsonValue }
  | { readonly type: 'session.reconnecting'; readonly attempt: number; readonly cause: string }
  | {
      readonly type: 'session.reconnected';
      readonly mode: 'native' | 'replay' | 'fresh';
      readonly stateRestored: boolean;
      readonly lost: readonly string[];
    }
  | {
      readonly type: 'session.closed';
      readonly reason: RealtimeCloseReason;
      readonly code?: number;
      readonly message?: string;
    }
  /** `audioMs` counts from the beginning of the session's input audio. */
  | { readonly type: 'speech.started'; readonly itemId?: string; readonly audioMs?: number }
  | { readonly type: 'speech.stopped'; readonly itemId?: string; readonly audioMs?: number }
  /** What the user said has become an item of the conversation: its transcript may come much later. */
  | { readonly type: 'speech.committed'; readonly itemId: string; readonly previousItemId?: string }
  /** `sequence` counts the deltas of the session: a player can give it back as `mark` of a `playback.report`. */
  | {
      readonly type: 'audio.delta';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly audio: Uint8Array;
      readonly sequence: number;
    }
  | {
      readonly type: 'audio.done';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
    }
  /**
   * `text` is what is new. With `final` the item's transcript is whole: `transcript` holds it, and wins where the
   * provider changed its mind. Order them by `itemId` and `previousItemId`, not by arrival.
   */
  | {
      readonly type: 'transcript.delta';
      readonly role: 'user' | 'assistant';
      readonly itemId: string;
      readonly contentIndex: number;
      readonly previousItemId?: string;
      readonly text: string;
      readonly final: boolean;
      readonly stage: 'speculative' | 'final';
      readonly transcript?: string;
    }
  | {
      readonly type: 'text.delta';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly text: string;
      readonly final: boolean;
    }
  | { readonly type: 'response.started'; readonly responseId: string; readonly origin: ResponseOrigin }
  /** Exactly one for each `response.started`. */
  | {
      readonly type: 'response.completed';
      readonly responseId: string;
      readonly origin: ResponseOrigin;
      readonly status: ResponseStatus;
      readonly reason?: string;
      readonly usage?: RealtimeUsage;
    }
  /**
   * Stop the player at once: nothing more of this generation comes. `itemId` is what was being heard, `playedMs` how
   * much of it; `estimated` = nobody reported, so the wall clock was asked. `heardText` is the part of the transcript
   * that was heard, in proportion to the audio.
   */
  | {
      readonly type: 'response.interrupted';
      readonly cause: 'speech' | 'request' | 'close';
      readonly responseId?: string;
      readonly itemId?: string;
      readonly playedMs?: number;
      readonly receivedMs?: number;
      readonly heardText?: string;
      readonly estimated: boolean;
    }
  | { readonly type: 'toolCall.requested'; readonly call: ToolCallBlock; readonly responseId: string }
  /** As in a turn. */
  | Extract<
      EngineEvent,
      {
        readonly type:
          | 'toolCall.awaitingApproval'
          | 'toolCall.started'
          | 'toolCall.progress'
          | 'toolCall.backgrounded'
          | 'toolCall.settled';
      }
    >
  /** What became of a result: exactly one for each call. */
  | {
      readonly type: 'toolCall.resultSent';
      readonly callId: string;
      readonly delivered: 'sent' | 'replayed' | 'dropped';
      readonly why?: string;
    }
  /** The provider, or an interruption, took the call back. */
  | { readonly type: 'toolCall.cancelled'; readonly callId: string; readonly why: string }
  /** `delta` = this report, `total` = the session so far. */
  | { readonly type: 'usage'; readonly delta: RealtimeUsage; readonly total: RealtimeUsage }
  /**
   * Audio waits (`queuedMs`) or was given up (`droppedMs`, since the event before). `input`: the microphone's, behind a
   * slow socket; `output`: the answer's, behind a reader that lags.
   */
  | {
      readonly type: 'congestion';
      readonly direction: 'input' | 'output';
      readonly queuedMs: number;
      readonly droppedMs: number;
    }
  | { readonly type: 'call.ringing'; readonly callId: string }
  | { readonly type: 'call.answered'; readonly callId: string }
  | { readonly type: 'call.ended'; readonly callId: string; readonly why?: string }
  | { readonly type: 'call.dtmf'; readonly digit: string }
  /** Something went wrong; the session goes on where `recoverable`. `causedBy` is the wire event it answers. */
  | {
      readonly type: 'error';
      readonly recoverable: boolean;
      readonly code: string;
      readonly message: string;
      readonly causedBy?: string;
    }
  /** A server event without a neutral form, as it came. */
  | { readonly type: 'raw'; readonly provider: string; readonly event: JsonValue };

/**
 * Whether the model should speak after an input: `auto` = soon, together with whatever else asks for it; `now` = an
 * answer of its own; `never` = it only knows.
 */
export type RespondChoice = 'auto' | 'now' | 'never';

/** What one answer is made with, over the session's settings. */
export interface RealtimeResponseRequest {
  readonly instructions?: string;
  readonly tools?: readonly (Tool | ToolDefinition)[];
  readonly toolChoice?: ToolChoice;
  readonly modalities?: readonly ('audio' | 'text')[];
  readonly voice?: string;
  readonly maxOutputTokens?: number;
  /** Beside the conversation: it neither sees the answer nor waits for it. */
  readonly outOfBand?: boolean;
  /** The provider's own fields, over everything else. */
  readonly providerOptions?: JsonValue;
}

/** What of a session can change while it lives. */
export interface RealtimeSessionChanges {
  readonly systemPrompt?: readonly Block[];
  readonly tools?: readonly (Tool | ToolDefinition)[];
  readonly toolChoice?: ToolChoice;
  /** Only until the model has spoken. */
  readonly voice?: string;
  readonly turnDetection?: RealtimeTurnDetection;
  readonly inputTranscription?: RealtimeTranscription;
  readonly noiseReduction?: 'near' | 'far' | 'off';
  readonly maxOutputTokens?: number;
  readonly speed?: number;
  readonly providerOptions?: JsonValue;
}

/** What can be told to a session. An unknown input, or one the session cannot do, is refused. */
export type RealtimeInput =
  /**
   * The bytes are the session's from the call on. `whenFull` says what happens where the line is too slow: `drop` (default,
   * a microphone): resolves at once, and the oldest audio goes (`congestion`); `wait` (a recording): resolves when there is
   * room for more.
   */
  | { readonly type: 'audio.append'; readonly audio: Uint8Array; readonly whenFull?: 'drop' | 'wait' }
  /** Resolves when the server made an item of what was appended. */
  | { readonly type: 'audio.commit' }
  | { readonly type: 'audio.clear' }
  /** Manual turns: the user begins to speak (an answer is interrupted) and has spoken (commit, and answer). */
  | { readonly type: 'activity.start' }
  | { readonly type: 'activity.end' }
  | {
      readonly type: 'text.send';
      readonly text: string;
      /** Default 'user'. */
      readonly role?: 'user' | 'system' | 'assistant';
      /** Default 'auto'. */
      readonly respond?: RespondChoice;
    }
  | {
      readonly type: 'image.send';
      readonly image: ImageBlock;
      readonly text?: string;
      readonly respond?: RespondChoice;
    }
  /** Resolves when the answer has begun. */
  | ({ readonly type: 'response.request' } & RealtimeResponseRequest)
  /** Resolves when the server has acknowledged everything it was told; at once when there is nothing to stop. */
  | {
      readonly type: 'response.interrupt';
      readonly reason?: string;
      /** How much of the item was heard, when the caller knows better than the session. */
      readonly playedMs?: number;
    }
  | ({ readonly type: 'session.update' } & RealtimeSessionChanges)
  /** Milliseconds or bytes of an item that were played; or `mark`: everything through that `audio.delta` was. */
  | {
      readonly type: 'playback.report';
      readonly itemId: string;
      readonly contentIndex?: number;
      readonly playedMs: number;
    }
  | {
      readonly type: 'playback.report';
      readonly itemId: string;
      readonly contentIndex?: number;
      readonly playedBytes: number;
    }
  | { readonly type: 'playback.report'; readonly mark: number }
  | {
      readonly type: 'toolResult.send';
      readonly callId: string;
      readonly result: string | ToolResult | ToolResultBlock | readonly ResultContent[];
      /** `auto` (default): one answer once every call of the response has its result. `silent`: no answer. */
      readonly respond?: 'auto' | 'now' | 'silent';
    }
  /** `json`: text of one client event, told apart by its `type`; `payload`: such an event as a value. */
  | { readonly type: 'raw.send'; readonly json: string }
  | { readonly type: 'raw.send'; readonly payload: unknown }
  | { readonly type: 'call.hangup' }
  | { readonly type: 'call.refer'; readonly targetUri: string }
  | { readonly type: 'call.dtmf'; readonly digits: string };

/** A live session. `await using` closes it. */
export interface RealtimeSession extends AsyncDisposable {
  readonly id: string;
  readonly capabilities: ReadonlySet<RealtimeCapability>;
  readonly phase: RealtimePhase;
  /**
   * The first iteration begins with the first event of the session, each further one at its own beginning. Leaving the
   * loop never closes the session. A reader that lags loses audio before anything else, announced as `congestion`.
   */
  readonly events: AsyncIterable<RealtimeEvent>;
  /**
   * Rejects with `message.invalid` on an input that is none or that this session cannot do, with `model.rejected` on
   * one the server refused, and with `operative.closed` once the session is over.
   */
  send(input: RealtimeInput): Promise<void>;
  /**
   * Ends the session; resolves when the socket is closed and `session.closed` was told. `drainMs` (default 0) is how
   * long an answer and tools that run may take before they are stopped.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * A model one can talk with. Both methods resolve when the session is ready and reject with a `ModelError`, with
 * `options.invalid` for options that make no sense.
 */
export interface RealtimeModel {
  readonly id: string;
  /** Audio goes through this process. */
  connect(options?: RealtimeSessionOptions): Promise<RealtimeSession>;
  /** Audio goes between caller and provider; the session steers. `accept` (default true): answer the call first. */
  connectForCall(
    call: { readonly callId: string; readonly accept?: boolean },
    options?: RealtimeSessionOptions,
  ): Promise<RealtimeSession>;
}
