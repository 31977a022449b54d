// The seam to live voice sessions: realtime models, and the inputs and events of a session.

import type { Block, ImageBlock, ResultContent, ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import type { Message } from '../conversation/message.ts';
import type { Usage } from '../conversation/usage.ts';
import type { EngineEvent } from './events.ts';
import type { Host } from './host.ts';
import type { Inspect } from './inspect.ts';
import type { ToolChoice, ToolDefinition } from './model.ts';
import type { Tool, ToolResult } from './tool.ts';

/** A capability of a session. Inputs that need a missing one are refused with a clear error. */
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

/**
 * The flat phase of a session: one word for the states of all its regions. When several apply, the one listed last
 * wins.
 */
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

/** How the user's speech is transcribed. `off`: not at all. */
export type RealtimeTranscription =
  | 'off'
  | { readonly model?: string; readonly language?: string; readonly prompt?: string };

/**
 * Who decides when the user has spoken. `server`: by silence; `semantic`: by meaning; `manual`: the application
 * commits. Absent fields use the provider's defaults.
 */
export interface RealtimeTurnDetection {
  readonly mode: 'server' | 'semantic' | 'manual';
  /** 0 to 1, `server` only: higher for louder surroundings. */
  readonly threshold?: number;
  readonly prefixPaddingMs?: number;
  readonly silenceMs?: number;
  /** `semantic` only. */
  readonly eagerness?: 'low' | 'medium' | 'high' | 'auto';
  /** Whether the server answers without being asked when the user has spoken. */
  readonly createResponse?: boolean;
  /** Whether the server stops its answer when the user speaks. */
  readonly interruptResponse?: boolean;
  /** `server` only: the model speaks after this much silence, in milliseconds. */
  readonly idleTimeoutMs?: number;
}

/** A player that can be asked for its position at any time. A throw counts as undefined. */
export interface PlaybackClock {
  /** How many milliseconds of this content of this item were played; undefined if unknown. */
  playedMs(itemId: string, contentIndex: number): number | undefined;
}

/** Limits for data that waits in the process. */
export interface RealtimeBackpressure {
  /** Microphone audio kept while the session connects or the socket stalls, in milliseconds. Default 10,000. */
  readonly microphoneMs?: number;
  /** Microphone audio waits while the socket buffers more than this many bytes. Default 262,144. */
  readonly highWaterBytes?: number;
  /** Answer audio kept for a reader that lags, in milliseconds. Default 600,000. */
  readonly outputMs?: number;
}

/** Time limits of a session, in milliseconds. */
export interface RealtimeDeadlines {
  /** For each step of connecting. Default 15,000. */
  readonly connectMs?: number;
  /** For the server to begin or stop an answer on request, and to acknowledge an input. Default 10,000. */
  readonly responseMs?: number;
  /**
   * How long the user counts as speaking if the server never reports the end of the speech; owed replies wait no longer
   * than this. Default 60,000.
   */
  readonly speechMs?: number;
  /** An answer that has begun counts as ended when nothing of it has arrived for this long. Default 120,000. */
  readonly answerMs?: number;
  /** If the provider plays the audio: how long it may play without reporting the end. Default 600,000. */
  readonly playbackMs?: number;
  /** How long an owed reply waits for the server's own answer after the user has spoken. Default 1,000. */
  readonly replyGraceMs?: number;
  /** For the server to close. Default 2,000. */
  readonly closeMs?: number;
  /** How long before its end a session announces that it expires. Default 60,000. */
  readonly expiryNoticeMs?: number;
}

/** How a server that disappeared without closing is noticed. In milliseconds. */
export interface RealtimeKeepAlive {
  /** A ping is sent when nothing has arrived for this long. Default 20,000. */
  readonly everyMs?: number;
  /** The connection counts as lost when nothing arrives for this long after the ping. Default 10,000. */
  readonly answerMs?: number;
}

/**
 * How the context of a long session is truncated. `auto`: by the provider; `off`: an error instead; `retentionRatio`:
 * the fraction that is kept.
 */
export type RealtimeTruncation = 'auto' | 'off' | { readonly retentionRatio: number };

/** Options of a session. Everything is optional; absent options use the provider's defaults. */
export interface RealtimeSessionOptions {
  systemPrompt?: readonly Block[];
  /** Their definitions are shown to the model; `createRealtimeOperative` runs them. */
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  voice?: string;
  /** The form of the model's answers. Default: audio, with its transcript. */
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
  /** Added to the session before it is ready: text, tool calls and their results. */
  history?: readonly Message[];
  /**
   * Where the playback position comes from. A clock is asked; `server`: the provider plays and truncates by itself;
   * `estimate` (default): `playback.report` inputs and, until the first one, the wall clock, marked as `estimated`.
   */
  playback?: PlaybackClock | 'server' | 'estimate';
  backpressure?: RealtimeBackpressure;
  /**
   * The user's audio, read from the moment of the call, as fast as there is room. What arrives while the session
   * connects is queued and sent first. Errors it throws go to `onListenerError`.
   */
  microphone?: AsyncIterable<Uint8Array>;
  deadlines?: RealtimeDeadlines;
  /**
   * Notices a server that disappeared without closing. `off`: no pings. Does nothing in browsers, which cannot ping.
   */
  keepAlive?: RealtimeKeepAlive | 'off';
  /** Passed to the provider unchanged; overrides everything else. */
  providerOptions?: JsonValue;
  /** Closes the session when aborted, also while it connects. */
  signal?: AbortSignal;
  host?: Partial<Host>;
  /**
   * Receives XState's inspection events of the session's chart. Its transcript view, for operatives only, is not used
   * here.
   */
  inspect?: Inspect;
  /** Called when user code throws, such as a clock or an inspector. Default: ignored. */
  onListenerError?: (error: unknown) => void;
}

/**
 * What caused an answer: the server's turn detection, the application, a tool's result, a silence (`idle`), or an
 * out-of-band request.
 */
export type ResponseOrigin = 'vad' | 'client' | 'tool' | 'idle' | 'outOfBand';

/** How a realtime answer ended. */
export type ResponseStatus = 'completed' | 'cancelled' | 'incomplete' | 'failed';

/** Why a session ended. `code` in the event is the socket's close code, if there was one. */
export type RealtimeCloseReason =
  | 'requested'
  | 'aborted'
  | 'connectFailed'
  | 'connectionLost'
  | 'expired'
  | 'fatal'
  | 'callEnded';

/** Tokens by kind. `details` is the provider's own object of a single report. */
export interface RealtimeUsage extends Usage {
  readonly inputAudioTokens?: number;
  readonly inputTextTokens?: number;
  readonly inputImageTokens?: number;
  readonly outputAudioTokens?: number;
  readonly outputTextTokens?: number;
}

/** The events of a session, in the order in which they happen. `session.closed` comes exactly once, as the last one. */
export type RealtimeEvent =
  | {
      readonly type: 'session.ready';
      readonly sessionId: string;
      /** Milliseconds since the epoch, if the provider reports it. */
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
  /** The user's speech has become an item of the conversation. Its transcript may come much later. */
  | { readonly type: 'speech.committed'; readonly itemId: string; readonly previousItemId?: string }
  /** `sequence` counts the deltas of the session: a player can report it as `mark` of a `playback.report`. */
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
   * `text` is the new part. With `final`, `transcript` is the item's complete transcript; use it, since the provider
   * may have corrected earlier parts. Order by `itemId` and `previousItemId`, not by arrival.
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
   * Stop the player at once: no more audio of this answer will arrive. `itemId` is the item that was being heard,
   * `playedMs` how much of it; `estimated`: by the wall clock, since there was no report. `heardText` is the part of
   * the transcript that was heard, in proportion to the audio.
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
  /** What became of a result. Exactly one for each call. */
  | {
      readonly type: 'toolCall.resultSent';
      readonly callId: string;
      readonly delivered: 'sent' | 'replayed' | 'dropped';
      readonly why?: string;
    }
  /** The provider or an interruption withdrew the call. */
  | { readonly type: 'toolCall.cancelled'; readonly callId: string; readonly why: string }
  /** `delta`: this report; `total`: the session so far. */
  | { readonly type: 'usage'; readonly delta: RealtimeUsage; readonly total: RealtimeUsage }
  /**
   * Audio is waiting (`queuedMs`) or was dropped (`droppedMs`, since the previous such event). `input`: microphone
   * audio that waits for a slow socket; `output`: answer audio that waits for a slow reader.
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
  /** Something went wrong; if `recoverable`, the session goes on. `causedBy` is the client event that caused it. */
  | {
      readonly type: 'error';
      readonly recoverable: boolean;
      readonly code: string;
      readonly message: string;
      readonly causedBy?: string;
    }
  /** A server event without a neutral form, unchanged. */
  | { readonly type: 'raw'; readonly provider: string; readonly event: JsonValue };

/**
 * Whether the model should speak after an input: `auto`: soon, in one answer with everything else that is owed one;
 * `now`: a separate answer; `never`: no answer, the model is only informed.
 */
export type RespondChoice = 'auto' | 'now' | 'never';

/** Settings of one answer, which override the session's. */
export interface RealtimeResponseRequest {
  readonly instructions?: string;
  readonly tools?: readonly (Tool | ToolDefinition)[];
  readonly toolChoice?: ToolChoice;
  readonly modalities?: readonly ('audio' | 'text')[];
  readonly voice?: string;
  readonly maxOutputTokens?: number;
  /** Outside the conversation, which neither contains the answer nor waits for it. */
  readonly outOfBand?: boolean;
  /** The provider's own fields; they override everything else. */
  readonly providerOptions?: JsonValue;
}

/** The settings of a session that can change while it runs. */
export interface RealtimeSessionChanges {
  readonly systemPrompt?: readonly Block[];
  readonly tools?: readonly (Tool | ToolDefinition)[];
  readonly toolChoice?: ToolChoice;
  /** Only before the model has spoken. */
  readonly voice?: string;
  readonly turnDetection?: RealtimeTurnDetection;
  readonly inputTranscription?: RealtimeTranscription;
  readonly noiseReduction?: 'near' | 'far' | 'off';
  readonly maxOutputTokens?: number;
  readonly speed?: number;
  readonly providerOptions?: JsonValue;
}

/** The inputs of a session. An input that is unknown, or that needs a missing capability, is refused. */
export type RealtimeInput =
  /**
   * Do not change the bytes after the call. `whenFull` decides what happens on a slow connection: `drop` (default, for
   * microphones) resolves at once and drops the oldest audio (`congestion`); `wait` (for recordings) resolves when
   * there is room for more.
   */
  | { readonly type: 'audio.append'; readonly audio: Uint8Array; readonly whenFull?: 'drop' | 'wait' }
  /** Resolves when the server has made the appended audio an item. */
  | { readonly type: 'audio.commit' }
  | { readonly type: 'audio.clear' }
  /**
   * Manual turns: the user starts to speak (interrupts an answer) and has finished (commits, and requests an answer).
   */
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
  /** Resolves when the server has acknowledged everything that was sent; at once if there is nothing to stop. */
  | {
      readonly type: 'response.interrupt';
      readonly reason?: string;
      /** How much of the item was heard, if the caller knows better than the session. */
      readonly playedMs?: number;
    }
  | ({ readonly type: 'session.update' } & RealtimeSessionChanges)
  /**
   * Milliseconds or bytes of an item that were played; or `mark`: everything up to and including that `audio.delta`.
   */
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
  /**
   * `json`: one client event of the provider as text, recognised by its `type`; `payload`: such an event as a value.
   */
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
   * The first iteration starts with the first event of the session, each further one with the next event. Leaving the
   * loop never closes the session. A slow reader loses audio before anything else, announced as `congestion`.
   */
  readonly events: AsyncIterable<RealtimeEvent>;
  /**
   * Rejects with `message.invalid` if the input is invalid or needs a missing capability, with `model.rejected` if the
   * server refused it, and with `operative.closed` once the session is over.
   */
  send(input: RealtimeInput): Promise<void>;
  /**
   * Ends the session; resolves when the socket is closed and `session.closed` was emitted. `drainMs` (default 0) is how
   * long a running answer and running tools may take before they are stopped.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * A model for voice sessions. Both methods resolve when the session is ready, and reject with a `ModelError`, or with
 * `options.invalid` for invalid options.
 */
export interface RealtimeModel {
  readonly id: string;
  /** Audio passes through this process. */
  connect(options?: RealtimeSessionOptions): Promise<RealtimeSession>;
  /**
   * Audio flows between caller and provider; the session only controls the call. `accept` (default true): answer the
   * call first.
   */
  connectForCall(
    call: { readonly callId: string; readonly accept?: boolean },
    options?: RealtimeSessionOptions,
  ): Promise<RealtimeSession>;
}
