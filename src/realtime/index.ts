// The entry ./realtime: live voice sessions, the operative over one, and the seam for further providers.

export type {
  PlaybackClock,
  RealtimeAudioFormat,
  RealtimeBackpressure,
  RealtimeCapability,
  RealtimeCloseReason,
  RealtimeDeadlines,
  RealtimeEvent,
  RealtimeInput,
  RealtimeKeepAlive,
  RealtimeModel,
  RealtimePhase,
  RealtimeResponseRequest,
  RealtimeSession,
  RealtimeSessionChanges,
  RealtimeSessionOptions,
  RealtimeTranscription,
  RealtimeTruncation,
  RealtimeTurnDetection,
  RealtimeUsage,
  RespondChoice,
  ResponseOrigin,
  ResponseStatus,
} from '../contracts/realtime.ts';
export { connectRealtime } from './connect.ts';
export {
  createRealtimeOperative,
  type BargeInPolicy,
  type RealtimeOperative,
  type RealtimeOperativeOptions,
} from './operative.ts';
export type {
  CallControl,
  RealtimeWire,
  WireCommand,
  WireConfiguration,
  WireErrorKind,
  WireFact,
  WireItem,
  WireLink,
  WireReceiver,
  WireSettings,
  WireToolCall,
} from './wire.ts';
