// The seam between the neutral session and a provider: the facts a provider's codec decodes from server events, and the
// commands it encodes. A provider implements `RealtimeWire` and hands it to `connectRealtime` (connect.ts); everything
// that is decided (what to send when, what is dropped, what is owed) is decided on the neutral side.
//
// Rules for a provider:
// - `dial` returns at once; the receiver is called from then on, never from within `dial` itself.
// - One server event gives any number of facts, in order, each by one call of `receive`. An event without a neutral form
//   is one `raw` fact, so that none is lost; an event that has one gives no `raw` besides.
// - Nothing here throws. What cannot be sent any more is left undone; a broken socket ends in `wire.closed`, which is the
//   last fact of a link and comes exactly once, also when it never opened.
// - Duplicates and late events are passed on as they come: the neutral side drops what belongs to no live generation.

import type { ModelError } from '../contracts/errors.ts';
import type {
  RealtimeAudioFormat,
  RealtimeCapability,
  RealtimeResponseRequest,
  RealtimeSessionChanges,
  RealtimeSessionOptions,
  RealtimeUsage,
  ResponseStatus,
} from '../contracts/realtime.ts';
import type { ImageBlock, TextBlock } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';

/** A provider, ready to connect. One per session. */
export interface RealtimeWire {
  /** Named in `raw` events. */
  readonly provider: string;
  readonly capabilities: readonly RealtimeCapability[];
  /** The socket's audio formats if the session options do not set them. */
  readonly inputFormat: RealtimeAudioFormat;
  readonly outputFormat: RealtimeAudioFormat;
  /**
   * `client`: audio deltas pass through this process, which truncates what was not heard. `server`: the provider plays
   * the audio (telephone, WebRTC): an interruption is `output.clear`, and nothing is truncated.
   */
  readonly playedBy: 'client' | 'server';
  /** The call this session controls, if any: `call.answered` is emitted when the session is ready. */
  readonly callId?: string;
  /** Opens a link. Called once for each attempt to connect. */
  dial(receiver: WireReceiver): WireLink;
  /**
   * Reads a `raw.send`. `raw` is the parsed JSON text, or the payload as given. A client event with a neutral command
   * must come back as that command: `response.create` and `response.cancel` so that they go through the response
   * region, `input_audio_buffer.append` so that it keeps its place in the microphone's queue. Anything that is not a
   * client event of this provider is refused with a sentence that says what it got and which events are known.
   */
  readRaw(raw: unknown): { readonly commands: readonly WireCommand[] } | { readonly refused: string };
}

/** One link to the server. */
export interface WireLink {
  /**
   * `written` is called once, when the bytes have left this process or never will. A link with `tellsWritten: false`
   * never calls it; its `bufferedBytes` is polled instead.
   */
  send(command: WireCommand, written?: () => void): void;
  /** Bytes that wait in this process. */
  readonly bufferedBytes: number;
  /** Whether `send` calls `written`. */
  readonly tellsWritten: boolean;
  /**
   * Sends a ping; `answered` is called when the pong arrives. Absent if the platform cannot ping or the link is not
   * open.
   */
  readonly ping?: ((answered: () => void) => void) | undefined;
  /**
   * Hangs up, transfers, sends tones: what does not go over the socket. Rejects with a sentence. Present with
   * `callControl`.
   */
  call?(control: CallControl): Promise<void>;
  /** Begins the closing handshake; `wire.closed` follows. A second call, or `terminate`, may come while it does not. */
  close(): void;
  /** Ends it without a handshake; `wire.closed` follows at once. */
  terminate(): void;
}

/** Where a link's facts go. */
export type WireReceiver = (fact: WireFact) => void;

/** What the server reports about its session, as far as decisions depend on it. Absent: not reported. */
export interface WireSettings {
  /** The kind of turn detection, in the provider's own word; 'off' for none. */
  readonly detection?: string;
  /** The server answers when the user has spoken. False without turn detection. */
  readonly createsResponse?: boolean;
  /** The server stops its answer when the user speaks. False without turn detection. */
  readonly interruptsResponse?: boolean;
  readonly inputFormat?: RealtimeAudioFormat;
  readonly outputFormat?: RealtimeAudioFormat;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** The provider's own object, for `session.updated`. */
  readonly raw?: JsonValue;
}

