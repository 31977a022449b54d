// What can be told what the actors do.

import type { Conversation } from '../conversation/conversation.ts';
import type { OperativeEvent } from './events.ts';

/**
 * A function or an observer for XState's inspection events, as `createActor` takes them: `inspector.inspect` of
 * @statelyai/inspect, of `startInspector()` or of `connectInspector()`. What it throws goes to `onListenerError`.
 */
export type Inspect = InspectFunction | InspectObserver;

/** The function form. */
export interface InspectFunction {
  (event: unknown): void;
  /** Shows the transcript too; `withTranscript` of turnchart/inspect adds it to any inspector. */
  readonly showTranscript?: ShowTranscript;
}

/** The observer form. */
export interface InspectObserver {
  /** A method, so that an observer that asks for XState's own type of event fits. */
  next?(event: unknown): void;
  readonly showTranscript?: ShowTranscript;
}

/** Called when an inspected operative or turn is made; what it returns is told each of its events. */
export type ShowTranscript = (shown: {
  /** The XState actor of the operative or turn. */
  readonly parent: unknown;
  readonly conversation: Conversation;
  readonly now: () => number;
}) => (event: OperativeEvent) => void;