/** A tool call of the model. `rawArgs` is the text of its arguments, '' for none. */
export interface WireToolCall {
  readonly callId: string;
  readonly itemId: string;
  readonly name: string;
  readonly rawArgs: string;
}

/** How an error is classified. */
export type WireErrorKind =
  /** Harmless: a cancel without an answer, a truncation of something already gone, a missing item. */
  | 'benign'
  /** The event `causedBy`, or one the server did not name, was refused; the session is unchanged. */
  | 'request'
  /** A problem of the server; the session goes on. */
  | 'session'
  /** No further request will succeed: quota, key, account. */
  | 'fatal'
  /** The session's time is over. */
  | 'expiry';

/**
 * A server event in neutral form. Ids are the provider's. If an old generation of events omits `responseId`, the codec
 * fills in the response the item belongs to, if known.
 */
export type WireFact =
  /** The link is up: commands may be sent. */
  | { readonly type: 'wire.opened' }
  /** Always last. `error`, if the link never opened or broke, is what `connect` rejects with. */
  | {
      readonly type: 'wire.closed';
      readonly code?: number;
      readonly reason?: string;
      readonly error?: ModelError;
    }
  /**
   * The server has a session; the configuration follows. A provider that does not announce one (a call's side socket
   * may not) gives this fact itself, right after `wire.opened`.
   */
  | { readonly type: 'session.created'; readonly sessionId: string; readonly settings: WireSettings }
  /** The configuration was accepted: answers the oldest open `session.configure` or `session.update`. */
  | { readonly type: 'session.configured'; readonly settings: WireSettings }
  | {
      readonly type: 'session.expiring';
      readonly inMs: number;
      readonly source: 'goAway' | 'server';
    }
  | { readonly type: 'speech.started'; readonly itemId?: string; readonly audioMs?: number }
  | { readonly type: 'speech.stopped'; readonly itemId?: string; readonly audioMs?: number }
  /** Answers the oldest open `audio.commit`, or reports that the server committed by itself. */
  | { readonly type: 'input.committed'; readonly itemId: string; readonly previousItemId?: string }
  | { readonly type: 'input.cleared' }
  /** The server's turn detection gave up waiting for the user. */
  | { readonly type: 'input.idle' }
  /** An item is in the conversation: the acknowledgement of `item.create` (same id), or the server's own. */
  | { readonly type: 'item.added'; readonly itemId: string; readonly previousItemId?: string }
  | { readonly type: 'item.truncated'; readonly itemId: string }
  | { readonly type: 'item.deleted'; readonly itemId: string }
  /** `requestId` = the `eventId` of our `response.create`, which the codec sends along and reads back. */
  | {
      readonly type: 'response.created';
      readonly responseId: string;
      readonly requestId?: string;
      readonly outOfBand?: boolean;
    }
  | {
      readonly type: 'response.done';
      readonly responseId: string;
      readonly requestId?: string;
      readonly outOfBand?: boolean;
      readonly status: ResponseStatus;
      readonly reason?: string;
      readonly error?: { readonly code: string; readonly message: string };
      /** Every call of the answer, including those already reported. */
      readonly calls: readonly WireToolCall[];
      readonly usage?: RealtimeUsage;
    }
  | {
      readonly type: 'audio.delta';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly audio: Uint8Array;
    }
  | {
      readonly type: 'audio.done';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
    }
  /** `responseId` for the assistant's; the user's have none. */
  | {
      readonly type: 'transcript.delta';
      readonly role: 'user' | 'assistant';
      readonly responseId?: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly text: string;
      readonly isSpeculative?: boolean;
    }
  | {
      readonly type: 'transcript.done';
      readonly role: 'user' | 'assistant';
      readonly responseId?: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly transcript: string;
    }
  | {
      readonly type: 'transcript.failed';
      readonly itemId: string;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly type: 'text.delta';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly text: string;
    }
  | {
      readonly type: 'text.done';
      readonly responseId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly text: string;
    }
  /** A call whose arguments are complete. */
  | ({ readonly type: 'toolCall.requested'; readonly responseId: string } & WireToolCall)
  /** The server takes calls back: nothing may be sent for them. */
  | { readonly type: 'toolCall.cancelled'; readonly callIds: readonly string[] }
  /** Tokens that no `response.done` reports: those of a transcription. */
  | { readonly type: 'usage'; readonly usage: RealtimeUsage }
  /** Of providers that play themselves. `cleared` answers `output.clear`. */
  | { readonly type: 'output.started'; readonly responseId?: string }
  | { readonly type: 'output.stopped'; readonly responseId?: string }
  | { readonly type: 'output.cleared'; readonly responseId?: string }
  | {
      readonly type: 'error';
      readonly kind: WireErrorKind;
      readonly code: string;
      readonly message: string;
      /** The `eventId` of the command that was refused. */
      readonly causedBy?: string;
      /** A `response.create` was refused because this answer is active; '' when the server does not say which. */
      readonly activeResponseId?: string;
      /** For a fatal error: the same as an error of this provider's text models, for `connect` to reject with. */
      readonly error?: ModelError;
    }
  | { readonly type: 'call.ringing' }
  | { readonly type: 'call.ended'; readonly why?: string }
  | { readonly type: 'call.dtmf'; readonly digit: string }
  | { readonly type: 'raw'; readonly event: JsonValue };

/** An item of the conversation. The provider chooses the kind of text parts (input or output, by role). */
export type WireItem =
  | {
      readonly kind: 'message';
      readonly role: 'user' | 'assistant' | 'system';
      readonly content: readonly (TextBlock | ImageBlock)[];
    }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly rawArgs: string }
  /** `output` is every block of the result in one string. */
  | { readonly kind: 'result'; readonly callId: string; readonly output: string };

/** The options a session is configured with. */
export type WireConfiguration = Omit<
  RealtimeSessionOptions,
  | 'history'
  | 'playback'
  | 'backpressure'
  | 'microphone'
  | 'deadlines'
  | 'keepAlive'
  | 'signal'
  | 'host'
  | 'inspect'
  | 'onListenerError'
>;

/**
 * What the session sends. `eventId` is unique in the session (at most 32 characters of [A-Za-z0-9_]) and is sent as the
 * event's id, so that an error can name it. `itemId` is chosen here and must become the item's id.
 */
export type WireCommand =
  /** The first command of a link, after `session.created`; answered by `session.configured`. */
  | { readonly type: 'session.configure'; readonly eventId: string; readonly configuration: WireConfiguration }
  | { readonly type: 'session.update'; readonly eventId: string; readonly changes: RealtimeSessionChanges }
  /** The hot path: encode it directly. It has no id, since nothing answers it. */
  | { readonly type: 'audio.append'; readonly audio: Uint8Array }
  | { readonly type: 'audio.commit'; readonly eventId: string }
  | { readonly type: 'audio.clear'; readonly eventId: string }
  /** At the end of the conversation. */
  | { readonly type: 'item.create'; readonly eventId: string; readonly itemId: string; readonly item: WireItem }
  /** 0 < `audioEndMs` ≤ what was received of it. */
  | {
      readonly type: 'item.truncate';
      readonly eventId: string;
      readonly itemId: string;
      readonly contentIndex: number;
      readonly audioEndMs: number;
    }
  | { readonly type: 'item.delete'; readonly eventId: string; readonly itemId: string }
  /** `raw`: the fields of a `response.create` from `raw.send`, sent unchanged, plus the ids. */
  | {
      readonly type: 'response.create';
      readonly eventId: string;
      readonly request: RealtimeResponseRequest;
      readonly raw?: JsonValue;
    }
  /** Without `responseId`: whatever is active. */
  | { readonly type: 'response.cancel'; readonly eventId: string; readonly responseId?: string }
  /** Discard what the provider has not played yet. */
  | { readonly type: 'output.clear'; readonly eventId: string }
  /** A client event, sent unchanged. `answers`: the call whose result it carries, if any. */
  | { readonly type: 'raw'; readonly event: JsonValue; readonly answers?: string };

/** Call control that does not go over the socket. */
export type CallControl =
  | { readonly type: 'call.hangup' }
  | { readonly type: 'call.refer'; readonly targetUri: string }
  | { readonly type: 'call.dtmf'; readonly digits: string };
